/**
 * HAR files: what we write is read back the same, and what others write is understood or rejected in words.
 */

import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { asBody, bytesOf, textBody } from '../../src/exchange/exchange.ts'
import { HarError } from '../../src/exchange/har-error.ts'
import { readHar } from '../../src/exchange/read-har.ts'
import { harEntry } from '../../src/exchange/write-har.ts'
import { harText } from '../recording/_har.ts'

const exchange: Exchange = {
  seq: 0,
  source: 'calls.har, entry 1',
  at: Date.UTC(2026, 0, 31),
  firstByteAfter: 12.5,
  endedAfter: 30,
  request: {
    method: 'POST',
    url: 'https://gateway.test/v1/chat/completions?key=redacted',
    headers: [
      ['content-type', 'application/json'],
      ['x-twice', 'a'],
      ['x-twice', 'b'],
    ],
    body: textBody('{"a":"ü"}'),
  },
  response: {
    status: 200,
    headers: [['content-type', 'text/event-stream']],
    body: textBody('data: 1\n\ndata: 2\n\n'),
    chunks: [
      { at: 12.5, bytes: 9 },
      { at: 30, bytes: 9 },
    ],
  },
  ended: 'completed',
  key: 'key-1',
  session: 'shop',
  redacted: ['query:key', '/a', 'response:/b'],
}

/** A file of one entry, as another recorder could have written it. */
function foreign(entry: object): string {
  const request = { method: 'GET', url: 'https://gateway.test/v1/models', headers: [] }
  const response = { status: 200, headers: [], content: { size: 2, mimeType: '', text: '{}' } }
  const whole = { startedDateTime: '2026-01-31T12:00:00Z', time: 7, request, response, ...entry }
  return JSON.stringify({ log: { version: '1.2', entries: [whole] } })
}

const read = (entry: object): Exchange => readHar(foreign(entry), 'x.har')[0] as Exchange

describe('what we write', () => {
  it('is read back the same', () => {
    expect(readHar(harText([exchange], '1.0.0'), 'calls.har')).toEqual([exchange])
  })

  it('keeps bytes that are no text, a byte order mark, and a call without a response', () => {
    const binary = {
      ...exchange,
      response: { ...exchange.response, body: asBody(Uint8Array.of(0, 255, 128)), chunks: undefined },
    }
    const marked = { ...exchange, request: { ...exchange.request, body: textBody('\u{feff}x') } }
    const broken = { ...exchange, response: undefined, ended: 'disconnected' as const }
    const all = [binary, marked, broken].map((one, seq) => ({
      ...one,
      seq,
      source: `calls.har, entry ${seq + 1}`,
    }))
    expect(readHar(harText(all as Exchange[], '1.0.0'), 'calls.har')).toEqual(all)
  })

  it('loses the last entry alone if its recorder was killed within the write', () => {
    const whole = harText([exchange, exchange], '1.0.0')
    const torn = whole.slice(0, whole.lastIndexOf('"_ended"'))
    expect(readHar(torn, 'calls.har')).toEqual([exchange])
  })

  it('says that a body was lost', () => {
    const response = { status: 200, headers: [], body: { size: 1e9, isComplete: false } }
    const entry = harEntry({ ...exchange, response })
    const [again] = readHar(JSON.stringify({ log: { entries: [entry] } }), 'x.har')
    expect(again?.response).toEqual(response)
  })
})

