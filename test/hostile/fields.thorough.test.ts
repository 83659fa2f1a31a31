import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { some } from '../_counts.ts'
import { simulator } from '../_setup.ts'
import { examplesOf, prepare, validJson, welcome } from './_examples.ts'
import {
  listsOf,
  nested,
  objectsOf,
  type Path,
  placesOf,
  valueAt,
  withMembers,
  without,
  withRaw,
  wrongValues,
} from './_json.ts'
import { answerOf, problemOf, stillAnswers, target } from './_judge.ts'

const headers = { ...welcome, 'content-type': 'application/json' }
const operations = simulator()
  .routes.filter(({ endpoint }) => endpoint.accepts.includes('json'))
  .map(({ endpoint }) => endpoint.operation)

describe('the table of valid requests', () => {
  it('has one for each kind of body of each operation', () => {
    const missing = simulator().routes.flatMap(({ endpoint }) =>
      endpoint.accepts
        .filter(
          (kind) => kind !== 'bytes' && !examplesOf(endpoint).some((example) => example[kind] !== undefined),
        )
        .map(
          (kind) =>
            `${endpoint.operation}: give the endpoint an example, or add a valid ${kind} body to test/hostile/_examples.ts`,
        ),
    )
    expect(missing).toEqual([])
  })

  it('holds requests that are answered as the table says', async () => {
    const sim = target()
    for (const { route, path, json, status } of validJson(sim, await prepare(sim))) {
      const response = await sim.fetch(`http://gateway.test${path}`, {
        method: route.endpoint.method,
        headers,
        body: JSON.stringify(json),
      })
      expect(
        response.status,
        `${route.endpoint.operation} → ${response.status} ${await response.clone().text()}`,
      ).toBe(status)
    }
  })
})

it('a scenario of the library with a wrong value anywhere is planned', { timeout: 300_000 }, async () => {
  const sim = target()
  const problems: string[] = []
  const done = new Set<string>()
  const post = (path: string, body?: string) =>
    sim.fetch(`http://gateway.test/__sim/${path}`, { method: 'POST', headers, ...(body && { body }) })
  for (const name of readdirSync('scenarios').filter((file) => file.endsWith('.yaml'))) {
    const scenario: unknown = parse(readFileSync(`scenarios/${name}`, 'utf8'))
    for (const place of placesOf(scenario)) {
      const shape = show(place).replaceAll(/\b\d+\b/g, '0')
      if (done.has(shape)) continue
      done.add(shape)
      for (const raw of [wrongValues['methods'], wrongValues['null']] as string[]) {
        const answer = await answerOf(await post('scenarios', withRaw(scenario, place, raw)))
        const problem = problemOf(answer, `${raw} at ${show(place)} of ${name}`)
        if (problem !== undefined) problems.push(problem)
      }
      await post('reset')
    }
  }
  expect(done.size).toBeGreaterThan(500)
  expect(problems).toEqual([])
})

const show = (place: Path): string => (place.length === 0 ? 'the body' : place.join('.'))

describe.each(operations)('%s', (operation) => {
  type Texts = (
    json: unknown,
    fresh: (places: readonly Path[]) => Path[],
  ) => Iterable<readonly [what: string, text: () => string]>

  /**
   * Sends texts made from each valid body of the operation, and a good call at the end. `fresh` leaves out
   * places that an earlier body had too.
   */
  async function send(texts: Texts): Promise<void> {
    const sim = target()
    const valid = validJson(sim, await prepare(sim)).filter(
      ({ route }) => route.endpoint.operation === operation,
    )
    expect(valid).not.toEqual([])
    const problems: string[] = []
    const done = new Set<string>()
    for (const { route, path, json } of valid) {
      const fresh = (places: readonly Path[]): Path[] => places.filter((place) => !done.has(show(place)))
      for (const [what, text] of some(texts(json, fresh))) {
        const response = await sim.fetch(`http://gateway.test${path}`, {
          method: route.endpoint.method,
          headers,
          body: text(),
        })
        const problem = problemOf(await answerOf(response), what)
        if (problem !== undefined) problems.push(problem)
      }
      for (const place of placesOf(json)) done.add(show(place))
    }
    expect(problems.slice(0, 20), `${problems.length} in all`).toEqual([])
    // An override may apply to every call.
    sim.overrides.clear()
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  }

  it('survives every wrong value at every place', () =>
    send(function* (json, fresh) {
      for (const place of fresh(placesOf(json)))
        for (const [what, raw] of Object.entries(wrongValues))
          yield [`${what} at ${show(place)}`, () => withRaw(json, place, raw)]
    }))

  it('survives every field left out, and fields too many', () =>
    send(function* (json, fresh) {
      for (const place of fresh(placesOf(json)))
        if (place.length > 0) yield [`no ${show(place)}`, () => without(json, place)]
      const extra = [
        '"unknown":1',
        '"":null',
        '"__proto__":{"polluted":true}',
        '"__proto__":null',
        '"constructor":{"prototype":{"polluted":true}}',
        '"prototype":[]',
        '"\\ud800":"\\udfff"',
        '"toString":"a","valueOf":{},"toJSON":1',
        `"${'k'.repeat(100_000)}":1`,
      ]
      const many = Array.from({ length: 10_000 }, (_, index) => `"k${index}":${index}`).join(',')
      for (const place of fresh(objectsOf(json))) {
        for (const members of extra)
          for (const where of ['front', 'back'] as const)
            yield [
              `${members.slice(0, 60)} in ${where} of ${show(place)}`,
              () => withMembers(json, place, members, where),
            ]
        yield [
          `the same keys twice in ${show(place)}`,
          () =>
            withMembers(
              json,
              place,
              JSON.stringify(valueAt(json, place)).slice(1, -1) || '"a":1,"a":2',
              'back',
            ),
        ]
        yield [`10,000 unknown keys in ${show(place)}`, () => withMembers(json, place, many, 'back')]
      }
    }))

  it('survives depth and length', () =>
    send(function* (json, fresh) {
      const places = fresh(objectsOf(json))
      for (const kind of ['array', 'object'] as const) {
        for (const depth of [10, 127, 128, 129, 5000, 100_000])
          yield [`${kind}s ${depth} deep as the body`, () => nested(depth, kind)]
        for (const place of places)
          yield [
            `${kind}s 100 deep in ${show(place)}`,
            () => withMembers(json, place, `"deep":${nested(100, kind)}`, 'back'),
          ]
        for (const place of places.slice(0, 5))
          yield [
            `${kind}s 100,000 deep in ${show(place)}`,
            () => withMembers(json, place, `"deep":${nested(100_000, kind)}`, 'back'),
          ]
      }
      const items = (count: number, ...some: readonly string[]): string =>
        `[${Array.from({ length: count }, (_, index) => some[index % some.length]).join(',')}]`
      yield ['100,000 items as the body', () => items(100_000, '1')]
      for (const place of fresh(listsOf(json))) {
        const count = place.length === 1 ? 100_000 : 20_000
        yield [`${count} wrong items in ${show(place)}`, () => withRaw(json, place, items(count, '0', '{}'))]
        yield [
          `${count} right items in ${show(place)}`,
          () => withRaw(json, place, items(count, JSON.stringify((valueAt(json, place) as unknown[])[0]))),
        ]
      }
    }))
})
