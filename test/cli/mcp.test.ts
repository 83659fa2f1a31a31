/** The tools of `gateway-sim mcp` as its clients see them. mcp.thorough.test.ts drives them over stdio. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { expect, it, onTestFinished } from 'vitest'
import { createTokens } from '../../src/behaviours/tokens/tokens.ts'
import type { Io } from '../../src/cli/command.ts'
import { Attachment } from '../../src/cli/mcp/attachment.ts'
import { createMcpServer } from '../../src/cli/mcp/serve-mcp.ts'
import { tokenTable } from '../../src/http/token-table.ts'

const flags = { baseUrl: 'http://127.0.0.1:1', controlPrefix: '/__sim', timeout: undefined }

async function connected(): Promise<Client> {
  const io = { cwd: '/', env: {}, stderr: { write() {} } } as unknown as Io
  const attachment = new Attachment(flags as never, io)
  const [near, far] = InMemoryTransport.createLinkedPair()
  await createMcpServer(attachment).connect(far)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  onTestFinished(() => client.close())
  return client
}

it('are at most ten, and cost at most 2,000 tokens of context with the instructions', async () => {
  const client = await connected()
  const { tools } = await client.listTools()
  const tokens = createTokens(await tokenTable())
  const text = JSON.stringify(tools) + client.getInstructions()
  expect(tools.length).toBeLessThanOrEqual(10)
  expect(tokens.count(text)).toBeGreaterThan(500)
  expect(tokens.count(text)).toBeLessThanOrEqual(2000)
})

it('say what reads and what destroys', async () => {
  const { tools } = await (await connected()).listTools()
  const named = (hint: 'readOnlyHint' | 'destructiveHint'): string[] =>
    tools.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name)
  expect(named('readOnlyHint')).toEqual([
    'list_requests',
    'explain_request',
    'explain_miss',
    'verify',
    'check_recording',
  ])
  expect(named('destructiveHint')).toEqual(['start', 'reset'])
  expect(tools.filter(({ annotations }) => annotations?.destructiveHint === false).length).toBe(3)
})

it('reject arguments with the field and the remedy', async () => {
  const client = await connected()
  const rejected = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    return [isError, (content as { text: string }[])[0]?.text]
  }
  expect(await rejected('list_request', {})).toEqual([
    true,
    'Unknown tool "list_request": did you mean list_requests?',
  ])
  expect(await rejected('clock', { by: 10 })).toEqual([
    true,
    'by: expected a duration such as 10s, got 10\nArguments of clock: by, to',
  ])
  expect(await rejected('clock', { advance: '10s' })).toEqual([
    true,
    'advance: is not a field of this request: remove it\nArguments of clock: by, to',
  ])
  expect(await rejected('verify', {})).toEqual([
    true,
    'No simulator responds at http://127.0.0.1:1 (bad port): call start',
  ])
})
