/** What a rule makes of a response, and whether a response holds to the schema that it promises. */

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

/** Patch and pace of a rule. A violation of the contract that the rule does not declare is reported. */
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
    // What a rule writes in the words of the API is held against the contract, what it asks for in the
    // simulator's words against what the simulator sends.
    const violation = violationOf(
      (plan.response ?? plan.patch) === undefined
        ? endpoint
        : { event: endpoint.event, response: allowedResponse },
      response,
    )
    if (violation !== undefined)
      parts.doubt(
        `rule ${plan.rule} makes ${endpoint.operation} respond with what the contract does not allow: ` +
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
      `rule ${plan.rule}: no event of the stream of ${endpoint.operation} has ` +
        `${idle.join(', ')}: nothing was changed. For content that is streamed in chunks, ` +
        'use `text` or `stream.script`.',
    )
  return changed
}

function unpatched({ rule }: Plan, { operation }: Endpoint): string {
  return (
    `rule ${rule}: \`patch\` and \`unset\` change JSON, and ${operation} responded with ` +
    'another body: nothing was changed'
  )
}

/** Whether a rule says what is in the body, rather than how or when it comes. */
export function writesBody(plan: Plan): boolean {
  return plan.rule !== undefined && (answers(plan) || (plan.patch ?? plan.frames) !== undefined)
}

/** Whether a plan says what is answered, rather than what is added to it. */
export const answers = ({ response, script, answer, job, upstream, upload }: Plan): boolean =>
  (response ?? script ?? answer ?? job ?? upstream ?? upload) !== undefined

/** The response as its faults leave it. */
export function withFaults(call: CallState, faults: readonly PlannedFault[]): PlainResponse {
  const { group, requestId, identity, sandbox, response } = call
  return applyFaults(response, faults, identity.fork('faults'), (error) => {
    const ids = { requestId, traceId: traceId(sandbox.tag, identity) }
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
        `rule ${plan.rule}: the header ${name} contains characters other than visible ASCII, ` +
          'which are percent-encoded',
      )
    }
  }
}

/** Throws a plain error (a bug of ours) when a response or a stream event breaks its endpoint's schema. */
export function selfCheck(endpoint: Endpoint, response: PlainResponse): void {
  const { operation } = endpoint
  if (response.body.kind === 'json' && endpoint.response === undefined)
    throw new Error(`${operation} answers JSON but declares no response schema`)
  if (response.body.kind === 'events' && endpoint.event === undefined)
    throw new Error(`${operation} streams but declares no event schema`)
  const violation = violationOf(endpoint, response)
  if (violation === undefined) return
  const [, event, finding] = /^(event \d+): (.*)$/s.exec(violation) ?? []
  throw new Error(
    event === undefined
      ? `the response of ${operation} breaks its own schema: ${violation}`
      : `${event} of ${operation} breaks its own schema: ${finding}`,
  )
}

type Schema = (() => z.ZodType | undefined) | undefined

/** What of a response breaks its endpoint's schemas; undefined when nothing does. */
function violationOf(
  endpoint: { readonly response?: Schema; readonly event?: Schema },
  { body }: PlainResponse,
): string | undefined {
  const schema =
    body.kind === 'json' ? endpoint.response?.() : body.kind === 'events' ? endpoint.event?.() : undefined
  if (schema === undefined) return undefined
  if (body.kind === 'json') {
    // As the client will read it: what JSON drops is not there, and links have an address.
    const value: unknown = JSON.parse(JSON.stringify(body.value).replaceAll(originMark, 'http://gateway'))
    const result = schema.safeParse(value)
    return result.success ? undefined : worded(responseFindings(result.error, value))
  }
  if (body.kind === 'events') {
    for (const [index, event] of body.events.entries()) {
      // A frame that a script spells out is the script's own.
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
