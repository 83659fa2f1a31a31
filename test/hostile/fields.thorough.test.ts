import { describe, expect, it } from 'vitest'
import { some } from '../_counts.ts'
import { simulator } from '../_setup.ts'
import { examplesOf, prepare, validJson, welcome } from './_examples.ts'
import { nested, type Path, placesOf, valueAt, withMembers, without, withRaw, wrongValues } from './_json.ts'
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

const show = (place: Path): string => (place.length === 0 ? 'the body' : place.join('.'))

type Case = readonly [what: string, text: () => string]

const extraMembers = [
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
const manyMembers = Array.from({ length: 10_000 }, (_, index) => `"k${index}":${index}`).join(',')

/** Every wrong value at a place, the place left out, and fields, depth and length where they do not belong. */
function* changesAt(json: unknown, place: Path): Generator<Case> {
  const at = show(place)
  for (const [what, raw] of Object.entries(wrongValues))
    yield [`${what} at ${at}`, () => withRaw(json, place, raw)]
  if (place.length > 0) yield [`no ${at}`, () => without(json, place)]
  const found = valueAt(json, place)
  if (Array.isArray(found)) yield* longLists(json, place, found[0])
  else if (found !== null && typeof found === 'object') yield* moreMembers(json, place, found)
}

function* moreMembers(json: unknown, place: Path, found: object): Generator<Case> {
  const at = show(place)
  const own = JSON.stringify(found).slice(1, -1) || '"a":1,"a":2'
  for (const members of extraMembers)
    for (const where of ['front', 'back'] as const)
      yield [`${members.slice(0, 60)} in ${where} of ${at}`, () => withMembers(json, place, members, where)]
  for (const [what, members] of [
    ['the same keys twice', () => own],
    ['10,000 unknown keys', () => manyMembers],
    ['arrays 100 deep', () => `"deep":${nested(100, 'array')}`],
    ['objects 100,000 deep', () => `"deep":${nested(100_000, 'object')}`],
  ] as const)
    yield [`${what} in ${at}`, () => withMembers(json, place, members(), 'back')]
}

function* longLists(json: unknown, place: Path, first: unknown): Generator<Case> {
  const count = place.length === 1 ? 100_000 : 20_000
  const items = (...some: readonly string[]): string =>
    `[${Array.from({ length: count }, (_, index) => some[index % some.length]).join(',')}]`
  yield [`${count} wrong items in ${show(place)}`, () => withRaw(json, place, items('0', '{}'))]
  if (first === undefined) return
  yield [`${count} right items in ${show(place)}`, () => withRaw(json, place, items(JSON.stringify(first)))]
}

const wholeBodies: readonly Case[] = (['array', 'object'] as const).flatMap((kind) =>
  [10, 127, 128, 129, 5000, 100_000].map(
    (depth): Case => [`${kind}s ${depth} deep as the body`, () => nested(depth, kind)],
  ),
)

describe.each(operations)('%s', (operation) => {
  it('survives everything wrong at every place', async () => {
    const sim = target()
    const valid = validJson(sim, await prepare(sim)).filter(
      ({ route }) => route.endpoint.operation === operation,
    )
    expect(valid).not.toEqual([])
    const problems: string[] = []
    const done = new Set<string>()
    for (const { route, path, json } of valid) {
      // Places that an earlier body had too are left out.
      const fresh = placesOf(json).filter((place) => !done.has(show(place)))
      const cases = [...wholeBodies, ...fresh.flatMap((place) => [...changesAt(json, place)])]
      for (const [what, text] of some(cases)) {
        const { method } = route.endpoint
        const response = await sim.fetch(`http://gateway.test${path}`, { method, headers, body: text() })
        const problem = problemOf(await answerOf(response), what)
        if (problem !== undefined) problems.push(problem)
      }
      for (const place of fresh) done.add(show(place))
    }
    expect(problems.slice(0, 20), `${problems.length} in all`).toEqual([])
    // An override may apply to every call.
    sim.overrides.clear()
    await stillAnswers(sim.fetch as typeof fetch, 'http://gateway.test')
  })
})
