/**
 * What is no request, or asks for what cannot be: each gets an envelope in words, and nothing of it a
 * link.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { middleware } from '../../src/express.ts'
import { get, simulator } from '../_setup.ts'
import { serve } from './_listen.ts'
import { exchange } from './_socket.ts'

const close = 'connection: close\r\n\r\n'
const key = 'authorization: Bearer sk-test\r\n'

interface Rejected {
  readonly status: number
  readonly error: { readonly type: string; readonly code: number; readonly message: string }
}

/** What came for some bytes: the status, and the error of the envelope. */
async function rejected(port: number, bytes: string): Promise<Rejected> {
  const raw = await exchange(port, bytes)
  const [head = '', body = ''] = raw.split('\r\n\r\n')
  const { error } = JSON.parse(body) as { error: Rejected['error'] }
  return { status: Number(head.slice(9, 12)), error }
}

describe('a request with an unacceptable header is rejected and journaled', () => {
  const heads: readonly (readonly [string, string, number, string])[] = [
    ['two hosts', `GET /v1/models HTTP/1.1\r\nhost: a\r\nHost: b\r\n${key}${close}`, 400, 'got several'],
    [
      'one host twice',
      `GET /v1/models HTTP/1.1\r\nhost: a\r\nhost: a\r\n${key}${close}`,
      400,
      'expected one header',
    ],
    ['no host', `GET /v1/models HTTP/1.1\r\n${key}${close}`, 400, 'host: expected the host of the URL'],
    [
      'a host that is none',
      `GET /v1/models HTTP/1.1\r\nhost: a"$&<b\r\n${key}${close}`,
      400,
      'got "a\\"$&<b"',
    ],
    ['a host with a path', `GET /v1/models HTTP/1.1\r\nhost: a/b\r\n${key}${close}`, 400, 'an optional port'],
    [
      'a port that is none',
      `GET /v1/models HTTP/1.1\r\nhost: a:b\r\n${key}${close}`,
      400,
      'an optional port',
    ],
    [
      'an expectation that nobody meets',
      `GET /v1/models HTTP/1.1\r\nhost: a\r\nexpect: tea\r\n${key}${close}`,
      417,
      'expect: expected 100-continue or no header, got "tea".',
    ],
    [
      'the same, with a body that is still to come',
      `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nexpect: tea\r\n${key}content-length: 10\r\n${close}`,
      417,
      'expect: expected 100-continue',
    ],
  ]

  it('for its host or its expectation', async () => {
    const { port, sim } = await serve()
    for (const [what, bytes, status, message] of heads) {
      expect(await rejected(port, bytes), what).toMatchObject({
        status,
        error: { type: 'invalid_request_error', code: status, message: expect.stringContaining(message) },
      })
      expect(sim.journal().at(-1), what).toMatchObject({
        response: { status: status },
        cause: { rejection: { type: 'invalid_request_error' } },
      })
    }
    expect(sim.journal()).toHaveLength(heads.length)
  })

  it('in the format of its API: as a problem by the control API', async () => {
    const { port } = await serve()
    const raw = await exchange(port, `GET /__sim/clock HTTP/1.1\r\nexpect: tea\r\n${close}`)
    expect(raw).toMatch(/^HTTP\/1\.1 400 .*application\/problem\+json.*"detail":"host: expected/s)
  })
})

describe('input that is not a request is rejected with an envelope, and the connection ends', () => {
  const talk: readonly (readonly [string, string, number, string, number])[] = [
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003', 400, 'not https://', 1],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'The request uses HTTP/2: expected HTTP/1.1', 1],
    [
      'an address without end',
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
      431,
      'longer than 16384 bytes',
      0,
    ],
    ['another version', 'GET / HTTP/9.1\r\nhost: a\r\n\r\n', 400, 'HPE_INVALID_VERSION', 0],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n', 405, 'the simulator is not a proxy', 0],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
      'HPE_INVALID_TRANSFER_ENCODING',
      0,
    ],
    [
      'a chunk with endless extensions',
      `POST /v1/videos HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\n`,
      413,
      'send chunks without extensions',
      0,
    ],
  ]

  it('and a client set up for another protocol causes one warning', async () => {
    const warnings: string[] = []
    const { port } = await serve({ onWarning: (warning) => warnings.push(warning) })
    for (const [what, bytes, status, message, expected] of talk) {
      warnings.length = 0
      for (let time = 0; time < 2; time++)
        expect(await rejected(port, bytes), what).toMatchObject({
          status,
          error: { type: 'invalid_request_error', code: status, message: expect.stringContaining(message) },
        })
      expect(warnings, what).toHaveLength(expected)
    }
  })

  it('an unsupported upgrade is ignored: the request gets its response', async () => {
    const { port } = await serve()
    const upgrade = 'host: a\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n'
    expect(await exchange(port, `GET /v1/models HTTP/1.1\r\n${upgrade}${key}\r\n`)).toMatch(
      /^HTTP\/1\.1 200 /,
    )
  })
})

describe('a link starts with', () => {
  const made = (head: string): string => `POST /__sim/sessions HTTP/${head}${close}`
  const baseUrl = (raw: string): string =>
    (JSON.parse(raw.split('\r\n\r\n')[1] as string) as { baseUrl: string }).baseUrl

  it.each([
    ['the requested host', '1.1\r\nhost: Sim.localhost:80\r\n', 'http://Sim.localhost:80/s/s1'],
    ['an IPv6 address', '1.1\r\nhost: [::1]:4010\r\n', 'http://[::1]:4010/s/s1'],
    ['the address of the server if a client names none', '1.0\r\n', 'http://127.0.0.1:PORT/s/s1'],
    ['the same for an empty host', '1.1\r\nhost:\r\n', 'http://127.0.0.1:PORT/s/s1'],
  ])('%s', async (_, head, expected) => {
    const { port } = await serve()
    expect(baseUrl(await exchange(port, made(head)))).toBe(expected.replace('PORT', String(port)))
  })

  it('only a valid host, behind Express and in-process too', async () => {
    const sim = simulator({ settings: { control: { hosts: ['a'] } } })
    const server = createServer(express().use('/gateway', middleware(sim))).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((ready) => server.once('listening', ready))
    const { port } = server.address() as AddressInfo
    const call = `GET /gateway/v1/models HTTP/1.1\r\nhost: a"b\r\n${key}${close}`
    expect(await rejected(port, call)).toMatchObject({ status: 400 })
    const inProcess = await sim.fetch('http://a"b/v1/models', {
      headers: { authorization: 'Bearer sk-test' },
    })
    expect([inProcess.status, await inProcess.json()]).toMatchObject([
      400,
      {
        error: { message: 'host: expected a host name or an IP address with an optional port, got "a\\"b".' },
      },
    ])
    expect((await get(sim, '/v1/models')).status).toBe(200)
  })
})
