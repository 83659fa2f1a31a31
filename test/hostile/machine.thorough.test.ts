/**
 * What a machine may do to the simulator: kill it, fill its disk, close its streams, leave it no descriptors,
 * set its clock. docs/ci/shared-server.md promises the same. Needs `npm run build`.
 */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { manifest, requireBuild, root } from '../_built.ts'
import { eventually } from '../_eventually.ts'
import { bodyOf, jsonCall, post, simulator } from '../_setup.ts'
import { directoryWith, emptyDirectory, startProcess } from '../cli/_io.ts'
import { ask, key, question, serve } from '../integrations/_listen.ts'
import { openSocket } from '../integrations/_socket.ts'

const bin = join(root, manifest.bin['gateway-sim'] as string)

beforeAll(requireBuild)

/** Runs a line of bash, in which `$SIM` is the command. */
function shell(line: string, cwd: string, detached = false) {
  const running = startProcess('bash', ['--norc', '-c', line], {
    cwd,
    detached,
    env: { SIM: `${process.execPath} ${bin}` },
  })
  return { ...running, ended: running.ended.then(({ code, stderr }) => ({ code, stderr })) }
}

async function served(flags = '', before = '', cwd = emptyDirectory()) {
  const running = shell(`${before} exec $SIM serve --port 0 --quiet ${flags}`, cwd)
  const [url] = await running.stdout.until(/http:\/\/\S+(?=\n)/)
  return { ...running, url, port: Number(new URL(url).port) }
}

describe('kill -9', () => {
  it('in the middle of a stream and of an upload: clients see it, and the next server has the port at once', async () => {
    const cwd = emptyDirectory()
    const { child, url, port, ended } = await served('--clock manual', '', cwd)
    const stream = await ask(url, { ...question, stream: true })
    const reading = stream.text()
    const upload = await openSocket(port)
    upload.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9000000\r\n\r\n{`,
    )
    const closed = new Promise((resolve) => upload.once('close', resolve))
    child.kill('SIGKILL')
    await expect(reading).rejects.toThrow()
    await closed
    await ended
    const next = shell(`exec $SIM serve --port ${port} --quiet`, cwd)
    await next.stdout.until(/listening/)
    expect((await ask(url)).status).toBe(200)
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('a disk that is full', () => {
  const old = { 'old.txt': 'old' }
  // As on a full disk, the first bytes may still fit.
  const full = `trap '' XFSZ; ulimit -f 0;`

  it.each([
    ['openapi --operation chat.create --json-schema --output old.txt', 2],
    ['exec --report json=old.txt -- true', 2],
    ['exec --report json=old.txt -- false', 2],
    [`replay ${join(root, 'scenarios', 'request-hangs.yaml')} --report json=old.txt`, 2],
  ])('%s: one line, its exit code, and the file as it was', async (command, code) => {
    const cwd = directoryWith(old)
    const { ended } = shell(`${full} exec $SIM ${command}`, cwd)
    const { code: given, stderr } = await ended
    expect({ given, stderr }).toMatchObject({
      given: code,
      stderr: expect.stringMatching(/cannot write \S+ \(EFBIG/),
    })
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(readFileSync(join(cwd, 'old.txt'), 'utf8')).toBe('old')
    expect(readdirSync(cwd)).toEqual(['old.txt'])
  })

  it('behind standard output: commands fail with one line, a server says it once and serves', async () => {
    const printed = await shell('exec $SIM openapi >/dev/full', emptyDirectory()).ended
    expect(printed).toEqual({
      code: 1,
      stderr: 'gateway-sim: cannot write to standard output (ENOSPC: no space left on device, write)\n',
    })
    const { child, stderr, ended } = shell('exec $SIM serve --port 0 >/dev/full', emptyDirectory())
    await stderr.until(/cannot write to standard output \(ENOSPC/)
    const [, url = ''] = await stderr.until(/Page: (\S+)\/__sim\/ui/)
    expect((await ask(url)).status).toBe(200)
    child.kill('SIGTERM')
    await ended
  })
})

describe('streams that are closed', () => {
  it('keep no server from serving with a log', async () => {
    const running = shell('exec $SIM serve --port 0', emptyDirectory())
    const [url] = await running.stdout.until(/http:\/\/\S+(?=\n)/)
    running.child.stdout?.destroy()
    running.child.stderr?.destroy()
    for (let call = 0; call < 20; call++) expect((await ask(url)).status).toBe(200)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })
})

describe('no file descriptors (ulimit -n 64)', () => {
  it('closes connections that come then, says so of calls that need a file, and serves when there are some again', async () => {
    const { url, port, child } = await served('', 'ulimit -n 64;')
    expect((await ask(url)).status).toBe(200)
    const sockets: Socket[] = await Promise.all(Array.from({ length: 150 }, () => openSocket(port)))
    await eventually(() => expect(sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(50))
    const kept = sockets.find(({ destroyed }) => !destroyed) as Socket
    const body = JSON.stringify({ model: 'gpt-image-1', prompt: 'a', size: '1024x1024' })
    const answer = once(kept, 'data')
    kept.write(
      `POST /v1/images/generations HTTP/1.1\r\nhost: a\r\n${Object.entries(key)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 503 /)
    for (const socket of sockets) socket.destroy()
    await eventually(async () => expect((await ask(url)).status).toBe(200))
    expect(child.exitCode).toBeNull()
  })
})

describe('two servers', () => {
  it('on one port: the second names it and ends with 4', async () => {
    const cwd = emptyDirectory()
    const { port } = await served('', '', cwd)
    const second = await shell(`exec $SIM serve --port ${port}`, cwd).ended
    expect(second).toEqual({
      code: 4,
      stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is not available (EADDRINUSE)`),
    })
  })
})

describe('a wall clock that is set', () => {
  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('%s by an hour, in the middle of a stream and of a job: both go on, and end once', async (_, jump) => {
    let off = 0
    const settings = {
      chat: { firstEventAfter: '50ms', eventInterval: '20ms' },
      videos: { duration: '300ms' },
    }
    const { url, sim } = await serve({ clock: 'real', wallClock: () => Date.now() + off, settings })
    const { id } = await bodyOf(fetch(`${url}/v1/videos`, jsonCall({ prompt: 'a cat' })))
    const response = await ask(url, { ...question, stream: true })
    off = jump
    const text = await response.text()
    const quiet = simulator({ clock: 'auto' })
    const expected = await post(quiet, '/v1/chat/completions', { ...question, stream: true })
    const said = (stream: string): string[] =>
      [...stream.matchAll(/"content":"([^"]*)"/g)].map(([, word]) => word as string)
    expect(said(text)).toEqual(said(await expected.text()))
    await eventually(async () => {
      expect((await bodyOf(fetch(`${url}/v1/videos/${id}`, { headers: key }))).status).toBe('completed')
    })
    expect(sim.warnings).toEqual([])
  })
})
