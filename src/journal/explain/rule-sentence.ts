/** Describes why a rule answered a call or not. */
import { redactHeaders, redactKey } from '../../engine/redact.ts'
import { distance, type RuleTrace } from '../../engine/rule-trace.ts'
import { clip, fieldPath } from '../../protocol/wording.ts'

/** The closest rules first; equally close ones in the order in which they were tried. */
export function nearestFirst(considered: readonly RuleTrace[]): RuleTrace[] {
  return considered.toSorted((a, b) => distance(a) - distance(b))
}

/** The path of the condition under `when`: `body.messages[0].content`. */
export function conditionField({ field = '', path = [] }: RuleTrace): string {
  return fieldPath([field, ...path])
}

/** The call's value at the condition; keys are redacted. */
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

export function ruleSentence(found: RuleTrace): string {
  const { rule, recorded, outcome, expected, met, counts, answered = 0, times, held, of, byFunction } = found
  const ofThing = thingWords(found)
  switch (outcome) {
    case 'differs': {
      const condition = of > 1 && recorded !== true ? ` (condition ${held + 1} of ${of})` : ''
      const wanted = clip(expected ?? '', maxExpectedLength)
      const got = gotText(found)
      const who = recorded === true ? 'recording' : 'rule'
      return `${who} ${rule}: \`${conditionField(found)}\`: expected ${wanted}, got ${got}${condition}.`
    }
    case 'count':
      return `rule ${rule}: this is matching call ${met}${ofThing}, and it answers ${counts}.`
    case 'times':
      return `rule ${rule}: it has already answered ${answered} of ${plural(times, 'time')}${ofThing}.`
    case 'ended':
      return `rule ${rule}: its sequence ended after ${plural(answered, 'answer')}${ofThing}.`
    case 'passed':
      return `rule ${rule}: its function left the call to later rules.`
    case 'behind':
      return `rule ${rule}: it would have answered, but a rule before it did.`
    case 'answered': {
      const ofTimes = times === undefined ? [] : [`answer ${answered} of ${times}`]
      const called = byFunction === true ? `${rule} (function)` : rule
      const why = [...heldWords(found), ...ofTimes].join(', ')
      return `rule ${called} answered: ${why}${placeWords(found)}${counts === undefined ? ofThing : ''}.`
    }
  }
}

function heldWords(found: RuleTrace): string[] {
  const { of, met, counts, about = 'its operations' } = found
  const held = of === 1 ? 'its condition holds' : `its ${of} conditions hold`
  if (counts === undefined) return [of === 0 ? `it takes every call of ${about}` : held]
  const ofThing = thingWords(found)
  return of === 0
    ? [`call ${met} of ${about}${ofThing}`, counts]
    : [held, `matching call ${met}${ofThing}`, counts]
}

const plural = (count = 0, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

// What a rule with `per` counts by itself.
function thingWords({ thing }: RuleTrace): string {
  return thing === undefined ? '' : ` for ${thing}`
}

function placeWords({ place }: RuleTrace): string {
  if (place === undefined) return ''
  return `; answer ${place.at} of ${place.of} ${place.by === 'chance' ? 'was drawn' : 'in its sequence'}`
}
