/**
 * What only a real process can show: signals, the exit code, the streams it was given. Needs `npm run build`.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, get, request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { manifest, requireBuild, root } from '../_built.ts'
import { bodyOf, jsonCall } from '../_setup.ts'
import { directoryWith, emptyDirectory, startProcess } from './_io.ts'

const bin = join(root, manifest.bin['gateway-sim'] as string)

beforeAll(requireBuild)

/** Starts the real thing and waits for its ready line. */
async function served(flags: readonly string[] = [], cwd = emptyDirectory()) {
  const running = startProcess(process.execPath, [bin, 'serve', '--port', '0', ...flags], { cwd })
  const { stdout, stderr } = running
  const ended = running.ended.then(({ code, signal }) => ({ code, signal }))
  const [url] = await Promise.race([
    stdout.until(/http:\/\/\S+(?=\n)/),
    ended.then((how) => Promise.reject(new Error(`serve ended: ${JSON.stringify(how)} ${stderr.text}`))),
  ])
  return { ...running, ended, url }
}

describe('gateway-sim serve as a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 on %s, despite a waiting stream, a half-sent request and an idle socket',
    async (signal) => {
      const { child, url, stdout, ended } = await served(['--clock', 'manual', '--quiet'])
      const agent = new Agent({ keepAlive: true })
      onTestFinished(() => agent.destroy())

      const idle = get(`${url}/__sim/health`, { agent })
      const [health] = (await once(idle, 'response')) as [{ statusCode: number; resume(): void }]
      health.resume()
      const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
      const stream = request(`${url}/v1/chat/completions`, { method: 'POST', headers })
      stream.end(JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] }))
      const [answer] = (await once(stream, 'response')) as [import('node:http').IncomingMessage]
      expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
      const broken = new Promise((resolve) =>
        answer
          .on('error', resolve)
          .on('end', () => resolve('ended as if it was whole'))
          .resume(),
      )
      const half = request(`${url}/v1/videos`, {
        method: 'POST',
        headers: { ...headers, 'content-length': 1000 },
      })
      const cut = once(half, 'error')
      half.write('{"model":')

      child.kill(signal)
      expect(await ended).toEqual({ code: 0, signal: null })
      expect(await broken).toBeInstanceOf(Error)
      await cut
      expect(stdout.text).toBe(`gateway-sim listening at ${url}\n`)
    },
  )

  it('reloads changed scenario files and ends on SIGTERM', async () => {
    const saying = (text: string) =>
      `title: a\nrules: [{ id: say, when: { operation: chat.create }, then: { text: ${text} } }]\n`
    const cwd = directoryWith({ 'a.yaml': saying('before') })
    const { child, url, stderr, stdout, ended } = await served(
      ['--scenario', 'a.yaml', '--watch', '--quiet'],
      cwd,
    )
    writeFileSync(join(cwd, 'a.yaml'), saying('after'))
    await stderr.until(/scenarios reloaded: 1 rule\n/)
    const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
    expect(await bodyOf(fetch(`${url}/v1/chat/completions`, jsonCall(hello)))).toMatchObject({
      choices: [{ message: { content: 'after' } }],
    })
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(stdout.text).toBe(`gateway-sim listening at ${url}\n`)
  })
})

describe('gateway-sim as a process', () => {
  it('ignores a reader that closes the pipe early', async () => {
    const { child, ended } = startProcess(process.execPath, [bin, 'openapi'])
    child.stdout.destroy()
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })
})
