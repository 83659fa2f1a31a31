/** The recording proxy under load, when either side breaks off, when it is killed, and on a full disk. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bytesOf } from '../../src/exchange/exchange.ts'
import { eventually } from '../_eventually.ts'
import {
  bodyOf,
  everythingIn,
  gateway,
  proxyTo,
  rawConnection,
  readFolder,
  temporaryFolder,
} from './_proxy.ts'

/** Something that happens once. */
function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve: () => resolve() }
}

const text = (body: Uint8Array | undefined): string => new TextDecoder().decode(body)

describe('a stream of a million bytes', () => {
  it.each(['text/event-stream', 'application/octet-stream'])(
    'of %s passes each chunk before the next is sent',
    async (type) => {
      let outgoing: ServerResponse | undefined
      const begun = signal()
      const { url } = await gateway((_request, given) => {
        outgoing = given
        given.writeHead(200, { 'content-type': type })
        given.flushHeaders()
        begun.resolve()
      })
      const proxy = await proxyTo(url)
      const response = await fetch(proxy.url)
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      await begun.promise
      const chunk = Buffer.alloc(10_000, 'x')
      const order: string[] = []
      for (let sent = 0; sent < 100; sent++) {
        order.push(`sent ${sent}`)
        outgoing?.write(chunk)
        for (let got = 0; got < chunk.length; ) got += (await reader.read()).value?.length ?? Number.NaN
        order.push(`got ${sent}`)
      }
      outgoing?.end()
      expect((await reader.read()).done).toBe(true)
      expect(order).toHaveLength(200)
      const [call] = await proxy.recorded()
      expect(bytesOf(call?.response?.body)).toHaveLength(1_000_000)
      expect(call?.response?.chunks?.length).toBeGreaterThanOrEqual(100)
      expect(call?.ended).toBe('completed')
    },
  )

  it('waits for a client that does not read, and holds little of it', async () => {
    let written = 0
    const { url } = await gateway((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' })
      const more = (): void => {
        while (written < 400e6) {
          written += 100_000
          if (!response.write(Buffer.alloc(100_000))) return
        }
        response.end()
      }
      response.on('drain', more)
      more()
    })
    const proxy = await proxyTo(url, { maxBodyBytes: 100_000 })
    const { socket } = rawConnection(proxy.url)
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    // It stands still when the buffers of the sockets are full.
    let before = -1
    await eventually(() => {
      const stands = written > 0 && written === before
      before = written
      expect(stands).toBe(true)
    })
    expect(written).toBeLessThan(60e6)
    socket.destroy()
    const [call] = await proxy.recorded()
    expect(call).toMatchObject({ ended: 'aborted', response: { body: { isComplete: false } } })
  })
})

it('two hundred streams at a time', async () => {
  const waiting: (() => void)[] = []
  const { url } = await gateway((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${request.url} 1\n\n`)
    waiting.push(() => response.end(`data: ${request.url} 2\n\n`))
    if (waiting.length === 200) for (const end of waiting) end()
  })
  const proxy = await proxyTo(url)
  const texts = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => {
      const headers = { authorization: `Bearer sk-key-number-${at % 7}` }
      return (await fetch(`${proxy.url}/${at}`, { headers })).text()
    }),
  )
  expect(texts).toEqual(Array.from({ length: 200 }, (_, at) => `data: /${at} 1\n\ndata: /${at} 2\n\n`))
  const calls = await proxy.recorded()
  expect(
    new Set(
      calls.map(
        ({ request, response }) => `${new URL(request.url).pathname}${text(bytesOf(response?.body))}`,
      ),
    ).size,
  ).toBe(200)
  expect(new Set(calls.map(({ key }) => key)).size).toBe(7)
  expect(everythingIn(proxy.folder)).not.toContain('sk-key-number')
})

describe('breaking off', () => {
  const request = 'POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n'

  it.each([
    ['in the head', request.slice(0, 20), false],
    ['before the body', request, true],
    ['in the body', `${request}12345`, true],
    ['while it waits for the response', `${request}1234567890`, true],
  ])('of the client, %s, reaches the gateway', async (_name, bytes, arrives) => {
    const gone = signal()
    const arrived = signal()
    const { url } = await gateway((incoming, response) => {
      incoming.resume()
      arrived.resolve()
      response.on('close', gone.resolve)
    })
    const proxy = await proxyTo(url)
    const { socket } = rawConnection(proxy.url)
    socket.write(bytes)
    if (!arrives) {
      await new Promise<void>((resolve) => socket.end(resolve))
      expect(await proxy.recorded()).toEqual([])
      return
    }
    await arrived.promise
    socket.destroy()
    await gone.promise
    const call = await proxy.next()
    expect(call).toMatchObject({ ended: 'aborted', response: undefined })
    expect(bytes.endsWith(text(bytesOf(call.request.body)))).toBe(true)
  })

  it('of the client, in the response, reaches the gateway', async () => {
    const gone = signal()
    const { url } = await gateway((_request, response) => {
      response.write('data: 1\n\n')
      response.on('close', gone.resolve)
    })
    const proxy = await proxyTo(url)
    const { socket, until } = rawConnection(proxy.url)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(/data: 1/)
    socket.destroy()
    await gone.promise
    const call = await proxy.next()
    expect([call.ended, text(bytesOf(call.response?.body))]).toEqual(['aborted', 'data: 1\n\n'])
  })

  it('of the client, with calls in a row on one connection, ends each of them', async () => {
    const arrived = [signal(), signal()]
    const { url } = await gateway((incoming) => arrived[Number(incoming.url?.slice(1))]?.resolve())
    const proxy = await proxyTo(url)
    const { socket } = rawConnection(proxy.url)
    socket.write('GET /0 HTTP/1.1\r\nHost: x\r\n\r\nGET /1 HTTP/1.1\r\nHost: x\r\n\r\n')
    await Promise.all(arrived.map(({ promise }) => promise))
    socket.destroy()
    expect((await proxy.recorded()).map(({ ended }) => ended)).toEqual(['aborted', 'aborted'])
  })

  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n'
  const length = 'Content-Length: 9\r\n\r\n'
  it.each([
    ['before the status line', '', false],
    ['in the status line', 'HTTP/1.1 2', false],
    ['in the headers', head, false],
    ['to speak something else', 'HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', false],
    ['behind the headers', `${head}${length}`, true],
    ['in a body of known length', `${head}${length}1234`, true],
    ['in a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n9\r\n1234`, true],
    ['between chunks', `${head}Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n`, true],
    ['in JSON that is held', `${head.replace('text/plain', 'application/json')}${length}1234`, true],
  ])('of the gateway, %s, reaches the client', async (_name, bytes, hasStatus) => {
    const { url, server } = await gateway(() => {})
    server.removeAllListeners('connection')
    server.on('connection', (socket) => {
      socket.once('data', () => socket.end(bytes))
      socket.on('error', () => {})
    })
    const proxy = await proxyTo(url)
    const { socket, closed } = rawConnection(proxy.url)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const received = await closed
    if (hasStatus) {
      expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(received.includes('1234')).toBe(bytes.includes('1234'))
      expect(received).not.toMatch(/\r\n0\r\n\r\n$/)
    } else expect(received).not.toMatch(/ 200 /)
    const call = await proxy.next()
    expect(call).toMatchObject({ ended: 'disconnected' })
    expect(call.response === undefined).toBe(!hasStatus)
    if (hasStatus) expect(text(bytesOf(call.response?.body))).toBe(bytes.includes('1234') ? '1234' : '')
  })
})

