/**
 * The JSON Schema of scenario files, for editors: repeated parts are named, matchers offer their operators.
 */

import { createServiceVocabulary } from '../../src/endpoints/registry.ts'
import { scenarioSchema } from '../../src/scenario/format/scenario.ts'
import { operators } from '../../src/scenario/values.ts'
import { componentsOf, refTo } from '../openapi/components.ts'
import { isSchema, jsonSchemaOf, type Schema } from '../openapi/json-schema.ts'

/** The text of schema/scenario.schema.json as a value. */
export function scenarioJsonSchema(): Schema {
  const { $defs = {}, ...made } = marked(jsonSchemaOf(scenarioSchema(createServiceVocabulary()))) as Schema
  const definitions = Object.entries($defs as Readonly<Record<string, Schema>>).map(([name, schema]) => ({
    place: `scenario ${name}`,
    name,
    schema,
  }))
  const roots = [{ place: 'scenario', name: root, schema: made }, ...definitions]
  const { schemas } = componentsOf(
    roots.map((one) => ({ ...one, schema: moved(one.schema, '#/$defs/', refTo('')) as Schema })),
    places,
  )
  const { [root]: whole = {}, ...shared } = schemas
  const { title, description, type, ...rest } = moved(whole, refTo(''), '#/$defs/') as Schema
  const all = {
    ...(moved(shared, refTo(''), '#/$defs/') as Schema),
    Duration: duration,
    Matcher: shape,
    Operators: operatorSchema(),
  }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    description,
    type,
    ...rest,
    examples: [example],
    $defs: sorted,
  }
}

const root = 'Scenario'

/** Names of definitions whose path would make a poor name. */
const places: Readonly<Record<string, string>> = {
  'scenario.given': 'Given',
  'scenario.rules[]': 'Rule',
  'scenario.rules[].when': 'When',
  'scenario.rules[].when.operation[]': 'OperationPattern',
  'scenario Then.error': 'ErrorAnswer',
  'scenario Then.job': 'Job',
  'scenario Then.timeline[]': 'TimelineEntry',
  'scenario Then.response': 'Response',
  'scenario Then.stream': 'Stream',
  'scenario Then.stream.script[]': 'ScriptItem',
  'scenario Then.choices[].script[]': 'ScriptItem',
  'scenario Then.delay': 'Delay',
  'scenario Then.upstream': 'Upstream',
  'scenario Expectation.stream': 'StreamExpectation',
  'scenario Step.call': 'Operation',
}

const duration: Schema = {
  description:
    'A duration such as `350ms`, `5s`, `1h30m` or `2d`, or a number of milliseconds, in virtual time.',
  type: ['string', 'number'],
  pattern: '^\\s*(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h|d))+\\s*$',
  minimum: 0,
  examples: ['350ms', '5s', '1h30m'],
}

const shape: Schema = {
  description:
    'The expected value: a scalar (compared for equality), an object (some of the fields, or operators) ' +
    'or a list (all items, in order).',
  anyOf: [
    { $ref: '#/$defs/Operators' },
    {
      description: 'Fields that must match; other fields are ignored.',
      type: 'object',
      additionalProperties: { $ref: '#/$defs/Matcher' },
    },
    { description: 'All items, in order.', type: 'array', items: { $ref: '#/$defs/Matcher' } },
    { description: 'Equal to this.', type: ['string', 'number', 'boolean', 'null'] },
  ],
  examples: [{ prompt: { contains: 'sunset' } }, { gte: 3 }],
}

const example = {
  title: 'The second video fails',
  rules: [{ when: { operation: ['videos.create'], nth: 2 }, then: { job: { failAt: 60 } } }],
}

// zod exports it as a reference to itself, because it has an id.
function operatorSchema(): Schema {
  const { $defs, ...schema } = marked(jsonSchemaOf(operators())) as Schema
  return isSchema($defs) && isSchema($defs['Operators']) ? $defs['Operators'] : schema
}

/** Durations and matchers, which `values.ts` marks, become references and keep their descriptions. */
function marked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(marked)
  if (!isSchema(value)) return value
  const { $comment: mark, description, anyOf } = value
  if (mark === 'duration') return { $ref: '#/$defs/Duration', description }
  if (mark === 'shape') return { $ref: '#/$defs/Matcher', description }
  // For editors, the types that the simulator checks later.
  const typed = Array.isArray(anyOf) ? anyOf.filter((one: Schema) => one['$comment'] !== 'unchecked') : []
  if (Array.isArray(anyOf) && typed.length < anyOf.length)
    return marked(typed.length === 1 ? { ...typed[0], description } : { ...value, anyOf: typed })
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, marked(inner)]))
}

/** The same with its references moved; `discriminator` belongs to OpenAPI and is omitted. */
function moved(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((inner) => moved(inner, from, to))
  if (!isSchema(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name === '$ref' && typeof inner === 'string' && inner.startsWith(from))
        return [[name, `${to}${inner.slice(from.length)}`]]
      return name === 'discriminator' && isSchema(inner) && 'propertyName' in inner
        ? []
        : [[name, moved(inner, from, to)]]
    }),
  )
}
