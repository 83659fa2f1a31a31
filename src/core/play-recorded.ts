/**
 * The stage that plays back recorded responses: after the rules, and before any rejection by the simulator.
 */
import { jsonIn } from '../engine/fields.ts'
import { missedRecording } from '../exchange/rule-reasons.ts'
import { defaultPlan, plannedError } from '../protocol/plan.ts'
import type { Route } from '../protocol/router.ts'
import type { RuleFacts } from '../scenario/asked-rules.ts'
import { answers } from './apply-plan.ts'
import type { CallState } from './call-state.ts'
import type { RecordedAnswer, RecordedCalls } from './recorded-calls.ts'

/**
 * Whether a recording answered the call. Rules take precedence, except rules that only modify a response
 * (faults, delays, patches). Throws the rejection of an unrecorded request, if configured.
 */
export function playRecorded(call: CallState, route: Route, facts: RuleFacts): boolean {
  const { parts, director, group } = call
  const { recordings, onMiss } = parts
  if (recordings === undefined || group.internal === true) return false
  const early = call.plan.rule === undefined ? undefined : call.plan.reject
  if (early?.before === 'auth') throw plannedError(early)
  const found = recordings.find(call)
  const rejects = found === undefined && onMiss === 'reject' && !recordings.isLeftToSimulate(call)
  if (found !== undefined || rejects) {
    call.rulesAsked = true
    call.plan = director.ruled(call.plan, facts)
  }
  const { plan } = call
  const isRuled = plan.rule !== undefined && (plan.reject !== undefined || answers(plan))
  if (found !== undefined && !isRuled) return play(call, found)
  if (found === undefined) explainMiss(recordings, route, facts)
  if (rejects && call.plan.rule === undefined && call.plan.decidedBy === undefined) reject(call, route, facts)
  return false
}

/** The same for an unknown path, such as a link to another path of the recorded gateway. */
export function playUnrouted(call: CallState): boolean {
  const found = call.group.internal === true ? undefined : call.parts.recordings?.find(call)
  return found !== undefined && play(call, found)
}

function play(call: CallState, found: RecordedAnswer): boolean {
  const { source, response, redacted } = found.play()
  // Without a rule, the plan can only come from a reserved value, which a recording replaces.
  const plan = call.plan.rule === undefined ? defaultPlan : call.plan
  call.played = true
  if (redacted.length > 0) call.notes = () => [redactedText(redacted)]
  call.response = plan.patch === undefined ? response : asJson(response)
  call.plan = {
    ...plan,
    decidedBy: { kind: 'recording', name: source },
  }
  return true
}

const maxRedacted = 5

function redactedText(redacted: readonly string[]): string {
  const shown = redacted.slice(0, maxRedacted).join(', ')
  const more = redacted.length > maxRedacted ? ` and ${redacted.length - maxRedacted} more` : ''
  return (
    `Redacted in the recording: ${shown}${more}. Any value matches: the recording was selected by the rest ` +
    'of the request, and by the order of such requests.'
  )
}

// A patch changes fields, so the bytes differ from the recording anyway.
function asJson(response: CallState['response']): CallState['response'] {
  const value = response.body.kind === 'text' ? jsonIn(response.body.text) : undefined
  return value === undefined ? response : { ...response, body: { kind: 'json', value } }
}

/** The closest recording is computed lazily, for explanations. */
function explainMiss(recordings: RecordedCalls, route: Route, facts: RuleFacts): void {
  const { considered, payload, params, query } = facts
  const nearest = recordings.nearest({ request: { method: '', path: '', query }, route, params, payload })
  if (nearest !== undefined) considered.add(nearest)
}

function reject(call: CallState, { endpoint: { operation } }: Route, { considered }: RuleFacts): never {
  call.unmatched = true
  call.plan = { ...call.plan, decidedBy: { kind: 'unrecorded' } }
  throw missedRecording({ operation, session: call.sandbox.name, considered: considered.traces })
}

/** A file that was not recorded is rendered, with a warning for tests that compare bytes. */
export function noteRendered(call: CallState): void {
  if (call.response.body.kind !== 'media' || call.group.internal === true) return
  const path = call.request.path.slice(0, 200)
  call.parts.doubt(`recordings: the file at ${path} was not recorded and is rendered instead`)
}
