/** Arbitraries of calls to the operations: valid ones, as they are or changed in one or more places. */
import fc from 'fast-check'
import type { Part } from '../hostile/_examples.ts'
import { formOf, rawParts } from '../hostile/_forms.ts'
import * as hostile from '../hostile/_inputs.ts'
import { changedJson, changedText, changedYaml } from './_mutations.ts'
import type { CallSeed, Seeds } from './_seeds.ts'

/** One request. Its texts may hold `«video_id»`: what an earlier response has named. */
export interface Call {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The bytes, one letter each. */
  readonly body?: string
}

/** Operations that draw cost hundreds of times as much as the others. */
const draws = /^(?:images\.\w+|imageJobs\.readImage|videos\.content|videoOperations\.(?:download|read)\w+)$/
/** Of the control API, what changes something matters more than what shows it. */
const shows = /^sim\.(?:health|ready|getClock|list\w+|clearOverrides|freezeClock|reset)$/

/** Calls to every operation, and scenarios that change what the later ones get. */
export function calls(seeds: Seeds): fc.Arbitrary<Call> {
  const operations = [...seeds.calls].map(([operation, list]) => ({
    weight: draws.test(operation) ? 1 : shows.test(operation) ? 4 : 20,
    arbitrary: fc.constantFrom(...list).chain((seed) => callTo(seeds, operation, seed)),
  }))
  return fc.oneof(...operations, { weight: 120, arbitrary: scenarios(seeds) })
}

interface Sent {
  readonly type: string
  readonly bytes: string
}

/** Two in five are left as they are: only a call that is answered makes what later ones start from. */
const perhaps = <T>(good: T, changed: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(good) }, { weight: 3, arbitrary: changed })

const seldom = <T>(chance: number, usual: T, changed: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 100 - chance, arbitrary: fc.constant(usual) }, { weight: chance, arbitrary: changed })

function callTo(seeds: Seeds, operation: string, seed: CallSeed): fc.Arbitrary<Call> {
  const { endpoint } = seed.route
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']
  return fc
    .record({
      method: seldom(3, endpoint.method as string, fc.constantFrom(...methods)),
      path: addresses(seed.path),
      sent: bodies(seeds, seed),
      odd: seldom(20, undefined, oddHeader),
    })
    .map(({ method, path, sent, odd }) => {
      const headers = new Map(Object.entries(seed.headers ?? {}))
      if (endpoint.upload === undefined) headers.set('authorization', 'Bearer sk-fuzz')
      if (operation.startsWith('messages.')) headers.set('anthropic-version', '2023-06-01')
      if (sent !== undefined) headers.set('content-type', sent.type)
      if (odd !== undefined) headers.set(...odd)
      const hasBody = sent !== undefined && method !== 'GET' && method !== 'HEAD'
      const call = { operation, method, path, headers: Object.fromEntries(headers) }
      return hasBody ? { ...call, body: sent.bytes } : call
    })
}

/** Text as its bytes in UTF-8, one letter each. */
const utf8 = (text: string): string => Buffer.from(text.toWellFormed(), 'utf8').toString('latin1')
const asJson = (text: string): Sent => ({ type: 'application/json', bytes: utf8(text) })

function bodies(seeds: Seeds, { json, form, raw }: CallSeed): fc.Arbitrary<Sent | undefined> {
  if (form !== undefined) return forms(form)
  if (raw !== undefined)
    return perhaps(raw.text, changedText(fc.constant(raw.text))).map((text) => ({
      type: raw.type,
      bytes: utf8(text),
    }))
  if (json === undefined) return seldom(5, undefined, fc.constantFrom('{}', '[]', 'null', '{').map(asJson))
  const value = seldom(
    10,
    json,
    fc.constantFrom(...seeds.words).map((word) => reserved(json, word)),
  )
  return fc
    .oneof(
      { weight: 2, arbitrary: value.map((one) => JSON.stringify(one)) },
      { weight: 3, arbitrary: changedJson(value, seeds.bodies) },
    )
    .map(asJson)
}

/** A body whose model or prompt asks for trouble by a reserved word. */
function reserved(json: unknown, word: string): unknown {
  const fields = json as Readonly<Record<string, unknown>>
  if (json === null || typeof json !== 'object') return json
  if ('prompt' in fields) return { ...fields, prompt: `a fox [sim:${word}]` }
  return 'model' in fields ? { ...fields, model: `sim-${word}` } : json
}

