/** Applies a rule to a response, and checks responses against their schema. */

import type { PlannedFault } from '../protocol/chunks.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { Plan } from '../protocol/plan.ts'
import { encodeHeader, isHeaderText, type PlainResponse } from '../protocol/response.ts'
import type { Route } from '../protocol/router.ts'
import { applyFaults } from '../scenario/faults/all.ts'
import { applyPatch, paced } from '../scenario/patch.ts'
import { type ResponseSchemas, violationsOf } from '../scenario/violations.ts'
import type { CallState } from './call-state.ts'
import { renderError, traceId } from './rejection.ts'

/** Applies patch and pace of a rule. Undeclared violations of the contract are reported. */
export function applyRule(call: CallState, { endpoint, allowedResponse }: Route): void {
  const { plan, parts } = call
  let { response } = call
  if (plan.patch !== undefined) {
    const changed = applyPatch(response, plan.patch)
    if (changed === undefined)
      parts.doubt(
        `rule ${plan.rule} changed nothing: \`patch\` and \`unset\` apply only to JSON, but the response ` +
          `of ${endpoint.operation} is not JSON. For a stream, use \`text\` or \`stream.script\`.`,
      )
    response = changed ?? response
  }
  if (plan.pace !== undefined) response = paced(response)
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

/** Whether a rule defines the content of the body, rather than its delivery. */
export function writesBody(plan: Plan): boolean {
  return plan.rule !== undefined && (answers(plan) || plan.patch !== undefined)
}

/** Whether a plan defines the response, rather than additions to it. */
const answers = ({ response, script, answer, job, upstream, upload }: Plan): boolean =>
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
  if (violation !== undefined)
    throw new Error(`the response of ${operation} violates its own schema: ${violation}`)
}

/** How a response violates the schemas of its endpoint; undefined if it does not. */
function violationOf(schemas: ResponseSchemas, response: PlainResponse): string | undefined {
  const found = violationsOf(schemas, response)
  if (found === undefined) return undefined
  const text = found.errors.map(({ field, message }) => `${field}: ${message}`).join('; ')
  return found.event === undefined ? text : `event ${found.event}: ${text}`
}
