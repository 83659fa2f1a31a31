/** What the tools of `gateway-sim mcp` advise about a stream that waits. Its transcript has the rest. */
import { expect, it } from 'vitest'
import { jsonCall } from '../_setup.ts'
import { run, serve } from './_io.ts'
import { callTool, connected } from './_mcp.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }

const chat = (url: string, more: object = {}, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, { ...jsonCall({ ...hello, ...more }), ...(signal && { signal }) })

it('a stream that waits for the manual clock is explained with the advance that ends it', async () => {
  const { url } = await serve(['--clock', 'manual'])
  const client = await connected(url, '/')
  const call = (name: string, given?: object) => callTool(client, name, given)
  const stop = new AbortController()
  const response = chat(url, { stream: true }, stop.signal)
  await expect.poll(() => call('list_requests')).toMatch(/^0 /)
  const open = await call('explain_request', { id: 0 })
  const [, wait = ''] = /the response ends (\S+) after the request\./.exec(open) ?? []
  expect(open).toContain('The response waits for the virtual clock')
  expect(open).toContain(`Call clock {"by":"${wait}"} while the client waits`)
  expect(await call('explain_request', { id: 0, bodies: true })).toContain('Call clock {"by":')
  expect((await run(['journal', '0', '--base-url', url])).stdout).toContain(
    `Run \`gateway-sim control clock.advance ${wait}\` while the client waits, or start the server with \`--clock auto\`.`,
  )
  stop.abort()
  await expect(response.then((one) => one.text())).rejects.toThrow('aborted')
  const left = (): Promise<string> => call('explain_request', { id: 0 })
  await expect.poll(left).toContain('The response was waiting for the virtual clock')

  const second = chat(url, { stream: true })
  await expect.poll(() => call('list_requests')).toMatch(/^1 /m)
  await call('clock', { by: wait })
  expect(await (await second).text()).toContain('[DONE]')
  expect(await call('explain_request', { id: 1 })).not.toContain('virtual clock')
})
