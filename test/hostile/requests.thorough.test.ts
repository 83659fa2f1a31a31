/**
 * Requests that no client should send, through every door: of each a planned answer, and a simulator that
 * goes on answering. A request whose status is known says it.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from '../../src/index.ts'
import { runs, some } from '../_counts.ts'
import { type Integration, integrations } from '../_setup.ts'
import {
  examplesOf,
  type Given,
  pathOf,
  prepare,
  type Route,
  routeOf,
  statuses,
  validForms,
  validJson,
  welcome,
} from './_examples.ts'
import { type Bytes, bytesOf, field, file, formOf, hostileForms, multipart, rawParts } from './_forms.ts'
import * as hostile from './_inputs.ts'
import { type Answer, answerOf, judged, problemOf, stillAnswers, type Target, target } from './_judge.ts'

interface Sent {
  readonly path: string
  readonly what?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Bytes
  readonly status?: number
}

type Requests = (given: Given, sim: Target, door: Integration) => Iterable<Sent>

/** Under Express a path that no operation owns belongs to the app around us; its answer is not ours. */
const ofTheApp = (door: Integration, { status, type }: Answer): boolean =>
  door.name === 'Express' && status === 404 && type.includes('text/html')

/** Sends them one after the other, and a good call at the end. `strays`: paths that no operation may own. */
async function survive(
  door: Integration,
  make: Requests,
  strays = false,
  options?: SimulatorOptions,
): Promise<void> {
  const sim = target(options)
  const { fetch: call, url } = await door.open(sim)
  const problems: string[] = []
  for (const sent of make(await prepare(sim), sim, door)) {
    const { path, method = 'GET', headers = welcome, body, status } = sent
    const what = `${sent.what ?? ''} ${method.slice(0, 20)} ${path.slice(0, 120)}`
    const response = await call(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
    const answer = await answerOf(response)
    if (strays && ofTheApp(door, answer)) continue
    const problem =
      method === 'HEAD' && answer.text !== ''
        ? `${what} has the body ${answer.text}`
        : problemOf(answer, what)
    if (problem !== undefined) problems.push(problem)
    else if (status !== undefined && status !== answer.status)
      problems.push(`${what} → ${answer.status}, expected ${status}: ${answer.text.slice(0, 300)}`)
  }
  expect(problems.slice(0, 20), `${problems.length} in all`).toEqual([])
  await stillAnswers(call, url)
}

const json = { ...welcome, 'content-type': 'application/json' }
const paramsOf = ({ endpoint }: Route): readonly string[] => endpoint.path.match(/(?<=\{)\w+(?=\})/g) ?? []
/** A call to a route with parameters that exist, and some body where it takes one. */
const callTo = (route: Route, given: Given, params: Readonly<Record<string, string>> = {}): Sent => ({
  what: route.endpoint.operation,
  path: pathOf(route, given, params),
  method: route.endpoint.method,
  headers: json,
  ...(route.endpoint.accepts.length === 0 ? {} : { body: '{"prompt":"a"}' }),
})
const models = (headers: Readonly<Record<string, string>>, status?: number): Sent => ({
  path: '/v1/models',
  headers,
  what: JSON.stringify(headers).slice(0, 100),
  ...(status === undefined ? {} : { status }),
})

/** On paths that may belong to an app around the simulator. */
const onPaths: Readonly<Record<string, Requests>> = {
  *'ids of every kind in every path parameter'(given, sim) {
    const { video_id: video, jobId } = given
    const ids = [
      ...hostile.segments,
      ...['video_', `video_${'0'.repeat(32)}`, `video_${'f'.repeat(10_000)}`, jobId],
      ...['00000000-0000-4000-8000-000000000000', video.toUpperCase(), `${video}x`, video.slice(0, -1)],
      encodeURIComponent(`${video}\n`),
    ]
    const cases = sim.routes.flatMap((route) =>
      paramsOf(route).flatMap((name) => ids.map((id) => [route, name, id] as const)),
    )
    for (const [route, name, id] of some(cases)) yield callTo(route, given, { [name]: id })
  },
  *'session prefixes of every odd form'() {
    const rests = ['/v1/models', '', '/', '//v1/models', '/s/b/v1/models', '/__sim/clock']
    const names = [
      ...hostile.segments,
      ...[
        'a'.repeat(64),
        'a'.repeat(65),
        'a'.repeat(5000),
        's',
        'v1',
        '%61',
        'a%2Fb',
        '-',
        '_',
        'A.b-c_1',
        '%E2%80%AE',
      ],
    ]
    const cases = names.flatMap((name) => rests.map((rest) => `/s/${name}${rest}`))
    for (const path of some(cases)) yield { path }
    for (const [name, status] of [
      ['a'.repeat(64), 200],
      ['a'.repeat(65), 400],
      ['%61', 200],
      ['%ff', 400],
    ] as const)
      yield { path: `/s/${name}/v1/models`, status }
    for (const name of hostile.sessions) yield models({ ...welcome, 'x-sim-session': name })
  },
  *'methods of every kind on every path'(given, sim, door) {
    // What a `fetch` rejects to send is sent over sockets and in-process.
    const methods = [...hostile.methods, ...(door.name === 'fetch' ? hostile.unsendable : [])]
    const cases = sim.routes.flatMap((route) =>
      methods.map((method) => ({ path: pathOf(route, given), method })),
    )
    yield* some(cases)
  },
}

const onOperations: Readonly<Record<string, Requests>> = {
  *'ids of another session'(given, sim) {
    for (const route of sim.routes.filter(({ endpoint }) => endpoint.idsIn?.params !== undefined))
      yield { ...callTo(route, given), path: `/s/another${pathOf(route, given)}`, status: 404 }
  },
  *'authorization of every kind'() {
    const known: Readonly<Record<string, number>> = {
      '': 401,
      Bearer: 401,
      'Basic dTpw': 401,
      'bearer x': 200,
    }
    for (const authorization of hostile.authorizations) yield models({ authorization }, known[authorization])
    yield models({})
    yield models({ authorization: 'Bearer a', 'x-api-key': 'b' })
  },
  *'ranges and conditions of every kind on files'(given, sim) {
    const sent: readonly Readonly<Record<string, string>>[] = [
      ...hostile.ranges.map((range) => ({ range })),
      ...hostile.conditions.flatMap(([name, values]) =>
        values.map((value) => ({ range: 'bytes=0-5', [name]: value })),
      ),
    ]
    const cases = sim.routes
      .filter(({ endpoint }) => endpoint.method === 'GET')
      .flatMap((route) => sent.map((headers) => ({ path: pathOf(route, given), headers })))
    for (const { path, headers } of some(cases))
      yield { path, headers: { ...welcome, ...headers }, what: JSON.stringify(headers).slice(0, 100) }
  },
  *'the beginning of a valid body'(given, sim) {
    for (const { route, path, json: whole } of some(validJson(sim, given))) {
      const text = JSON.stringify(whole)
      const lengths = [0.01, 0.3, 0.7].map((share) => Math.ceil(text.length * share))
      for (const length of [...lengths, text.length - 1])
        yield { path, method: route.endpoint.method, headers: json, body: text.slice(0, length), status: 400 }
    }
  },
  *'forms that are wrong in every way'(given, sim) {
    for (const { route, path, parts } of validForms(sim, given))
      for (const [what, body, type = multipart] of some(hostileForms(parts))) {
        const headers = { ...welcome, 'content-type': type }
        yield { path, method: route.endpoint.method, headers, body: body(), what }
      }
  },
}

describe.each(integrations)('through $name', (door) => {
  it.each(Object.entries(onPaths))('survives %s', (_, make) => survive(door, make, true))
  it.each(Object.entries(onOperations))('survives %s', (_, make) => survive(door, make))

  it('survives bytes of any kind under any content type', async () => {
    const sim = target()
    const { fetch: call, url } = await door.open(sim)
    const given = await prepare(sim)
    const text = (letters: string): Uint8Array => new TextEncoder().encode(letters)
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 100 }).map(text),
      fc.json({ maxDepth: 3 }).map(text),
      fc.constantFrom(...hostile.brokenJson).map(text),
      fc.constantFrom(...hostile.brokenBytes).map((list) => Uint8Array.from(list)),
    )
    const property = fc.asyncProperty(
      fc.constantFrom(...sim.routes.map(({ endpoint }) => endpoint.operation)),
      fc.constantFrom(...hostile.contentTypes),
      bytes,
      async (operation, type, body) => {
        const route = routeOf(sim, operation)
        const { method } = route.endpoint
        const headers = { ...welcome, ...(type === '' ? {} : { 'content-type': type }) }
        const withBody = method === 'GET' ? {} : { body: body as Bytes }
        await judged(await call(`${url}${pathOf(route, given)}`, { method, headers, ...withBody }), operation)
      },
    )
    await fc.assert(property, runs(150))
    await stillAnswers(call, url)
  })

  it('survives files that only begin like images', async () => {
    const sim = target()
    const { fetch: call, url } = await door.open(sim)
    const rest = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(new Uint8Array(300), new Uint8Array(300).fill(255)),
    )
    const property = fc.asyncProperty(fc.constantFrom(...hostile.imageHeads), rest, async (head, behind) => {
      const what = bytesOf(Buffer.from(head, 'latin1'), behind)
      for (const [path, ...names] of [
        ['/v1/videos', 'input_reference'],
        ['/v1/images/edits', 'image'],
        ['/v1/images/edits', 'image', 'mask'],
      ] as const) {
        const body = formOf([field('prompt', 'a sunset'), ...names.map((name) => file(name, what))])
        const headers = { ...welcome, 'content-type': multipart }
        await judged(
          await call(`${url}${path}`, { method: 'POST', headers, body }),
          `${path} ${names.join()}`,
        )
      }
    })
    await fc.assert(property, runs(60))
    await stillAnswers(call, url)
  })
})

describe('the table of valid requests', () => {
  it('has one for each kind of body of each operation', () => {
    const missing = target().routes.flatMap(({ endpoint }) =>
      endpoint.accepts
        .filter((kind) => kind !== 'bytes' && !examplesOf(endpoint).some((one) => one[kind] !== undefined))
        .map((kind) => `${endpoint.operation}: give the endpoint an example of a ${kind} body`),
    )
    expect(missing).toEqual([])
  })

  it('holds requests that are answered as it says', () =>
    survive(integrations[0] as Integration, (given, sim) => [
      ...validForms(sim, given).map(({ route, path, parts }) => ({
        path,
        method: route.endpoint.method,
        headers: { ...welcome, 'content-type': multipart },
        body: formOf(rawParts(parts)),
        status: 200,
      })),
      ...validJson(sim, given).map(({ route, path, json: body }) => ({
        path,
        method: route.endpoint.method,
        headers: json,
        body: JSON.stringify(body),
        status: statuses[route.endpoint.operation] ?? 200,
      })),
    ]))
})
