/** What the document says of decision evaluation beyond its schemas. */
import type { GroupNotes } from '../notes.ts'

const state = { subject: 'Refund for a broken lamp', text: 'The lamp arrived broken. I want my money back.' }

export const systemoneNotes: GroupNotes = {
  title: 'Decision evaluation',
  description: 'Decides questions about a state: one of several options, a level of a scale, true or false.',
  operations: {
    'systemone.evaluate': {
      source: 'the contract; the field `type` of answers: the client of this family',
      description: [
        'A choice has at most 255 options, a score 2 to 10 levels. The state and all questions together',
        'may have at most 64K tokens, the state and the longest question 32K.',
      ].join(' '),
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
          summary: 'With the amount that is billed',
          json: {
            model: 'systemone-1',
            state,
            questions: { urgent: { type: 'noul', instructions: 'Is it urgent?' } },
            include_cost: true,
          },
        },
        {
          name: 'levels',
          summary: 'A scale of one level',
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
    Question: 'One question; `type` is its kind.',
    Answer: 'One answer; `type` is that of its question.',
    Evaluation: 'The answers. Further fields of the upstream are passed through.',
    'Evaluation.usage': 'The tokens that are billed.',
  },
}
