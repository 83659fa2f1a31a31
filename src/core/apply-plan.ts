/** What the rule of a call makes of its reply, and the faults that edit it. */
import type { Endpoint } from '../protocol/endpoint.ts'
import { encodeHeader, isHeaderText } from '../protocol/header-text.ts'
import type { Plan } from '../protocol/plan.ts'
import type { PlannedFault } from '../protocol/plan-fault.ts'
import type { Reply } from '../protocol/reply.ts'
import type { Route } from '../protocol/router.ts'
import { applyFaults } from '../scenario/faults/apply.ts'
import { patchedEvents } from '../scenario/patch-events.ts'
import { canPatch, paced, patched } from '../scenario/patch-reply.ts'
import type { CallState } from './call-state.ts'
import { renderError, traceId } from './refusal.ts'
import { breachOf } from './self-check.ts'

/** Patch and pace of a rule. A breach of the contract that the rule does not declare is reported. */
export function applyRule(state: CallState, { endpoint, allowedReply }: Route): void {
  const { plan, identity, parts } = state
  let { reply } = state
  if (plan.patch !== undefined) {
    if (canPatch(reply)) reply = patched(reply, plan.patch)
    else if (reply.body.kind === 'events') reply = patchedStream(state, plan.patch, endpoint)
    else parts.doubt(unpatched(plan, endpoint))
  }
  if (plan.pace !== undefined) reply = paced(reply, plan.pace.jitter ?? 0, identity.fork('jitter'))
  if (writesBody(plan) && plan.offContract !== true && reply.offContract !== true && reply.status < 300) {
    // What a rule writes in the words of the API is held against the contract, what it asks for in the
    // simulator's words against what the simulator sends.
    const breach = breachOf(
      (plan.reply ?? plan.patch) === undefined ? endpoint : { event: endpoint.event, reply: allowedReply() },
      reply,
    )
    if (breach !== undefined)
      parts.doubt(
        `rule ${plan.rule} makes ${endpoint.operation} answer what the contract does not allow: ` +
          `${breach}. Mark it \`offContract: true\` if that is meant.`,
      )
  }
  state.reply = reply
}

function patchedStream(
  { reply, plan, parts }: CallState,
  patch: NonNullable<Plan['patch']>,
  endpoint: Endpoint,
): Reply {
  const { reply: changed, idle } = patchedEvents(reply, patch, endpoint)
  if (idle.length > 0)
    parts.doubt(
      `rule ${plan.rule}: no event of the stream of ${endpoint.operation} has ${idle.join(', ')}: nothing ` +
        'was changed there. What is told in pieces is written as `text` or `stream.script`.',
    )
  return changed
}

function unpatched({ rule }: Plan, { operation }: Endpoint): string {
  return (
    `rule ${rule}: \`patch\` and \`unset\` change JSON, and ${operation} answered with another body: ` +
    'nothing was changed'
  )
}

/** Whether a rule says what is in the body, rather than how or when it comes. */
export function writesBody({ rule, ...plan }: Plan): boolean {
  const { reply, patch, script, frames, answer, job, upstream, upload } = plan
  const written = reply ?? patch ?? script ?? frames ?? answer ?? job ?? upstream ?? upload
  return rule !== undefined && written !== undefined
}

/** The reply as its faults leave it. */
export function withFaults(state: CallState, faults: readonly PlannedFault[]): Reply {
  const { group, requestId, identity, world, reply } = state
  return applyFaults(reply, faults, identity.fork('faults'), (error) => {
    const ids = { requestId, traceId: traceId(world.tag, identity) }
    return group.streamError?.(error, ids) ?? { data: JSON.stringify(renderError(state, error).body) }
  })
}

/** Sets and removes the headers that a rule names. A value that is no header text is encoded and reported. */
export function changeHeaders(headers: Record<string, string>, { plan, parts }: CallState): void {
  for (const [name, value] of Object.entries(plan.headers ?? {})) {
    if (value === null) delete headers[name]
    else if (isHeaderText(value)) headers[name] = value
    else {
      headers[name] = encodeHeader(value)
      parts.doubt(
        `rule ${plan.rule}: the header ${name} cannot be sent as it is, only visible ASCII characters can: ` +
          'the others are percent-encoded',
      )
    }
  }
}