describe('a process that is killed', () => {
  it('leaves valid files that lack the call under way alone', async () => {
    const streams: ServerResponse[] = []
    const { url } = await gateway(async (request, response) => {
      await bodyOf(request)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${request.url}\n\n`)
      if (request.url === '/stays') streams.push(response)
      else response.end()
    })
    const folder = temporaryFolder()
    for (const run of [1, 2]) {
      const { address, child } = await startProcess(url, folder)
      for (let at = 0; at < 30; at++)
        await (await fetch(`${address}/${run}-${at}`, { method: 'POST', body: 'x'.repeat(at * 3000) })).text()
      // The last file that was written holds all: now nothing but the stream is under way.
      await eventually(() => expect(readFolder(folder)).toHaveLength(run * 30))
      const under = await fetch(`${address}/stays`)
      const reader = (under.body as ReadableStream<Uint8Array>).getReader()
      await reader.read()
      child.kill('SIGKILL')
      await once(child, 'exit')
      await reader.read().catch(() => {})
      expect(readFolder(folder)).toHaveLength(run * 30)
    }
    expect(existsSync(join(folder, 'no-key.2.har'))).toBe(true)
  })

  it('at any moment leaves what can be read', async () => {
    const { url } = await gateway((_request, response) => response.end('x'.repeat(60_000)))
    for (let round = 0; round < 5; round++) {
      const folder = temporaryFolder()
      const { address, child } = await startProcess(url, folder)
      const calls = Array.from({ length: 200 }, () =>
        fetch(address)
          .then((response) => response.text())
          .catch(() => 'broken off'),
      )
      await Promise.race(calls.slice(round * 40, round * 40 + 1))
      child.kill('SIGKILL')
      await once(child, 'exit')
      await Promise.allSettled(calls)
      for (const call of readFolder(folder, true)) expect(bytesOf(call.response?.body)).toHaveLength(60_000)
    }
  })
})

it('a disk that takes nothing warns once, and everything passes on', async () => {
  const { url } = await gateway((_request, response) => response.end('ok'))
  const folder = join(temporaryFolder(), 'file')
  writeFileSync(folder, '')
  const proxy = await proxyTo(url, { folder })
  for (const _ of [1, 2, 3]) expect(await (await fetch(proxy.url)).text()).toBe('ok')
  await proxy.close()
  expect(proxy.warnings).toEqual([
    expect.stringMatching(/^cannot write to .*(?:ENOTDIR|EEXIST).* but not recorded/),
  ])
  expect(readFileSync(folder, 'utf8')).toBe('')
})

/** The command itself, as built. */
async function startProcess(
  upstream: string,
  folder: string,
): Promise<{ address: string; child: ChildProcess }> {
  const argv = ['record', '--base-url', upstream, '--output', folder, '--quiet']
  const child = spawn(process.execPath, ['bin/gateway-sim.js', ...argv])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { address: / at (\S+)\n/.exec(String(line))?.[1] as string, child }
}
