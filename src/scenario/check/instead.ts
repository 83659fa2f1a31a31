/**
 * Remedies for values that a schema has rejected: where a key belongs, and the right word for a familiar one.
 */
import * as z from 'zod'
import { defined, isFields, listOf } from '../../engine/fields.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { createRouter } from '../../protocol/router.ts'
import { objectsAt, type SettingError } from '../../protocol/value-errors.ts'
import { asText, show, valueAt } from '../../protocol/wording.ts'
import { faultNamed, faults } from '../faults/all.ts'
import { hasPlace } from '../faults/fault.ts'
import { ruleSchemaOf, type ScenarioSchema } from '../format/scenario.ts'
import { scriptItems } from '../format/stream.ts'
import { insteadOf, type Written } from './familiar.ts'
import { formsOf, type Path } from './forms.ts'
import { nestedShape } from './matcher.ts'

/** What a scenario is checked against. */
export interface Against {
  readonly schema: ScenarioSchema
  readonly vocabulary: Vocabulary
}

interface Instead {
  readonly words: string
  /** Its key, which is then not reported as missing. */
  readonly key?: string
}

/** A better message than the schema's for an error; undefined if there is none. */
export function insteadOfError(
  scenario: unknown,
  { path, unknown, meant }: SettingError,
  against: Against,
): Instead | undefined {
  if (unknown) return insteadOfKey(scenario, path, against)
  const [key, holder] = path.filter((part) => typeof part === 'string').reverse()
  if (key === undefined) return undefined
  const value = valueAt(scenario, path)
  if (typeof value === 'string' && (path.includes('operation') || path.at(-1) === 'call')) {
    const words = insteadOfOperation(value, against.vocabulary, meant !== undefined)
    if (words !== undefined) return { words }
  }
  if (path.includes('script') && (key === 'fault' || (key === 'kind' && holder === 'fault'))) {
    const words = insteadOfScriptFault(value)
    if (words !== undefined) return { words }
  }
  // A misspelt key of the format needs no other hint.
  const words =
    meant === undefined
      ? insteadOf(holder, { ...writtenAt(scenario, path, against), name: key }, true)
      : undefined
  return words === undefined ? undefined : { words }
}

/** A fault that a script cannot hold. */
function insteadOfScriptFault(value: unknown): string | undefined {
  const fault = typeof value === 'string' ? faultNamed(value) : undefined
  if (fault === undefined) return undefined
  const placed = faults.filter(hasPlace).map(({ kind }) => kind)
  return (
    `the fault ${fault.kind} cannot be a script item: write \`fault: ${fault.kind}\` under \`then\` ` +
    `(a script can contain the faults ${placed.slice(0, -1).join(', ')} and ${placed.at(-1)})`
  )
}

