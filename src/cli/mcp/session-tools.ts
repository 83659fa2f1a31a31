/** The tools that start a simulator and change its state: faults, the clock, a reset. */
import { basename } from 'node:path'
import * as z from 'zod'
import type { OverrideRequest } from '../../client.ts'
import { defined } from '../../engine/fields.ts'
import { counted } from '../../text/printable.ts'
import { usageError } from '../command.ts'
import { clientVariables } from '../exec/exec-command.ts'
import { advanceText, stateText } from '../running/clock.ts'
import { overrideText } from '../running/fault.ts'
import { readValidScenarios } from '../scenario-files.ts'
import { putScenario } from './put-scenario.ts'
import { defineTool, type Tool } from './tool.ts'

const start = defineTool({
  name: 'start',
  description:
    'Start a simulator, or connect to a running one at `url`. Returns the environment for the client. ' +
    'Discards the simulator that this tool started before. Other tools use http://127.0.0.1:4010 by default.',
  readOnly: false,
  destructive: true,
  input: () =>
    z.strictObject({
      url: z
        .string()
        .optional()
        .describe(
          'Connect to this simulator instead of starting one; can be combined with `session` and `scenarios`',
        ),
      session: z.string().optional().describe('Created if it does not exist'),
      scenarios: z.array(z.string()).optional().describe('Files or folders; added to the session'),
      config: z.string().optional().describe('Settings file'),
      strict: z.boolean().optional().describe('Reject requests that match no rule'),
      clock: z
        .enum(['auto', 'manual', 'real'])
        .optional()
        .describe('Default: auto, each poll advances its job. manual: streams and delays wait too'),
      port: z.int().min(0).max(65_535).optional().describe('Default: a free port'),
    }),
  async run({ url, session, scenarios = [], ...given }, attachment) {
    if (url !== undefined || session !== undefined) {
      const [other] = Object.keys(given)
      if (other !== undefined)
        throw usageError(
          `\`${other}\` applies only to a new simulator: omit it, or omit \`url\` and \`session\``,
        )
      const files = await readValidScenarios(scenarios, attachment.io)
      const { client, isCreated } = await attachment.attach(url, session)
      const lines = [connectedText(isCreated ? 'Created a session' : 'Connected', client, client.apiKey)]
      for (const { shown, lines: written } of files)
        lines.push(await putScenario(attachment, basename(shown), written.join('\n')))
      return lines.join('\n')
    }
    const { port = 0, clock = 'auto', strict = false, config } = given
    const { client, key } = await attachment.start({ port, clock, strict, scenarios, config })
    return connectedText(`Started (clock ${clock})`, client, key)
  },
})

function connectedText(
  what: string,
  { baseUrl, name }: { readonly baseUrl: string; readonly name: string },
  key: string,
): string {
  const variables = Object.entries(clientVariables(baseUrl, key)).map(([word, value]) => `${word}=${value}`)
  return `${what}: ${baseUrl}, session ${name}. Environment for the client:\n${variables.join('\n')}`
}

const armFault = defineTool({
  name: 'arm_fault',
  description:
    'Make matching requests fail from now on. Stream and body faults (disconnect, stall, missing-end, ' +
    'truncate, malformed-json, …) break the response of the matching rule. Others replace it: reset, hang, ' +
    'outage, rate-limit, overloaded, ambiguous-submit, …',
  readOnly: false,
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
      ttl: z.string().optional().describe('Virtual time, such as 5m; default: no limit'),
    }),
  async run({ fault, operation, times, ttl }, attachment) {
    if (typeof fault === 'string' && /^\d{3}$/.test(fault))
      throw usageError(
        'A status is not a fault: use rate-limit (429) or overloaded (503), or load_scenario with ' +
          `then: { error: { status: ${fault} } }`,
      )
    const when = operation === undefined ? undefined : { operation }
    const request = { ...defined({ when, times, ttl }), fault } as OverrideRequest
    return overrideText(await attachment.ask(({ overrides }) => overrides.add(request)))
  },
})

const clock = defineTool({
  name: 'clock',
  description: 'Show or advance the virtual clock. Without arguments: the time and the next change.',
  readOnly: false,
  input: () =>
    z.strictObject({
      by: z.string('expected a duration such as 10s').optional().describe('10s or 5m'),
      to: z.string().optional().describe('`next` change, `idle` (nothing is due), or ISO 8601'),
    }),
  async run({ by, to }, attachment) {
    if (by !== undefined && to !== undefined)
      throw usageError('`by` and `to` are mutually exclusive: omit one')
    if (by === undefined && to === undefined)
      return stateText(await attachment.ask((client) => client.clock.state()))
    return advanceText(await attachment.ask((client) => client.clock.advance(defined({ by, to }))))
  },
})

const reset = defineTool({
  name: 'reset',
  description: 'Remove faults, or reset the session: requests, jobs, faults, loaded scenarios and clock.',
  readOnly: false,
  destructive: true,
  input: () => z.strictObject({ what: z.enum(['faults', 'session']) }),
  async run({ what }, attachment) {
    if (what === 'faults') {
      const removed = await attachment.ask(async ({ overrides }) => {
        const list = await overrides.list()
        await overrides.clear()
        return list
      })
      return `Removed ${counted(removed.length, 'fault')}.`
    }
    await attachment.ask((client) => client.reset())
    return `The session ${attachment.client.name} is in its initial state.`
  },
})

export const sessionTools: readonly Tool[] = [start, armFault, clock, reset]
