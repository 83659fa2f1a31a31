/** `gateway-sim ready`: what a script waits for. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run, start } from './_io.ts'

/** A server that is no simulator. */
async function other(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('gateway-sim ready', () => {
  it.each([
    ['404', 404, '{}'],
    ['other JSON', 200, '{"ready":"fine"}'],
    ['not JSON', 200, '<html>'],
    ['null', 200, 'null'],
  ])('does not mistake another server for a simulator: %s', async (_, status, body) => {
    const url = await other((_request, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body),
    )
    expect(await run(['ready', '--base-url', url])).toMatchObject({
      code: 1,
      stderr: `gateway-sim: not ready: ${url} responded to GET /__sim/ready with ${status}: not a gateway-sim server, or its control API is off\n`,
    })
  })
})

describe('gateway-sim ready --wait', () => {
  it('polls until the server answers', async () => {
    let asked = 0
    const url = await other((_request, response) =>
      response.writeHead(++asked < 3 ? 503 : 200).end('{"ready":true}'),
    )
    const { code, stdout, stderr } = start(['ready', '--wait', '--base-url', url])
    expect(await code).toBe(0)
    expect({ asked, stdout: stdout.text, stderr: stderr.text }).toEqual({
      asked: 3,
      stdout: `gateway-sim is ready at ${url}\n`,
      stderr: '',
    })
  })

  it('applies the timeout to a silent server', async () => {
    const url = await other(() => {})
    const { code, stderr } = await run(['ready', '--wait', '--timeout', '150ms', '--base-url', url])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^gateway-sim: not ready after 150ms: .* did not respond within \d+ms\n$/,
      ),
    })
  })
})
