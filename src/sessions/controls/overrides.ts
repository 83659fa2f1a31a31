/** `overrides`: faults and responses that apply before any scenario rule. */

import * as z from 'zod'
import type { OverrideState } from '../../generated/control-types.ts'
import type { When } from '../../generated/scenario-types.ts'
import { docsPage } from '../../protocol/docs-page.ts'
import { ApiError } from '../../protocol/errors.ts'
import { clip } from '../../protocol/wording.ts'
import { usageOf } from '../../scenario/director.ts'
import type { SessionParts } from '../create.ts'
import type { Override, OverrideRequest } from '../rules.ts'
import { rejectingErrors } from '../session-errors.ts'
import type { Session } from '../sessions.ts'
import type { ControlTool, Implementations } from './control.ts'
import { int, text } from './fields.ts'
import type { controls } from './table.ts'

const fields = () => z.record(z.string(), z.unknown())

/** @internal */
export const overrideSchema = () =>
  z.strictObject({
    id: text('The id.'),
    when: fields().describe('The requests that the override applies to, in the format of `when` in a rule.'),
    then: fields().describe('The response to those requests, in the format of `then` in a rule.'),
    matched: int(
      'The number of requests that matched `when`, except those that an earlier override answered.',
    ),
    answered: int('The number of requests that the override has answered.'),
    left: z
      .int()
      .nullable()
      .describe('The number of requests that the override can still answer; null for no limit.'),
  })

/** The overrides in evaluation order. @internal */
export function listOverrides(session: SessionParts): OverrideState[] {
  return session.rules.overrides.map((override) => stateOf(override, session))
}

/** Removes an override. Throws `ApiError` (404) for an unknown id. */
function removeOverride(session: Session, id: string): OverrideState {
  const state = listOverrides(session).find((one) => one.id === id)
  if (state === undefined)
    throw new ApiError(
      'not_found_error',
      `There is no override ${JSON.stringify(clip(id, 80))} in the session "${session.sandbox.name}": ` +
        'list the ids with overrides.list() (GET /__sim/overrides).',
      { param: 'id' },
    )
  removeAll(session, [state])
  return state
}

/** Removes overrides, and ends an outage that one of them began. */
function removeAll({ rules, sandbox }: Session, states: readonly OverrideState[]): void {
  const ids = states.map(({ id }) => id)
  rules.removeOverrides(ids)
  if (ids.includes(sandbox.outage?.rule ?? '')) sandbox.outage = undefined
}

function stateOf({ id, when, then, times }: Override, { sandbox }: SessionParts): OverrideState {
  const { matched, answered } = usageOf(sandbox, id)
  const left = times === undefined ? null : Math.max(0, times - answered)
  return { id, when, then, matched, answered, left }
}

/** A path in the compiled rule, as a path in the override request. */
function asSent(field: string): string {
  return field
    .replace(/^rules\[0\]\.?/, '')
    .replace(/^then\.fault/, 'fault')
    .replace(/^when\.times/, 'times')
}

const listSchema = () =>
  z.strictObject({
    overrides: z.array(overrideSchema()).describe('The overrides in evaluation order.'),
  })

const armFault: ControlTool<(request: OverrideRequest) => OverrideState> = {
  name: 'arm_fault',
  description:
    'Make matching requests fail from now on. Stream and body faults (disconnect, stall, missing-end, ' +
    'truncate, malformed-json, …) break the response of the matching rule. Others replace it: reset, hang, ' +
    'outage, rate-limit (429), overloaded (503), ambiguous-submit, … For another status, use load_scenario ' +
    'with then: { error: { status: 418 } }.',
  input: () =>
    z.strictObject({
      fault: z
        .union([z.string(), z.looseObject({ kind: z.string() })])
        .describe('A name, or {kind, …options} such as {"kind":"stall","afterEvents":2}'),
      operation: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe('chat.create or videos.*; default: all'),
      times: z.int().min(1).optional().describe('Number of requests; default: no limit'),
    }),
  arguments: ({ operation, ...request }: OverrideRequest & Pick<When, 'operation'>) => [
    { ...request, when: operation === undefined ? undefined : { operation } },
  ],
}

/** @internal */
export const overrides: Implementations<(typeof controls)['overrides']> = {
  add: {
    act: ({ session }, request) =>
      rejectingErrors(() => stateOf(session.rules.addOverride(request), session), asSent),
    endpoint: {
      operation: 'sim.addOverride',
      summary: 'Add an override: a fault or response that takes precedence over all rules of the session',
      body: () =>
        z.strictObject({
          when: fields()
            .optional()
            .describe(
              'Conditions for requests, in the format of `when` in a rule. Default: all requests. A stream ' +
                'fault waits for a request with `stream: true`.',
            ),
          fault: z
            .unknown()
            .optional()
            .describe(
              `A fault or a list of faults (${docsPage('faults')}), each a name or ` +
                '`{ kind, … }`. Faults of headers, bodies and streams break the response of the next ' +
                'matching rule; others replace it.',
            ),
          then: fields()
            .optional()
            .describe('A response, in the format of `then` in a rule. Set either `response` or `fault`.'),
          times: z
            .int()
            .min(1)
            .optional()
            .describe('The number of requests that the override answers. Default: no limit.'),
        }),
      response: overrideSchema,
      status: 201,
    },
    tool: armFault,
  },
  list: {
    act: ({ session }) => listOverrides(session),
    endpoint: {
      operation: 'sim.listOverrides',
      summary: 'List the overrides of the session, with the number of requests that each has matched',
      response: listSchema,
    },
  },
  clear: {
    act({ session }) {
      const states = listOverrides(session)
      removeAll(session, states)
      return states
    },
    endpoint: {
      operation: 'sim.clearOverrides',
      summary: 'Remove all overrides',
      response: listSchema,
    },
    tool: {
      name: 'clear_faults',
      description: 'Remove all faults.',
      destructive: true,
      input: () => z.strictObject({}),
      arguments: () => [],
    },
  },
  remove: {
    act: ({ session }, id) => removeOverride(session, id),
    endpoint: {
      operation: 'sim.removeOverride',
      summary: 'Remove an override',
      response: overrideSchema,
    },
  },
}
