/** What `gateway-sim replay` never prints. */
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { directoryWith, run } from './_io.ts'

describe('gateway-sim replay', () => {
  async function replayAgainst(listener: RequestListener, ...flags: string[]) {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const cwd = directoryWith({ 'a.yaml': 'title: Keys\nsteps:\n  - { call: models.list }\n' })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ended = await run(
      ['replay', 'a.yaml', '--base-url', url, '--report', 'json=trace.json', ...flags],
      {
        cwd,
      },
    )
    return { ...ended, trace: readFileSync(join(cwd, 'trace.json'), 'utf8') }
  }
  const json = { 'content-type': 'application/json' }

  it('sends the token only to a server that identifies itself as a simulator', async () => {
    const seen: unknown[] = []
    await replayAgainst(
      ({ headers }, response) => {
        seen.push(...Object.values(headers))
        response.writeHead(200, json).end('{"object":"list","data":[]}')
      },
      ...['--api-key', 'sk-x', '--control-token', 'a-token-of-mine'],
    )
    expect(seen).toContain('Bearer sk-x')
    expect(seen).not.toContain('a-token-of-mine')
  })

  it.each(['pretty', 'json'])(
    'never prints a real key, even if the server repeats it (--format %s)',
    async (reporter) => {
      const error = { type: 'authentication_error', code: 401, param: null, details: [], trace_id: 't' }
      const { code, stdout, stderr, trace } = await replayAgainst(
        ({ headers }, response) => {
          const message = `Who is ${headers.authorization}?`
          response.writeHead(401, json).end(JSON.stringify({ error: { ...error, message } }))
        },
        ...['--api-key', `sk-very-${'secret'.repeat(20)}`, '--format', reporter],
      )
      expect(code).toBe(1)
      for (const text of [stdout, trace]) expect(text).toMatch(/Bearer\s+(?:<|&lt;)key/)
      expect(stdout + stderr + trace).not.toContain('sk-very')
    },
  )
})
