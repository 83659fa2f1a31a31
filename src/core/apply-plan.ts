/** What a rule makes of a reply, and whether a reply holds to the schema that it promises. */

import type * as z from 'zod'
import type { Endpoint } from '../protocol/endpoint.ts'
import { replyFindings } from '../protocol/findings.ts'
import type { PlannedFault } from '../protocol/pieces.ts'
import type { Plan } from '../protocol/plan.ts'
import { encodeHeader, isHeaderText, originMark, type Reply } from '../protocol/reply.ts'
import type { Route } from '../protocol/router.ts'
import { applyFaults } from '../scenario/faults/all.ts'
import { canPatch, paced, patched, patchedEvents } from '../scenario/patch.ts'
import type { CallState } from './call-state.ts'
import { renderError, traceId } from './refusal.ts'

/** Patch and pace of a rule. A violation of the contract that the rule does not declare is reported. */
export function applyRule(call: CallState, { endpoint, allowedReply }: Route): void {
  const { plan, identity, parts } = call
  let { reply } = call
  if (plan.patch !== undefined) {
    if (canPatch(reply)) reply = patched(reply, plan.patch)
    else if (reply.body.kind === 'events') reply = patchedStream(call, plan.patch, endpoint)
    else parts.doubt(unpatched(plan, endpoint))
  }
  if (plan.pace !== undefined) reply = paced(reply, plan.pace.jitter ?? 0, identity.fork('jitter'))
  if (writesBody(plan) && plan.offContract !== true && reply.offContract !== true && reply.status < 300) {
    // What a rule writes in the words of the API is held against the contract, what it asks for in the
    // simulator's words against what the simulator sends.
    const violation = violationOf(
      (plan.reply ?? plan.patch) === undefined ? endpoint : { event: endpoint.event, reply: allowedReply },
      reply,
    )
    if (violation !== undefined)
      parts.doubt(
        `rule ${plan.rule} makes ${endpoint.operation} answer what the contract does not allow: ` +
          `${violation}. Mark it \`offContract: true\` if that is meant.`,
      )
  }
  call.reply = reply
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
export function writesBody(plan: Plan): boolean {
  return plan.rule !== undefined && (answers(plan) || (plan.patch ?? plan.frames) !== undefined)
}

/** Whether a plan says what is answered, rather than what is added to it. */
export const answers = ({ reply, script, answer, job, upstream, upload }: Plan): boolean =>
  (reply ?? script ?? answer ?? job ?? upstream ?? upload) !== undefined

/** The reply as its faults leave it. */
export function withFaults(call: CallState, faults: readonly PlannedFault[]): Reply {
  const { group, requestId, identity, world, reply } = call
  return applyFaults(reply, faults, identity.fork('faults'), (error) => {
    const ids = { requestId, traceId: traceId(world.tag, identity) }
    return group.streamError?.(error, ids) ?? { data: JSON.stringify(renderError(call, error).body) }
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

/** Throws a plain error (a bug of ours) when a reply or a stream event breaks its endpoint's schema. */
export function selfCheck(endpoint: Endpoint, reply: Reply): void {
  const { operation } = endpoint
  if (reply.body.kind === 'json' && endpoint.reply === undefined)
    throw new Error(`${operation} answers JSON but declares no reply schema`)
  if (reply.body.kind === 'events' && endpoint.event === undefined)
    throw new Error(`${operation} streams but declares no event schema`)
  const violation = violationOf(endpoint, reply)
  if (violation === undefined) return
  const [, event, finding] = /^(event \d+): (.*)$/s.exec(violation) ?? []
  throw new Error(
    event === undefined
      ? `the reply of ${operation} breaks its own schema: ${violation}`
      : `${event} of ${operation} breaks its own schema: ${finding}`,
  )
}

type Schema = (() => z.ZodType | undefined) | undefined

/** What of a reply breaks its endpoint's schemas; undefined when nothing does. */
function violationOf(
  endpoint: { readonly reply?: Schema; readonly event?: Schema },
  { body }: Reply,
): string | undefined {
  const schema =
    body.kind === 'json' ? endpoint.reply?.() : body.kind === 'events' ? endpoint.event?.() : undefined
  if (schema === undefined) return undefined
  if (body.kind === 'json') {
    // As the client will read it: what JSON drops is not there, and links have an address.
    const value: unknown = JSON.parse(JSON.stringify(body.value).replaceAll(originMark, 'http://gateway'))
    const result = schema.safeParse(value)
    return result.success ? undefined : worded(replyFindings(result.error, value))
  }
  if (body.kind === 'events') {
    for (const [index, event] of body.events.entries()) {
      // A frame that a script spells out is the script's own.
      if (event.data === '[DONE]' || event.raw !== undefined) continue
      const value: unknown = JSON.parse(event.data)
      if (value !== null && typeof value === 'object' && 'error' in value) continue
      const result = schema.safeParse(value)
      if (!result.success) return `event ${index}: ${worded(replyFindings(result.error, value))}`
    }
  }
  return undefined
}

const worded = (found: readonly { field: string; message: string }[]): string =>
  found.map(({ field, message }) => `${field}: ${message}`).join('; ')
