/** A client of the tools of `gateway-sim mcp`, in this process. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { onTestFinished } from 'vitest'
import type { Io } from '../../src/cli/command.ts'
import { Attachment } from '../../src/cli/mcp/attachment.ts'
import { createMcpServer } from '../../src/cli/mcp/mcp.ts'
import type { Tool } from '../../src/cli/mcp/tool.ts'

export async function connected(baseUrl: string, cwd: string, tools?: readonly Tool[]): Promise<Client> {
  const io = { cwd, env: {}, stderr: { write() {} } } as unknown as Io
  const args = { baseUrl, controlPrefix: '/__sim', timeout: undefined }
  const [near, far] = InMemoryTransport.createLinkedPair()
  await createMcpServer(new Attachment(args as never, io), tools).connect(far)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(near)
  onTestFinished(() => client.close())
  return client
}

/** Calls a tool: its text, after `error: ` if it failed. */
export async function callTool(client: Client, name: string, given: object = {}): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: { ...given } })
  return `${isError === true ? 'error: ' : ''}${(content as { text: string }[])[0]?.text}`
}
