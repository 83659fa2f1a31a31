/** `gateway-sim ready`: what a script waits for. */
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { manifest, requireBuild, root, runNode } from '../_built.ts'
import { directoryWith, emptyDirectory, run, serve, start, startProcess } from './_io.ts'

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

/** An address where nothing listens any more. */
async function nobody(): Promise<string> {
  const { url, stop, code } = await serve()
  stop()
  await code
  return url
}

describe('gateway-sim ready', () => {
  it('ends with 0 and prints the URL when the server answers, in any spelling of the URL', async () => {
    const { url } = await serve()
    for (const written of [url, `${url}/`, `${url}/v1`, `${url}/s/red`, `${url}/s/red/v1/`]) {
      expect(await run(['ready', '--base-url', written])).toEqual({
        code: 0,
        stdout: `gateway-sim is ready at ${written.replace(/\/$/, '').replace(/\/v1$/, '')}\n`,
        stderr: '',
      })
    }
  })

  it('takes the URL from GATEWAY_SIM_URL; --base-url overrides it', async () => {
    const [{ url }, gone] = [await serve(), await nobody()]
    expect(await run(['ready'], { env: { GATEWAY_SIM_URL: url } })).toMatchObject({ code: 0 })
    expect(await run(['ready', '--base-url', url], { env: { GATEWAY_SIM_URL: gone } })).toMatchObject({
      code: 0,
    })
    expect(await run(['ready', '--base-url', gone], { env: { GATEWAY_SIM_URL: url } })).toMatchObject({
      code: 1,
    })
  })

  it('takes the URL from the ready file of serve', async () => {
    const cwd = emptyDirectory()
    const { url } = await serve(['--ready-file', 'ready.json'], { cwd })
    expect(await run(['ready', '--ready-file', 'ready.json'], { cwd })).toEqual({
      code: 0,
      stdout: `gateway-sim is ready at ${url}\n`,
      stderr: '',
    })
  })

  it('tries once without --wait, and ends with 1 and the reason', async () => {
    const gone = await nobody()
    const cwd = directoryWith({ 'broken.json': '{ "url": ', 'stale.json': JSON.stringify({ url: gone }) })
    for (const [flag, value, saw] of [
      ['--base-url', gone, `${gone} cannot be reached (ECONNREFUSED)`],
      ['--ready-file', 'none.json', 'none.json: file not found'],
      ['--ready-file', 'broken.json', 'broken.json is not a ready file: expected JSON with a URL in `url`'],
      ['--ready-file', 'stale.json', `${gone} cannot be reached (ECONNREFUSED)`],
    ] as const)
      expect(await run(['ready', flag, value], { cwd })).toEqual({
        code: 1,
        stdout: '',
        stderr: `gateway-sim: not ready: ${saw}\n`,
      })
  })

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
    const cwd = emptyDirectory()
    let asked = 0
    const url = await other((_request, response) =>
      response.writeHead(++asked < 3 ? 503 : 200).end('{"ready":true}'),
    )
    const { code, stdout, stderr } = start(['ready', '--wait', '--ready-file', 'ready.json'], { cwd })
    writeFileSync(join(cwd, 'ready.json'), JSON.stringify({ url }))
    expect(await code).toBe(0)
    expect({ asked, stdout: stdout.text, stderr: stderr.text }).toEqual({
      asked: 3,
      stdout: `gateway-sim is ready at ${url}\n`,
      stderr: '',
    })
  })

  it('ends with 1 at the timeout, with the last reason', async () => {
    const gone = await nobody()
    expect(await run(['ready', '--wait', '--timeout', '150ms', '--base-url', gone])).toEqual({
      code: 1,
      stdout: '',
      stderr: `gateway-sim: not ready after 150ms: ${gone} cannot be reached (ECONNREFUSED)\n`,
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

  it('shows its progress on a terminal, on a line that it clears', async () => {
    const gone = await nobody()
    const { stderr } = await run(['ready', '--wait', '--timeout', '250ms', '--base-url', gone], {
      terminal: true,
    })
    expect(stderr).toMatch(
      /^(?:\r\u001b\[Kwaiting: .* cannot be reached \(ECONNREFUSED\))+\r\u001b\[Kgateway-sim: not ready after 250ms: .*\n$/,
    )
  })
})

describe('wrong usage of gateway-sim ready', () => {
  it('names the variable that is not a URL', async () => {
    expect(await run(['ready'], { env: { GATEWAY_SIM_URL: 'nowhere' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('GATEWAY_SIM_URL: expected a URL'),
    })
  })
})

describe('gateway-sim ready as a process', () => {
  beforeAll(requireBuild)

  it('ends with its exit code', async () => {
    const bin = join(root, manifest.bin['gateway-sim'] as string)
    const { url } = await serve()
    expect(await runNode([bin, 'ready', '--wait', '--base-url', url], emptyDirectory())).toEqual({
      code: 0,
      stdout: `gateway-sim is ready at ${url}\n`,
      stderr: '',
    })
    const draining = startProcess(process.execPath, [bin, 'serve', '--port', '0', '--drain', '10m'])
    const [, drained = ''] = await draining.stdout.until(/(http:\S+)\n/)
    draining.child.kill('SIGTERM')
    await draining.stderr.until(/gateway-sim: draining for 10m; a second signal stops the server at once\n/)
    expect(await runNode([bin, 'ready', '--base-url', drained], emptyDirectory())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${drained} responded: The server is draining`) as string,
    })
    expect(await runNode([bin, 'ready', '--base-url', await nobody()], emptyDirectory())).toMatchObject({
      code: 1,
      stdout: '',
    })
  })
})
