/** Applies a rule to a response, and checks responses against their schema. */

import type * as z from 'zod'
import type { PlannedFault } from '../protocol/chunks.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { responseFindings } from '../protocol/findings.ts'
import type { Plan } from '../protocol/plan.ts'
import { encodeHeader, isHeaderText, originMark, type PlainResponse } from '../protocol/response.ts'
import type { Route } from '../protocol/router.ts'
import { applyFaults } from '../scenario/faults/all.ts'
import { canPatch, paced, patched, patchedEvents } from '../scenario/patch.ts'
import type { CallState } from './call-state.ts'
import { renderError, traceId } from './rejection.ts'

/** Applies patch and pace of a rule. Undeclared violations of the contract are reported. */
export function applyRule(call: CallState, { endpoint, allowedResponse }: Route): void {
  const { plan, identity, parts } = call
  let { response } = call
  if (plan.patch !== undefined) {
    if (canPatch(response)) response = patched(response, plan.patch)
    else if (response.body.kind === 'events') response = patchedStream(call, plan.patch, endpoint)
    else parts.doubt(unpatched(plan, endpoint))
  }
  if (plan.pace !== undefined) response = paced(response, plan.pace.jitter ?? 0, identity.fork('jitter'))
  if (
    writesBody(plan) &&
    plan.offContract !== true &&
    response.offContract !== true &&
    response.status < 300
  ) {
    // Wire-format content of a rule is checked against the contract; the effect of other keys is checked
    // against the simulator's own schema.
    const violation = violationOf(
      (plan.response ?? plan.patch) === undefined
        ? endpoint
        : { event: endpoint.event, response: allowedResponse },
      response,
    )
    if (violation !== undefined)
      parts.doubt(
        `rule ${plan.rule} makes ${endpoint.operation} send a response that violates the contract: ` +
          `${violation}. Add \`offContract: true\` if this is intended.`,
      )
  }
  call.response = response
}

function patchedStream(
  { response, plan, parts }: CallState,
  patch: NonNullable<Plan['patch']>,
  endpoint: Endpoint,
): PlainResponse {
  const { response: changed, idle } = patchedEvents(response, patch, endpoint)
  if (idle.length > 0)
    parts.doubt(
      `rule ${plan.rule} changed nothing: no event in the stream of ${endpoint.operation} has ` +
        `${idle.join(', ')}. For content that is streamed in chunks, use \`text\` or \`stream.script\`.`,
    )
  return changed
}

function unpatched({ rule }: Plan, { operation }: Endpoint): string {
  return (
    `rule ${rule} changed nothing: \`patch\` and \`unset\` apply only to JSON, but the response of ` +
    `${operation} is not JSON`
  )
}

/** Whether a rule defines the content of the body, rather than its delivery. */
export function writesBody(plan: Plan): boolean {
  return plan.rule !== undefined && (answers(plan) || (plan.patch ?? plan.frames) !== undefined)
}

/** Whether a plan defines the response, rather than additions to it. */
export const answers = ({ response, script, answer, job, upstream, upload }: Plan): boolean =>
  (response ?? script ?? answer ?? job ?? upstream ?? upload) !== undefined

/** The response with its faults applied. */
export function withFaults(call: CallState, faults: readonly PlannedFault[]): PlainResponse {
  const { group, requestId, identity, sandbox, response } = call
  return applyFaults(response, faults, identity.fork('faults'), (error) => {
    const ids = { requestId, traceId: traceId(sandbox.tag, identity) }
    return group.streamError?.(error, ids) ?? { data: JSON.stringify(renderError(call, error).body) }
  })
}

/** Sets and removes the headers of a rule. An invalid value is encoded and reported. */
export function changeHeaders(headers: Record<string, string>, { plan, parts }: CallState): void {
  for (const [name, value] of Object.entries(plan.headers ?? {})) {
    if (value === null) delete headers[name]
    else if (isHeaderText(value)) headers[name] = value
    else {
      headers[name] = encodeHeader(value)
      parts.doubt(
        `rule ${plan.rule}: characters other than visible ASCII in the header ${name} were percent-encoded`,
      )
    }
  }
}

/** Throws a plain error (a bug in the simulator) if a response or an event violates its schema. */
export function selfCheck(endpoint: Endpoint, response: PlainResponse): void {
  const { operation } = endpoint
  if (response.body.kind === 'json' && endpoint.response === undefined)
    throw new Error(`${operation} returns JSON but declares no response schema`)
  if (response.body.kind === 'events' && endpoint.event === undefined)
    throw new Error(`${operation} streams but declares no event schema`)
  const violation = violationOf(endpoint, response)
  if (violation === undefined) return
  const [, event, finding] = /^(event \d+): (.*)$/s.exec(violation) ?? []
  throw new Error(
    event === undefined
      ? `the response of ${operation} violates its own schema: ${violation}`
      : `${event} of ${operation} violates its own schema: ${finding}`,
  )
}

type Schema = (() => z.ZodType | undefined) | undefined

/** How a response violates the schemas of its endpoint; undefined if it does not. */
function violationOf(
  endpoint: { readonly response?: Schema; readonly event?: Schema },
  { body }: PlainResponse,
): string | undefined {
  const schema =
    body.kind === 'json' ? endpoint.response?.() : body.kind === 'events' ? endpoint.event?.() : undefined
  if (schema === undefined) return undefined
  if (body.kind === 'json') {
    // As the client will read it: after JSON serialisation, with absolute URLs.
    const value: unknown = JSON.parse(JSON.stringify(body.value).replaceAll(originMark, 'http://gateway'))
    const result = schema.safeParse(value)
    return result.success ? undefined : worded(responseFindings(result.error, value))
  }
  if (body.kind === 'events') {
    for (const [index, event] of body.events.entries()) {
      // Raw frames of a script are not checked.
      if (event.data === '[DONE]' || event.raw !== undefined) continue
      const value: unknown = JSON.parse(event.data)
      if (value !== null && typeof value === 'object' && 'error' in value) continue
      const result = schema.safeParse(value)
      if (!result.success) return `event ${index}: ${worded(responseFindings(result.error, value))}`
    }
  }
  return undefined
}

const worded = (found: readonly { field: string; message: string }[]): string =>
  found.map(({ field, message }) => `${field}: ${message}`).join('; ')