/** The same for an unknown key: a field of the body, a familiar word, or a key of another place. */
export function insteadOfKey(scenario: unknown, path: Path, against: Against): Instead | undefined {
  const written = writtenAt(scenario, path, against)
  const { name, value } = written
  const holder = path.filter((part) => typeof part === 'string').at(-2)
  const own = ownPlace(path, against.schema)
  const isPath = holder === 'when' && /[.[]/.test(name)
  const words =
    (path.length === 3 ? own : fieldOfCall(scenario, path, name, against.vocabulary)) ??
    insteadOf(holder, written, false) ??
    (isPath ? `write \`${nestedShape(name, value)}\`` : undefined) ??
    own ??
    placeBelow(path, against.schema)
  if (words === undefined) return undefined
  return {
    words: `unknown key ${show(name)}: ${words}`,
    ...defined({ key: /(?:write|under) `(\w+)/.exec(words)?.[1] }),
  }
}

function writtenAt(scenario: unknown, path: Path, { vocabulary }: Against): Written {
  return {
    name: String(path.at(-1)),
    value: valueAt(scenario, path),
    operation: () => operationMeant(scenario, path, vocabulary),
  }
}

/** The endpoints that the rule around a path names, if any. */
function endpointsOf(scenario: unknown, [list, index]: Path, { endpoint }: Vocabulary): Endpoint[] {
  if (list !== 'rules' || typeof index !== 'number') return []
  const written = valueAt(scenario, ['rules', index, 'when', 'operation'])
  return (typeof written === 'string' ? [written] : listOf(written)).flatMap((one) =>
    typeof one === 'string' ? (endpoint(one) ?? []) : [],
  )
}

/** The operation of a URL or an SDK method; otherwise, where to find all operations. */
function insteadOfOperation(written: string, vocabulary: Vocabulary, misspelt: boolean): string | undefined {
  const { all, operations } = vocabulary
  const [first, ...others] = operationsAt(written, vocabulary)
  if (first !== undefined) {
    const more = others.length === 0 ? '' : `, or ${others.slice(0, 3).join(', ')}`
    return `unknown operation ${show(written)} (a path): write ${first}${more}`
  }
  const name = written.replace(/^(?:client|openai|anthropic|ai|sdk)\./, '')
  const named = all.find(({ endpoint }) => Object.hasOwn(endpoint.sdkNames ?? {}, name))?.endpoint
  if (named !== undefined)
    return `unknown operation "${written}" (an SDK name): write ${named.operation}${named.sdkNames?.[name]}`
  const reading = name.replace(/\.(?:get|fetch|poll)$/, '.retrieve')
  if (reading !== name && operations.includes(reading))
    return `unknown operation "${written}" (an SDK name): write ${reading}`
  if (misspelt) return undefined
  // A list of all operations would hide the rest of the message.
  const some = operations.slice(0, 3).join(', ')
  return `unknown operation ${show(written)}: \`gateway-sim routes\` lists all operations (${some}, …)`
}

/** A key of `when` or `then` that is next to them, or under the other one. */
function ownPlace([list, index, ...more]: Path, schema: ScenarioSchema): string | undefined {
  const key = more.at(-1)
  if (list !== 'rules' || typeof index !== 'number' || typeof key !== 'string' || more.length > 2)
    return undefined
  const { when, then } = ruleSchemaOf(schema).shape
  const isOf = { when: Object.hasOwn(when.unwrap().shape, key), then: Object.hasOwn(then.shape, key) }
  const [place] = (['when', 'then'] as const).filter((one) => isOf[one] && one !== more[0])
  return place === undefined ? undefined : `this key belongs under \`${place}\``
}

/** A request field next to `body`, or a field of the submission of a polled job. */
function fieldOfCall(
  scenario: unknown,
  path: Path,
  name: string,
  vocabulary: Vocabulary,
): string | undefined {
  if (path.length !== 4 || path[2] !== 'when') return undefined
  const endpoints = endpointsOf(scenario, path, vocabulary)
  if (endpoints.some(({ body }) => body !== undefined && hasField(body(), name)))
    return `this key belongs under \`body\`: \`body: { ${name}: … }\``
  const polls = endpoints.length > 0 && endpoints.every(({ concerns }) => concerns !== undefined)
  return polls && name === 'prompt' ? 'write `job: { prompt: … }`' : undefined
}

/** A key that belongs in an object next to it: `script` belongs under `stream`. */
function placeBelow(path: Path, schema: ScenarioSchema): string | undefined {
  const key = String(path.at(-1))
  if (Object.hasOwn(scriptItems(), key) && path.includes('then'))
    return `this key belongs in a script: \`stream: { script: [{ ${key}: … }] }\``
  const forms = objectsAt(schema, path.slice(0, -1))
  // It belongs with other keys than the ones next to it.
  if (forms.some(({ shape }) => Object.hasOwn(shape, key))) return undefined
  const holders = forms.flatMap(({ shape }) =>
    Object.entries(shape).flatMap(([name, part]) =>
      name !== 'fault' && hasField(part as z.ZodType, key) ? [name] : [],
    ),
  )
  const places = [...new Set(holders)]
  if (places.length === 0 || places.length > 2) return undefined
  const shown = places.map((at) => `\`${at}\``).join(' or ')
  return `this key belongs under ${shown}: \`${places[0]}: { ${key}: … }\``
}

function hasField(schema: z.ZodType, name: string): boolean {
  return formsOf(schema).some((form) => form instanceof z.ZodObject && Object.hasOwn(form.shape, name))
}

/** The ids of the operations at a URL such as `POST /v1/videos`; method, host and prefix are optional. */
function operationsAt(written: string, { groups }: Vocabulary, method?: string): string[] {
  const [, named = method, address = ''] = /^(?:([A-Z]+|\*)\s+)?(\S+)$/i.exec(written.trim()) ?? []
  const path = address.replace(/^https?:\/\/[^/]*/, '').replace(/[?#].*$/, '')
  if (!path.includes('/')) return []
  const router = createRouter(groups)
  const below = path.replace(/^\/?(?:\*\*\/)?/, '/')
  const all = ['GET', 'POST', 'PUT', 'DELETE'].map((one) => {
    const found = [below, `/v1${below}`]
      .map((at) => router.match(one, at))
      .find(({ kind }) => kind === 'found')
    return { method: one, id: found?.kind === 'found' ? found.route.endpoint.operation : undefined }
  })
  const sent = all.filter((one) => one.method === named?.toUpperCase() && one.id !== undefined)
  return [...new Set((sent.length === 0 ? all : sent).flatMap(({ id }) => id ?? []))]
}

/** The operation of the URL that was written: as the value, in it or next to it. */
function operationMeant(scenario: unknown, path: Path, vocabulary: Vocabulary): string | undefined {
  const value = valueAt(scenario, path)
  const beside = valueAt(scenario, path.slice(0, -1))
  const near = [value, ...[value, beside].flatMap((one) => (isFields(one) ? Object.values(one) : []))]
  const texts = near.map(asText)
  const method = texts.find((text) => /^(?:get|post|put|delete)$/i.test(text))
  return (
    texts.find((text) => vocabulary.operations.includes(text)) ??
    texts.flatMap((text) => operationsAt(text, vocabulary, method))[0]
  )
}
