/** What became of a rule, in words. */

import { redactHeaders, redactKey } from '../../engine/redact.ts'
import { distance, type RuleTrace } from '../../engine/rule-trace.ts'
import { clip, fieldPath } from '../../protocol/wording.ts'

/** The rules that came nearest first; among equals in the order in which they were asked. */
export function nearestFirst(considered: readonly RuleTrace[]): RuleTrace[] {
  return considered.toSorted((a, b) => distance(a) - distance(b))
}

/** Where the condition stands under `when`, as `body.messages[0].content`. */
export function conditionField({ field = '', path = [] }: RuleTrace): string {
  return fieldPath([field, ...path])
}

/** What the call has there, in words; keys are shortened. */
export function gotText({ field = '', got }: RuleTrace): string {
  if (got === undefined) return 'nothing'
  if (typeof got === 'string')
    return JSON.stringify(
      field === 'key'
        ? redactKey(got)
        : field.startsWith('headers.')
          ? redactHeaders({ [field.slice(8).toLowerCase()]: got })[field.slice(8).toLowerCase()]
          : got,
    )
  if (got !== null && typeof got === 'object')
    return 'list' in got ? `a list of ${String(got.list)}` : 'an object'
  return JSON.stringify(got)
}

const maxExpectedLength = 200

/** One sentence: why the rule did not answer, or that it did. */
export function ruleSentence(found: RuleTrace): string {
  const { rule, outcome, expected, met, counts, answered = 0, times, held, of } = found
  switch (outcome) {
    case 'differs':
      return `rule ${rule}: \`${conditionField(found)}\`: expected ${clip(expected ?? '', maxExpectedLength)}, got ${gotText(found)}${of > 1 ? ` (condition ${held + 1} of ${of})` : ''}.`
    case 'count':
      return `rule ${rule}: this is call ${met} that meets its conditions, and it answers ${counts}.`
    case 'times':
      return `rule ${rule}: it has answered ${answered} of ${times} time${times === 1 ? '' : 's'} already.`
    case 'ended':
      return `rule ${rule}: its sequence is at its end after ${answered} answer${answered === 1 ? '' : 's'}.`
    case 'behind':
      return `rule ${rule}: it would have answered, but a rule before it did.`
    case 'answered':
      return `rule ${rule} answered: ${[...heldWords(found), ...(times === undefined ? [] : [`answer ${answered} of ${times}`])].join(', ')}${placeWords(found)}.`
  }
}

function heldWords({ of, met, counts, about = 'its operations' }: RuleTrace): string[] {
  const held = of === 1 ? 'its condition holds' : `its ${of} conditions hold`
  if (counts === undefined) return [of === 0 ? `it takes every call of ${about}` : held]
  return of === 0 ? [`call ${met} of ${about}`, counts] : [held, `call ${met} of which this is so`, counts]
}

function placeWords({ place }: RuleTrace): string {
  if (place === undefined) return ''
  return `; answer ${place.at} of ${place.of} ${place.by === 'chance' ? 'was drawn' : 'in its sequence'}`
}
