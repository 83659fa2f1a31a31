/** Conditions of a rule that no call could ever meet. */
import * as z from 'zod'
import { type Fields, isFields } from '../../engine/fields.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { canSpeak, patternsOf, type Vocabulary } from '../../protocol/operations.ts'
import { clip, listed, show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-shape.ts'
import type { WhenSpec } from '../format/when.ts'
import { checkCounts } from './counts.ts'
import { checkJob, madeWith } from './per.ts'
import { checkShape, isPattern, type ScenarioMistake } from './shape.ts'

type Path = readonly PropertyKey[]

/** What a `when` is checked against. */
export interface WhenContext {
  /** The place of the `when`. */
  readonly path: Path
  readonly written: Fields
  /** The operations of its rule; none when they are not known. */
  readonly endpoints: readonly Endpoint[]
  readonly vocabulary: Vocabulary
  /** Whether clients may send what the contract does not define. */
  readonly offContract?: boolean
  /** The values that each named state can have. */
  readonly states: ReadonlyMap<string, ReadonlySet<string> | 'any'>
  /** The keys of the account; undefined when every key works. */
  readonly keys?: ReadonlySet<string> | undefined
}

export function* checkWhen(when: WhenSpec, context: WhenContext): Generator<ScenarioMistake> {
  const { path } = context
  yield* checkBody(when, context)
  yield* checkAddress(when, context)
  for (const [name, shape] of Object.entries(when.headers ?? {}))
    yield* checkShape(shape, [...path, 'headers', name], [z.string()])
  yield* checkCounts(when, context.written, path)
  for (const name of ['key', 'model'] as const)
    if (when[name] !== undefined) yield* checkShape(when[name], [...path, name], [z.string()])
  yield* checkEndings(when, path)
  yield* checkKey(when, context)
  yield* checkConversation(when, context)
  yield* checkJob(when, context)
  yield* checkStates(when, context)
}

function* checkBody({ body }: WhenSpec, context: WhenContext): Generator<ScenarioMistake> {
  if (body === undefined) return
  const { endpoints, offContract } = context
  const path = [...context.path, 'body']
  // The whole body is an object: whoever looks for a word in it means what the user says.
  if ((typeof body === 'string' || isText(body)) && endpoints.length > 0) {
    const shape = typeof body === 'string' ? `{ contains: ${show(body)} }` : '{ … }'
    const spoken = endpoints.some(({ speaks }) => speaks !== undefined)
    const instead = spoken ? `conversation: { lastUser: ${shape} }` : `body: { FIELD: ${shape} }`
    yield { path, message: `can never be met: a body has fields. Write \`${instead}\``, key: false }
    return
  }
  if (endpoints.length > 0 && endpoints.every(({ accepts }) => accepts.length === 0))
    yield {
      path,
      message:
        `can never be met: ${namesOf(endpoints)} take${endpoints.length === 1 ? 's' : ''} no body` +
        madeWith(endpoints, isFields(body) ? (Object.keys(body)[0] ?? '…') : '…'),
      key: true,
    }
  else
    yield* checkShape(
      body,
      path,
      offContract === true ? [] : endpoints.flatMap((endpoint) => endpoint.body ?? []),
      { texts: endpoints.every(({ accepts }) => !accepts.includes('json')) },
    )
}

function isText(shape: unknown): boolean {
  return isOperators(shape) && ['contains', 'startsWith', 'endsWith', 'regex'].some((word) => word in shape)
}

function* checkAddress({ query, path }: WhenSpec, context: WhenContext): Generator<ScenarioMistake> {
  const { endpoints, offContract } = context
  const queries = offContract === true ? [] : endpoints.flatMap((endpoint) => endpoint.query ?? [])
  for (const [name, shape] of Object.entries(query ?? {}))
    yield* checkShape({ [name]: shape }, [...context.path, 'query'], queries)
  const parameters = new Set(
    endpoints.flatMap(({ path: template }) =>
      [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
    ),
  )
  const known = parameters.size === 0 ? '' : `: expected one of ${[...parameters].join(', ')}`
  for (const [name, shape] of Object.entries(path ?? {})) {
    const at = [...context.path, 'path', name]
    if (!parameters.has(name) && endpoints.length > 0)
      yield {
        path: at,
        message: `no path parameter ${clip(name, 200)} in ${namesOf(endpoints)}${known}`,
        key: true,
      }
    yield* checkShape(shape, at, [])
  }
}

/** A `*` stands for anything at the end of a text, and for itself elsewhere. */
function* checkEndings(when: WhenSpec, path: Path): Generator<ScenarioMistake> {
  for (const name of ['key', 'model'] as const) {
    const written = when[name]
    if (typeof written !== 'string' || !written.slice(0, -1).includes('*') || isPattern(written)) continue
    const plain = written.replace(/^\*|\*$/g, '')
    const instead = plain.includes('*')
      ? `{ regex: ${show(plain.split('*').map(literal).join('.*'))} }`
      : `{ ${written.endsWith('*') ? 'contains' : 'endsWith'}: ${plain} }`
    yield {
      path: [...path, name],
      message: `only a \`*\` at the end stands for anything: write ${instead}`,
      key: false,
    }
  }
}

const literal = (text: string): string => text.replace(/[.+?()[\]{}|^$\\]/g, '\\$&')

function* checkKey({ key }: WhenSpec, { path, keys }: WhenContext): Generator<ScenarioMistake> {
  if (typeof key !== 'string' || key.endsWith('*') || keys === undefined || keys.has(key)) return
  const known = [...keys]
  const nearest = nearestWord(key, known)
  const hint = nearest === undefined ? `, expected one of ${listed(known)}` : `; did you mean ${nearest}?`
  yield {
    path: [...path, 'key'],
    message: `can never be met: the account has no key ${show(key)}${hint}`,
    key: false,
  }
}

const conversationParts: Readonly<Record<string, z.ZodType>> = {
  lastUser: z.string(),
  toolResult: z.union([z.string(), z.boolean()]),
  turn: z.number(),
}

function* checkConversation({ conversation }: WhenSpec, context: WhenContext): Generator<ScenarioMistake> {
  if (conversation === undefined) return
  const { vocabulary, endpoints } = context
  const path = [...context.path, 'conversation']
  if (endpoints.length > 0 && !endpoints.some(({ speaks }) => speaks !== undefined))
    yield {
      path,
      message: `only ${patternsOf(canSpeak, vocabulary.all).join(' and ')} have conversations`,
      key: true,
    }
  for (const [name, shape] of Object.entries(conversation))
    yield* checkShape(shape, [...path, name], [conversationParts[name] as z.ZodType], { texts: false })
}

function* checkStates({ state = {} }: WhenSpec, { path, states }: WhenContext): Generator<ScenarioMistake> {
  for (const [name, shape] of Object.entries(state)) {
    const values = states.get(name)
    if (values === undefined)
      yield { path: [...path, 'state', name], message: unknownState(name, states), key: true }
    else if (values !== 'any' && typeof shape === 'string' && !values.has(shape)) {
      const known = listed([...values].map((value) => JSON.stringify(value)))
      yield {
        path: [...path, 'state', name],
        message: `can never be met: ${clip(name, 200)} is never ${show(shape)}, expected one of ${known}`,
        key: false,
      }
    }
  }
}

export function unknownState(name: string, states: WhenContext['states']): string {
  const nearest = nearestWord(name, [...states.keys()])
  const remedy =
    nearest === undefined ? 'declare it under `states` with its initial value' : `did you mean ${nearest}?`
  return `there is no state ${clip(name, 200)}: ${remedy}`
}

function namesOf(endpoints: readonly Endpoint[]): string {
  return endpoints.map(({ operation }) => operation).join(', ')
}