/** A form with parts left out, repeated, renamed and with other content; its bytes may change too. */
function forms(parts: readonly Part[]): fc.Arbitrary<Sent> {
  const part = fc.constantFrom(...parts)
  const other = fc
    .record({ part, name: seldom(50, '', fc.constantFrom(...hostile.words)), content: fc.uint8Array() })
    .map(({ part: good, name, content }): Part => {
      const changed = { ...good, name: name === '' ? good.name : name }
      return 'filename' in changed
        ? { ...changed, value: content }
        : { ...changed, value: Buffer.from(content).toString('latin1') }
    })
  const more = fc.array(fc.oneof(part, other), { maxLength: 20 }).map((added) => [...parts, ...added])
  const list = perhaps<readonly Part[]>(parts, fc.oneof(fc.subarray([...parts]), more))
  const boundary = seldom(5, 'X', fc.constantFrom('-', 'a b', '--', 'x'.repeat(71)))
  const whole = fc.tuple(list, boundary).chain(([chosen, mark]) => {
    const bytes = Buffer.from(formOf(rawParts(chosen), mark)).toString('latin1')
    const changed = changedText(fc.constant(bytes), ['\r\n', '--', mark, '"', '\0'])
    return fc.tuple(seldom(20, bytes, changed), fc.constant(mark))
  })
  return whole.map(([bytes, mark]) => ({
    type: `multipart/form-data; boundary=${mark}`,
    bytes: bytes.replaceAll(/[^\0-\xff]/g, '?'),
  }))
}

const queries = [
  'limit=0', 'limit=-1', 'limit=1e9', 'after=x', 'order=desc', '__proto__=1', 'variant=thumbnail', '%ff', 'alt=media', 'a=1&a=2',
  'q-sign-time=1;2',
] // biome-ignore format: a table

function addresses(path: string): fc.Arbitrary<string> {
  const ids = fc.constantFrom(...hostile.segments, '«id:1»', '«jobId:2»', '«session»')
  const sessions = fc.constantFrom('«session»', 's1', 's2', '', '__proto__', 'default', '%2f', 'x'.repeat(70))
  const changed = fc.oneof(
    ids.map((id) => path.replace(/«\w+»/, () => id)),
    changedText(fc.constant(path), ['/', '//', '%', '%25', '..', '?', '#', ';', 'é']),
    fc.constantFrom(...queries).map((query) => `${path}${path.includes('?') ? '&' : '?'}${query}`),
    sessions.map((session) => `/s/${session}${path}`),
  )
  return seldom(20, path, changed)
}

const oddHeaders: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['authorization', hostile.authorizations],
  ['content-type', hostile.contentTypes],
  ['x-sim-session', hostile.sessions],
  ['x-sim-explain', ['1', '0', 'x']],
  ['accept', ['text/event-stream', '*/*', 'image/webp', '']],
  ['accept-encoding', ['gzip', 'br;q=1', 'identity;q=0']],
  ['content-encoding', hostile.encodings],
  ['range', hostile.ranges],
  ...hostile.conditions,
  ['content-md5', ['AAAAAAAAAAAAAAAAAAAAAA==', 'x']],
  ['anthropic-version', ['', '2099-01-01', 'x']],
  ['anthropic-beta', ['a,b,,c', 'x'.repeat(300)]],
  ['origin', ['http://evil.example', 'null']],
  ['idempotency-key', ['a', 'x'.repeat(500)]],
  ['x-goog-api-key', ['k', '']],
  ['x-api-key', ['k', '']],
  ['x-forwarded-host', ['evil.example']],
  ['__proto__', ['x']],
  ['constructor', ['x']],
]

const oddHeader = fc
  .constantFrom(...oddHeaders)
  .chain(([name, values]) => fc.constantFrom(...values).map((value) => [name, value.trim()] as const))

/** Scenarios, loaded into the session or given to a new one. */
function scenarios({ scenarios: list }: Seeds): fc.Arbitrary<Call> {
  const post = (operation: string, path: string, json: string): Call => ({
    operation,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: utf8(json),
  })
  const texts = list.map(({ text }) => text)
  const values = list.map(({ value }) => value)
  const value = fc.constantFrom(...values)
  const text = fc.oneof(fc.constantFrom(...texts), { weight: 4, arbitrary: changedYaml(texts) })
  const json = fc.oneof(
    value.map((one) => JSON.stringify(one)),
    { weight: 4, arbitrary: changedJson(value, values) },
  )
  return fc.oneof(
    text.map((one) => post('sim.addScenario', '/__sim/scenarios', JSON.stringify({ text: one }))),
    json.map((one) => post('sim.addScenario', '/__sim/scenarios', one)),
    json.map((one) => post('sim.createSession', '/__sim/sessions', `{"scenarios":[${one}]}`)),
  )
}
