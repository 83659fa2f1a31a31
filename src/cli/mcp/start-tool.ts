/** The tool that starts a simulator, or connects to one. */
import { basename } from 'node:path'
import * as z from 'zod'
import { usageError } from '../command.ts'
import { clientVariables } from '../exec/client-environment.ts'
import { readValidScenarios } from '../scenario-files.ts'
import { putScenario } from './load-scenario.ts'
import { defineTool } from './tool.ts'

export const start = defineTool({
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
