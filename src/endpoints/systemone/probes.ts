/** The probes of `gateway-sim check` for decision evaluation. */
import {
  answers,
  type ProbeSet,
  type ProbeValue,
  rejections,
  theModel,
  withoutKey,
} from '../../protocol/probe.ts'
import { evaluate } from './evaluate.ts'

const state = { message: 'My March invoice was charged twice. Please help.' }
const team = {
  type: 'choice',
  instructions: 'Which team should respond?',
  criteria: { billing: 'Payments and invoices', technical: 'Errors and outages' },
}
const urgency = {
  type: 'score',
  instructions: 'How urgent is it?',
  criteria: ['can wait', 'this week', 'today'],
}
const polite = { type: 'noul', instructions: 'Is the message polite?' }
const question = (one: { readonly [name: string]: ProbeValue }) => ({ questions: { q: one } })
const evaluation = { model: theModel, state, questions: { q: polite } }
const many = Object.fromEntries(Array.from({ length: 256 }, (_, at) => [`option-${at}`, null]))
const levels = Array.from({ length: 11 }, (_, at) => `level ${at}`)

export const systemoneProbes: ProbeSet = {
  group: 'systemone',
  model: 'jev-latest',
  probes: [
    withoutKey('an evaluation without an API key', evaluate, { json: evaluation }),
    ...rejections({ endpoint: evaluate, json: evaluation }, [
      [
        'a question with an unknown type',
        'type: `choice`, `score`, `noul`',
        question({ ...polite, type: 'guess' }),
      ],
      [
        'a choice without criteria',
        'criteria: choice: required map of option to description',
        question({ type: 'choice', instructions: 'Which?' }),
      ],
      [
        'a choice with 256 options',
        'choice: at most 255 options',
        question({ type: 'choice', instructions: 'Which?', criteria: many }),
      ],
      ['a score with 11 levels', 'score: 2..10 levels', question({ ...urgency, criteria: levels })],
    ]),
    ...answers({ endpoint: evaluate, json: evaluation }, [
      [
        'an evaluation with every question type',
        'answers: map of question id to answer',
        { questions: { team, urgency, polite } },
      ],
    ]),
  ],
}
