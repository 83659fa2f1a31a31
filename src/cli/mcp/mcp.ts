/** `gateway-sim mcp`: a server of the Model Context Protocol on stdin and stdout. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import * as z from 'zod'
import { ConfigError, fieldErrors } from '../../protocol/field-errors.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { clip } from '../../protocol/wording.ts'
import { ScenarioError } from '../../scenario/scenario-error.ts'
import { version } from '../../text/version.ts'
import { CommandError, defineCommand, exitCodes } from '../command.ts'
import { clientFlags } from '../flags.ts'
import { Attachment } from './attachment.ts'
import type { Tool, ToolResult } from './tool.ts'
import { tools } from './tools.ts'

/** The maximum length of a result, in characters: about 2,000 tokens. */
const maxText = 8000

const instructions =
  'gateway-sim simulates an AI gateway. Call start, run the client with the printed environment, then ' +
  'verify. Use explain_request for unexpected responses, and arm_fault or load_scenario to make the ' +
  'gateway fail.'

export const command = defineCommand({
  examples: [
    ['gateway-sim mcp', 'The command to configure in an MCP client'],
    ['gateway-sim mcp --base-url http://127.0.0.1:4010', 'Control a running server'],
  ],
  flags: clientFlags,
  async handler(args, io) {
    const stopped = io.whenStopped()
    const attachment = new Attachment(args, io)
    const server = createMcpServer(attachment)
    server.onerror = ({ message }) => io.stderr.write(`gateway-sim: ${message}\n`)
    const { input, output } = io.rawStreams()
    // A client that ends closes stdin.
    const left = new Promise<void>((resolve) => void input.once('end', resolve).once('close', resolve))
    await server.connect(new StdioServerTransport(input, output))
    try {
      await Promise.race([stopped, left])
    } finally {
      await server.close()
      await attachment.close()
    }
    return exitCodes.ok
  },
})

/** The server without its transport. It validates arguments: errors name the field and the remedy. */
export function createMcpServer(attachment: Attachment, offered: readonly Tool[] = tools): Server {
  const server = new Server({ name: 'gateway-sim', version }, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: offered.map(listed) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const { text, isError = false } = await call(offered, params.name, params.arguments ?? {}, attachment)
    return { content: [{ type: 'text', text: clip(text.trimEnd(), maxText) }], isError }
  })
  return server
}

function listed({ name, description, input, readOnly, destructive }: Tool) {
  const { $schema: _, ...schema } = z.toJSONSchema(input(), { io: 'input' })
  return {
    name,
    description,
    inputSchema: schema as { type: 'object' },
    annotations: readOnly ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: destructive },
  }
}

async function call(
  offered: readonly Tool[],
  name: string,
  given: unknown,
  attachment: Attachment,
): Promise<ToolResult> {
  const failed = (text: string): ToolResult => ({ text, isError: true })
  const tool = offered.find((one) => one.name === name)
  if (tool === undefined) {
    const names = offered.map((one) => one.name)
    return failed(
      `Unknown tool ${JSON.stringify(name)}: ${didYouMean(name, names, `expected ${names.join(', ')}`)}`,
    )
  }
  const parsed = tool.input().safeParse(given)
  if (!parsed.success) {
    const lines = fieldErrors(parsed.error, given).map(
      ({ field, message }) => `${field || 'arguments'}: ${message}`,
    )
    return failed(`${lines.join('\n')}\nArguments of ${name}: ${Object.keys(tool.input().shape).join(', ')}`)
  }
  try {
    return await tool.run(parsed.data as never, attachment)
  } catch (error) {
    const isExpected =
      error instanceof CommandError || error instanceof ConfigError || error instanceof ScenarioError
    if (isExpected) return failed(error.message)
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return failed(`Internal error in gateway-sim, please report it: ${details}`)
  }
}
