/** Notes of the document on decision evaluation. */
import type { GroupNotes } from '../notes.ts'

const state = { subject: 'Refund for a broken lamp', text: 'The lamp arrived broken. I want my money back.' }

export const systemoneNotes: GroupNotes = {
  title: 'Decision evaluation',
  description: 'Answers to questions about a state: an option, a score on a scale, or true or false.',
  operations: {
    'systemone.evaluate': {
      source: 'the contract; the field `type` of answers: the TypeSafe client',
      description:
        'A choice has at most 255 options, and a score has 2 to 10 levels. Limits: 64K tokens for the ' +
        'state and all questions, 32K tokens for the state and the longest question.',
      calls: () => [
        {
          name: 'questions',
          summary: 'One question of each kind',
          json: {
            model: 'systemone-1',
            state,
            questions: {
              topic: {
                type: 'choice',
                instructions: 'What is the message about?',
                criteria: { refund: 'Wants money back', delivery: 'Asks where a parcel is', other: null },
              },
              anger: {
                type: 'score',
                instructions: 'How angry is the writer?',
                criteria: ['calm', 'annoyed', 'furious'],
              },
              urgent: { type: 'noul', instructions: 'Is it urgent?' },
            },
          },
        },
        {
          name: 'cost',
          summary: 'A response with costs',
          json: {
            model: 'systemone-1',
            state,
            questions: { urgent: { type: 'noul', instructions: 'Is it urgent?' } },
            include_cost: true,
          },
        },
        {
          name: 'levels',
          summary: 'A score with one level',
          json: {
            model: 'systemone-1',
            state,
            questions: { anger: { type: 'score', instructions: 'How angry?', criteria: ['calm'] } },
          },
        },
      ],
    },
  },
  names: {
    'systemone.evaluate body': 'EvaluationRequest',
    'systemone.evaluate body.questions{}': 'Question',
    'systemone.evaluate response': 'Evaluation',
    'systemone.evaluate response.answers{}': 'Answer',
    'systemone.evaluate response.usage': 'EvaluationUsage',
    'systemone.evaluate response.cost': 'EvaluationCost',
  },
  fields: {
    Question: 'A question; `type` is the kind of question.',
    Answer: 'An answer; `type` is the kind of question.',
    Evaluation: 'The answers. Other upstream fields are passed through.',
    'Evaluation.usage': 'The billed tokens.',
  },
}