describe('what others write', () => {
  it('has forms as lists of fields', () => {
    const params = [
      { name: 'model', value: 'sora' },
      { name: 'n', value: '2' },
    ]
    const postData = { mimeType: 'application/x-www-form-urlencoded', params, text: '' }
    const { request } = read({ request: { method: 'POST', url: 'http://a.test/', postData } })
    expect(request.body).toEqual(textBody('model=sora&n=2'))
  })

  it('has bodies in base64, or none at all', () => {
    const content = { size: 3, mimeType: 'image/png', text: 'AP+A', encoding: 'base64' }
    expect(bytesOf(read({ response: { status: 200, content } }).response?.body)).toEqual(
      Uint8Array.of(0, 255, 128),
    )
    expect(read({ response: { status: 200, content: { size: 9, mimeType: '' } } }).response).toMatchObject({
      body: { size: 9, isComplete: false },
    })
    expect(read({ response: { status: 204 } }).response?.body).toEqual({ size: 0, isComplete: true })
  })

  it('has pseudo headers, capital letters, decoded bodies, nulls and -1', () => {
    const headers = [
      { name: ':status', value: '200' },
      { name: 'Content-Encoding', value: 'gzip' },
      { name: 'Content-Length', value: '20' },
      { name: 'X-Request-Id', value: 'r' },
    ]
    const timings = { blocked: -1, dns: -1, connect: 30, send: 1, wait: 5, receive: -1 }
    const call = read({
      _key: null,
      timings,
      response: { status: 200, headers, bodySize: -1, content: { size: -1, text: '{}', encoding: null } },
    })
    expect(call.response?.headers).toEqual([['x-request-id', 'r']])
    expect(call).toMatchObject({ firstByteAfter: 6, endedAfter: 6, ended: 'completed', key: undefined })
  })

  it('has blocked calls with status 0, web sockets and data addresses', () => {
    expect(read({ response: { status: 0, _error: 'net::ERR_ABORTED' } })).toMatchObject({ ended: 'aborted' })
    expect(read({ response: { status: 0 } })).toMatchObject({ ended: 'disconnected', response: undefined })
    expect(read({ request: { method: 'GET', url: 'wss://a.test/' } })).toBeUndefined()
    expect(read({ request: { method: 'GET', url: 'data:,x' } })).toBeUndefined()
  })

  it('has keys, which get names that say nothing of them', () => {
    const headers = [{ name: 'Authorization', value: 'Bearer sk-secret' }]
    expect(read({ request: { method: 'GET', url: 'http://a.test/', headers } }).key).toBe('key-1')
  })
})

describe('what is no HAR is rejected with the place', () => {
  const request = { method: 'GET', url: 'http://a.test/' }
  const ofContent = (content: object) => ({ status: 200, content })
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  it.each<[string, string, RegExp]>([
    ['nothing', '', /^x\.har is not a HAR file, which must be JSON: the file is empty$/],
    ['an archive', 'PK\u0003\u0004', /ZIP archive\. Unpack the archive/],
    ['another text', 'hello', /is not a HAR file, which must be JSON: .*hello/],
    ['a list', '[]', /x\.har: expected an object, got an empty array/],
    ['a number', '{"log":7}', /log: expected an object, got 7/],
    ['no entries', '{"log":{}}', /log\.entries: is required: expected an array/],
    ['other entries', '{"log":{"entries":{"length":9}}}', /log\.entries: expected an array, got an object/],
    ['a deep entry', `{"log":{"entries":[${deep}]}}`, /entries\[0\]: expected an object, got an array/],
    ['no request', foreign({ request: null }), /entries\[0\]\.request: expected an object, got null/],
    ['no address', foreign({ request: { method: 'GET' } }), /request\.url: is required/],
    ['a relative address', foreign({ request: { method: 'GET', url: '/v1' } }), /absolute URL, got "\/v1"/],
    ['a strange method', foreign({ request: { ...request, method: 7 } }), /method: expected a string, got 7/],
    [
      'strange headers',
      foreign({ request: { ...request, headers: [7] } }),
      /headers\[0\]: expected an object/,
    ],
    ['a strange status', foreign({ response: { status: 'ok' } }), /status: expected .*, got "ok"/],
    ['a strange time', foreign({ startedDateTime: 'today' }), /expected a timestamp such as .*"today"/],
    ['false base64', foreign({ response: ofContent({ text: '%', encoding: 'base64' }) }), /base64/],
    ['a file', foreign({ response: ofContent({ _file: 'x' }) }), /the body is in the file "x"/],
    ['strange chunks', foreign({ response: ofContent({ _chunks: [[1]] }) }), /_chunks\[0\]/],
    ['an unknown end', foreign({ _ended: 'well' }), /_ended: expected one of .*, got "well"/],
  ])('%s', (_name, har, message) => {
    const reading = (): unknown => readHar(har, 'x.har')
    expect(reading).toThrow(HarError)
    expect(reading).toThrow(message)
  })
})
