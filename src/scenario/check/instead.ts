/** What to write instead of what a schema has refused: where a key belongs, and words from elsewhere. */
import * as z from 'zod'
import { isFields, listOf, valueAt } from '../../engine/fields.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { objectsAt, type SettingMistake } from '../../protocol/mistakes.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import { ruleSchemaOf, type ScenarioSchema } from '../format/scenario.ts'
import { scriptItems } from '../format/stream.ts'
import type { Written } from './familiar-phrases.ts'
import { insteadOfValue } from './familiar-values.ts'
import { type Instead, insteadOf } from './familiar-words.ts'
import { formsOf } from './forms.ts'
import { operationsAt, sdkOperation } from './operations-by-address.ts'
import { checkShape } from './shape.ts'

type Path = readonly PropertyKey[]

/** What a scenario is held against. */
export interface Against {
  readonly schema: ScenarioSchema
  readonly vocabulary: Vocabulary
}

/** Words for a mistake that say more than the schema can; undefined where there are none. */
export function insteadOfMistake(
  scenario: unknown,
  { path, unknown, message }: SettingMistake,
  against: Against,
): Instead | undefined {
  const names = path.filter((part) => typeof part === 'string')
  const name = names.at(-1)
  if (name === undefined) return undefined
  const holder = names.at(-2)
  const written = writtenAt(scenario, path, against.vocabulary)
  if (!unknown) {
    const meant = operationMeant(path, written.value, against.vocabulary)
    // A misspelt word of ours needs no other.
    const isMisspelt = message.includes('did you mean')
    const words =
      meant ??
      (isMisspelt
        ? undefined
        : (insteadOfValue(name, holder, written) ?? unknownOperation(path, written, against)))
    return words === undefined ? undefined : { words }
  }
  const said = placeOf(scenario, path, written, against)
  return said === undefined ? undefined : { ...said, words: `unknown key ${show(name)}: ${said.words}` }
}

/** Words for an unknown key of an item that needs one of several keys. */
export function insteadOfKey(scenario: unknown, path: Path, against: Against): string | undefined {
  const names = path.filter((part) => typeof part === 'string')
  const found = insteadOf(names.at(-2), writtenAt(scenario, path, against.vocabulary))
  return found === undefined ? undefined : `unknown key ${show(String(path.at(-1)))}: ${found.words}`
}

/** Under `when` a word may be a field of the body, beside it more likely a key of `when`. */
function placeOf(scenario: unknown, path: Path, written: Written, against: Against): Instead | undefined {
  const familiar = insteadOf(path.filter((part) => typeof part === 'string').at(-2), written)
  const own = ownPlace(path, against.schema)
  return (
    (path.length === 3 ? own : bodyField(path, written, operationsOf(scenario, path, against))) ??
    familiar ??
    own ??
    placeBelow(path, against.schema)
  )
}

function writtenAt(scenario: unknown, path: Path, vocabulary: Vocabulary): Written {
  const beside = valueAt(scenario, path.slice(0, -1))
  const operations = namedOperations(scenario, path)
  return {
    name: String(path.at(-1)),
    value: valueAt(scenario, path),
    beside: isFields(beside) ? beside : {},
    operationsAt: (address, method) => operationsAt(address, vocabulary, method),
    submits: operations.some((id) => vocabulary.endpoint(id)?.submits !== undefined),
    follows:
      operations.length > 0 && operations.every((id) => vocabulary.endpoint(id)?.concerns !== undefined),
  }
}

/** The operations that the rule around a path names, as far as it does. */
function namedOperations(scenario: unknown, path: Path): string[] {
  const [list, index] = path
  if (list !== 'rules' || typeof index !== 'number') return []
  const written = valueAt(scenario, ['rules', index, 'when', 'operation'])
  return [...(typeof written === 'string' ? [written] : listOf(written))].filter(
    (one) => typeof one === 'string',
  )
}

function operationsOf(scenario: unknown, path: Path, { vocabulary }: Against): Endpoint[] {
  return namedOperations(scenario, path).flatMap((id) => vocabulary.endpoint(id) ?? [])
}

/** The list of all operations would hide the rest of the message. */
function unknownOperation(path: Path, { value }: Written, { vocabulary }: Against): string | undefined {
  if (typeof value !== 'string' || !(path.includes('operation') || path.at(-1) === 'call')) return undefined
  const some = vocabulary.operations.slice(0, 3).join(', ')
  return `unknown operation ${show(value)}: \`gateway-sim routes\` lists them (${some}, …)`
}

/** An operation that is called by its address, or by its name in an SDK. */
function operationMeant(path: Path, written: unknown, vocabulary: Vocabulary): string | undefined {
  if (!path.includes('operation') && path.at(-1) !== 'call') return undefined
  if (typeof written !== 'string') return undefined
  const [first, ...others] = operationsAt(written, vocabulary)
  if (first !== undefined)
    return [
      `unknown operation ${show(written)} (an address): write ${first}`,
      ...(others.length === 0 ? [] : [`or ${others.slice(0, 3).join(', ')}`]),
    ].join(', ')
  return sdkOperation(written, vocabulary)
}

/** A key of `when` or `then` that stands beside them, or under the other one. */
function ownPlace(path: Path, schema: ScenarioSchema): Instead | undefined {
  const [list, index, ...more] = path
  const key = more.at(-1)
  if (list !== 'rules' || typeof index !== 'number' || typeof key !== 'string' || more.length > 2)
    return undefined
  const { when, then } = ruleSchemaOf(schema).shape
  const isOf = { when: Object.hasOwn(when.unwrap().shape, key), then: Object.hasOwn(then.shape, key) }
  const [place] = (['when', 'then'] as const).filter((one) => isOf[one] && one !== more[0])
  return place === undefined ? undefined : { words: `it belongs under \`${place}\``, key: place }
}

/** A field of the request that stands beside `body`. */
function bodyField(
  path: Path,
  { name, value }: Written,
  endpoints: readonly Endpoint[],
): Instead | undefined {
  if (path.length !== 4 || path[2] !== 'when') return undefined
  const bodies = endpoints.flatMap(({ body }) => body ?? [])
  const isField = bodies
    .flatMap(formsOf)
    .some((form) => form instanceof z.ZodObject && Object.hasOwn(form.shape, name))
  if (!isField || !checkShape({ [name]: value }, [], bodies).next().done) return undefined
  return { words: `it belongs under \`body\`: \`body: { ${name}: … }\`` }
}

/** A key that an object beside it has: `script` belongs under `stream`. */
function placeBelow(path: Path, schema: ScenarioSchema): Instead | undefined {
  const key = String(path.at(-1))
  if (Object.hasOwn(scriptItems(), key) && path.includes('then'))
    return { words: `it belongs into a script: \`stream: { script: [{ ${key}: … }] }\`` }
  const forms = objectsAt(schema, path.slice(0, -1))
  // It goes with other keys than those beside it.
  if (forms.some(({ shape }) => Object.hasOwn(shape, key))) return undefined
  const holders = forms.flatMap(({ shape }) =>
    Object.entries(shape).flatMap(([name, part]) =>
      formsOf(part as z.ZodType).some((form) => form instanceof z.ZodObject && Object.hasOwn(form.shape, key))
        ? [name]
        : [],
    ),
  )
  const places = [...new Set(holders)].filter((name) => name !== 'fault')
  if (places.length === 0 || places.length > 2) return undefined
  const [first = ''] = places
  return {
    words:
      `it belongs under ${places.map((at) => `\`${at}\``).join(' or ')}: ` + `\`${first}: { ${key}: … }\``,
  }
}
