/** Why rules answered a request or not: as sentences, and in the rejections of unmatched requests. */
import { redactHeader, redactKey } from '../engine/redact.ts'
import { distance, type RuleTrace } from '../engine/rule-trace.ts'
import { ApiError } from '../protocol/errors.ts'
import { clip, fieldPath } from '../protocol/wording.ts'
import { counted } from '../text/printable.ts'

/** The closest rules first; equally close ones in the order in which they were tried. */
export function nearestFirst(considered: readonly RuleTrace[]): RuleTrace[] {
  return considered.toSorted((a, b) => distance(a) - distance(b))
}

type Differing = Pick<RuleTrace, 'field' | 'path' | 'expected' | 'got'>

export function conditionField({ field = '', path = [] }: Differing): string {
  return fieldPath([field, ...path])
}

/** The value in the request for the condition; API keys are redacted. */
export function gotText({ field = '', got }: Differing): string {
  if (got === undefined) return 'nothing'
  if (typeof got === 'string') {
    if (field === 'key') return JSON.stringify(redactKey(got))
    if (!field.startsWith('headers.')) return JSON.stringify(got)
    const name = field.slice('headers.'.length).toLowerCase()
    return JSON.stringify(redactHeader(name, got))
  }
  if (got !== null && typeof got === 'object')
    return 'list' in got ? `a list of ${String(got.list)}` : 'an object'
  return JSON.stringify(got)
}

const maxExpectedLength = 200

/** Why a rule answered a request or not: `rule large: used up (answered 1 of 1 time).` */
export function ruleSentence(found: RuleTrace): string {
  const { rule, outcome, byFunction } = found
  const called = byFunction === true ? `${rule} (function)` : rule
  if (outcome === 'answered') return `rule ${called} answered: ${outcomeText(found)}.`
  return `rule ${rule}: ${outcomeText(found)}.`
}

export function outcomeText(found: RuleTrace): string {
  const { outcome, matched, counts, answered = 0, times, held, of } = found
  const ofThing = thingWords(found)
  switch (outcome) {
    case 'differs': {
      const condition = of > 1 ? ` (condition ${held + 1} of ${of})` : ''
      return `${differenceText(found)}${condition}`
    }
    case 'count':
      return `match ${matched}${ofThing}; it answers only ${counts}`
    case 'times':
      return `used up (answered ${answered} of ${counted(times ?? 0, 'time')}${ofThing})`
    case 'ended':
      return `its sequence ended after ${counted(answered ?? 0, 'response')}${ofThing}`
    case 'passed':
      return 'its function passed the request on to later rules'
    case 'behind':
      return 'it matches, but an earlier rule answered'
    case 'off':
      return 'it matches, but it is switched off'
    case 'answered': {
      const ofTimes = times === undefined ? [] : [`use ${answered} of ${times}`]
      const why = [...heldWords(found), ...ofTimes].join(', ')
      return `${why}${placeWords(found)}${counts === undefined ? ofThing : ''}`
    }
  }
}

function differenceText(found: Differing): string {
  const wanted = clip(found.expected ?? '', maxExpectedLength)
  return `\`${conditionField(found)}\`: expected ${wanted}, got ${gotText(found)}`
}

function heldWords(found: RuleTrace): string[] {
  const { of, matched, counts, about = 'its operations' } = found
  const held = of === 1 ? 'its condition matched' : `all ${of} conditions matched`
  if (counts === undefined) return [of === 0 ? `it matches every request for ${about}` : held]
  const ofThing = thingWords(found)
  return of === 0
    ? [`request ${matched} of ${about}${ofThing}`, counts]
    : [held, `match ${matched}${ofThing}`, counts]
}

// The thing that a rule with `per` counts separately.
function thingWords({ thing }: RuleTrace): string {
  return thing === undefined ? '' : ` for ${thing}`
}

function placeWords({ place }: RuleTrace): string {
  return place === undefined ? '' : `; response ${place.at} of ${place.of} in its sequence`
}

/** A status that is not in the contract and that SDKs, unlike 408, 409, 429 and 5xx, do not retry. */
const unmatchedStatus = 422

interface Unmatched {
  readonly operation: string
  readonly session: string
  readonly considered: readonly RuleTrace[]
}

const maxShown = 5

/** The rejection of a request that no rule matches, with the closest rules in its message and its details. */
export function unmatchedCall({ operation, session, considered }: Unmatched): ApiError {
  const near = nearestFirst(considered)
    .slice(0, maxShown)
    .map((found) => ({ field: fieldOf(found), message: ruleSentence(found) }))
  const sentences = near.map(({ message }) => message).join(' ')
  const closest = near.length === 0 ? `There is none for ${operation}.` : `Closest: ${sentences}`
  return new ApiError(
    'invalid_request_error',
    `strict: no rule matches this ${operation} request in the session "${session}". ${closest} ` +
      `Add a rule for it; \`{ when: { operation: ${operation} }, then: {} }\` ` +
      `allows every ${operation} request.`,
    {
      status: unmatchedStatus,
      code: unmatchedStatus,
      details: near.map((one) => ({ code: unmatchedStatus, ...one })),
    },
  )
}

function fieldOf({ field = '', rule }: RuleTrace): string {
  return `${rule}.when${field === '' ? '' : `.${field}`}`
}
