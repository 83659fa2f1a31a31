/**
 * The document at the edges of every field of every JSON request: it takes what the simulator takes. Where
 * the simulator rejects more, the rule is one that JSON Schema cannot say.
 */
import { describe, expect, it } from 'vitest'
import { some } from '../_counts.ts'
import { simulator } from '../_setup.ts'
import { prepare, routeOf, validJson, welcome } from '../hostile/_examples.ts'
import { type Path, placesOf, valueAt, withRaw } from '../hostile/_json.ts'
import { document, judge, operation, operations } from './_document.ts'

/** Relations between fields and to what exists, and bounds that a setting moves. */
const relations = [
  /is allowed only (?:with|when)/,
  /is required (?:unless|if)/,
  /matches no tool call in|matches no tool_use block|is not a tool_use of|without `tool_result` blocks/,
  /in `(?:tools|functions)`: /,
  /must not be empty/,
  /expected less than max_tokens/,
  /requires `output_format`/,
  /is an alias of/,
  /must be unique|has two tool_result blocks|already has a tool message/,
  /unknown image job `/i,
  /\(setting [\w.]+\)/,
  // The descriptions of these fields say it in other words.
  /expected an image: |, got neither/,
  // The contract has no least number of either; whoever asks nothing gets no answer.
  /expected at least one question|expected 1 to 255 options/,
]

/** Fields whose values are JSON Schemas of the client: they are judged apart. */
const clientSchemas = /\.(?:schema|parameters|input_schema)\./
const words = JSON.stringify(document.components.schemas).replaceAll('\\"', '"')

/** What JSON Schema says of types, bounds and lengths changes at one of these. */
function* edgesOf(value: unknown): Generator<unknown> {
  yield* [null, true, '', 'x', -1, 0, 0.5, 1, 2, 3, 200, 1e6, [], {}]
  if (typeof value === 'number') yield -1e6
  if (typeof value === 'string') yield* [65, 129, 513].map((length) => 'x'.repeat(length))
  if (Array.isArray(value) && value.length > 0)
    yield* [5, 17, 129].map((length) => Array.from({ length }, () => value[0]))
  const [first] = value !== null && typeof value === 'object' ? Object.values(value) : []
  if (first !== undefined && !Array.isArray(value))
    yield* [17, 256].map((count) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, first])),
    )
}

const posted = operations
  .filter(({ object: { tags, requestBody } }) => {
    return tags[0] !== 'control' && requestBody?.content['application/json'] !== undefined
  })
  .map(({ object }) => object.operationId)

describe.each(posted)('the document of %s', (id) => {
  it('takes what the simulator takes, and says what it rejects', async () => {
    const sim = simulator({ settings: { limits: { activeImageJobs: 1e6 } } })
    const holds = judge(operation(id).requestBody?.content['application/json']?.schema ?? {})
    const { method } = routeOf(sim, id).endpoint
    const differing: string[] = []
    const seen = new Set<string>()
    for (const { route, path, json } of validJson(sim, await prepare(sim))) {
      if (route.endpoint.operation !== id) continue
      const cases = placesOf(json).flatMap((place): [Path, string][] => {
        const name = `.${place.join('.')}`
        if (seen.has(name) || clientSchemas.test(`${name}.`)) return []
        seen.add(name)
        return [...edgesOf(valueAt(json, place))].map((edge) => [place, JSON.stringify(edge)])
      })
      for (const [place, edge] of some(cases)) {
        const body = withRaw(json, place, edge)
        const response = await sim.fetch(`http://gateway.test${path}`, {
          method,
          headers: { ...welcome, 'content-type': 'application/json' },
          body,
        })
        const what = `${place.join('.')} = ${edge.slice(0, 60)}`
        if (response.status < 400) {
          if (!holds(JSON.parse(body))) differing.push(`only the simulator takes ${what}`)
          continue
        }
        const { error } = (await response.json()) as { error: { message: string } }
        if (holds(JSON.parse(body)) && !isStated(error.message))
          differing.push(`only the document takes ${what}: ${error.message}`)
      }
    }
    expect(differing).toEqual([])
  })
})

/** Whether the document has the rule in words, or cannot have it. */
function isStated(message: string): boolean {
  const [, rule = message] = /expected (.*?)(?:, got .*|\.)$/s.exec(message) ?? []
  return words.includes(`Expected: ${rule}`) || relations.some((relation) => relation.test(message))
}
