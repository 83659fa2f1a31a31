/** Judges a plain answer by what was asked: counts, ids, outcomes, sums. `judgeReply` judges its shape. */
import { isFields } from '../engine/fields.ts'
import type { Route } from '../protocol/router.ts'
import type { Deviation } from './deviation.ts'
import { askedId, type JudgedAnswer, shownId } from './laws/answer.ts'
import { answerLaws } from './laws/answers.ts'
import { judge, type Law, shown } from './laws/law.ts'

const showsWhatWasAsked: Law<JudgedAnswer> = {
  section: 'contract 2',
  states: 'the id that was asked for',
  kind: 'value',
  severity: 'breaking',
  breach(answer) {
    const asked = askedId(answer)
    const got = shownId(answer.reply)
    if (asked === undefined || got === undefined || got === asked) return undefined
    return { pointer: typeof answer.reply['id'] === 'string' ? '/id' : '/name', got: shown(got) }
  },
}

/**
 * What a successful answer breaks of the laws of its group. `request` and `reply` are parsed bodies; of a
 * form, its text fields.
 */
export function judgeAnswer(
  { endpoint, group }: Route,
  asked: { readonly params: Readonly<Record<string, string>>; readonly request: unknown },
  reply: unknown,
): Deviation[] {
  if (!isFields(reply)) return []
  const request = isFields(asked.request) ? asked.request : {}
  const answer = { endpoint, params: asked.params, request, reply }
  return judge([showsWhatWasAsked, ...(answerLaws[group.name] ?? [])], answer, {
    operation: endpoint.operation,
    where: 'body',
  })
}
