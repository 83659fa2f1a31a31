/** Errors in steps and templates that their schema cannot find: names, keys and parameters. */

import type * as z from 'zod'
import { type Fields, isFields } from '../../engine/fields.ts'
import { type Endpoint, nameFieldOf } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { clip, show } from '../../protocol/wording.ts'
import { meets } from '../compile/match-value.ts'
import {
  hasTemplates,
  partsOf,
  templateSources,
  templatesIn,
  textsIn,
  unclosedTemplate,
} from '../templates.ts'
import { checkExpectation, checkSaved, type ExpectedCall } from './expectation.ts'
import {
  descend,
  type FileError,
  fieldsOf,
  formsOf,
  meantInstead,
  noPathParameter,
  type Path,
  parametersOf,
  suggestion,
  takers,
  wrongKey,
  wrongValue,
} from './forms.ts'

export interface StepSurroundings {
  /** The API keys of the scenario; undefined when every key is valid. */
  readonly keys: readonly string[] | undefined
  readonly endpoint: Vocabulary['endpoint']
  readonly allowedResponse: Vocabulary['allowedResponse']
  /** Whether rules or given resources change an operation's responses beyond the contract. */
  free(operation: string): boolean
  /** Whether no error was found yet at a path or below it. */
  clean(path: Path): boolean
}

export function* checkSteps(
  steps: readonly unknown[],
  path: Path,
  around: StepSurroundings,
  saved: Set<string> = new Set(),
): Generator<FileError> {
  for (const [index, step] of steps.entries()) yield* checkStep(step, [...path, index], around, saved)
}

function* checkStep(
  step: unknown,
  here: Path,
  around: StepSurroundings,
  saved: Set<string>,
): Generator<FileError> {
  if (!isFields(step)) return
  if (!Array.isArray(step['parallel'])) {
    yield* checkAction(step, here, around, saved)
    return
  }
  // Parallel steps do not see each other's values.
  const before = [...saved]
  for (const [at, one] of step['parallel'].entries()) {
    const names = new Set(before)
    yield* checkStep(one, [...here, 'parallel', at], around, names)
    for (const name of names) saved.add(name)
  }
}

/** Checks each well-formed part, even if others are not. */
function* checkAction(
  step: Fields,
  here: Path,
  around: StepSurroundings,
  saved: Set<string>,
): Generator<FileError> {
  yield* checkNames(step, here, saved)
  yield* checkCall(step, here, around)
  const call = expectedCall(step, around)
  for (const name of call.advances ? ['expect'] : ['expect', 'waitFor'])
    yield* checkExpectation(step[name], [...here, name], call, around.clean)
  const { save, expect } = step
  if (around.clean([...here, 'save'])) yield* checkSaved(save, [...here, 'save'], expect, call)
  for (const name of isFields(save) ? Object.keys(save) : []) saved.add(name)
}

function expectedCall(step: Fields, { endpoint, allowedResponse, free }: StepSurroundings): ExpectedCall {
  const operation = typeof step['call'] === 'string' ? step['call'] : undefined
  const sent = (step['with'] as Fields | null | undefined)?.['stream']
  const streams = typeof sent === 'string' ? (sent === 'true' ? true : undefined) : sent === true
  return {
    endpoint: operation === undefined ? undefined : endpoint(operation),
    allowedResponse: operation === undefined ? undefined : allowedResponse(operation),
    free: operation !== undefined && free(operation),
    streams,
    stopAfter: step['stopAfter'] !== undefined,
    advances: 'advance' in step,
  }
}

function* checkCall(step: Fields, path: Path, around: StepSurroundings): Generator<FileError> {
  const { keys, endpoint, free } = around
  const { key, stopAfter, waitFor } = step
  if (keys !== undefined && typeof key === 'string' && !/^$|\$\{|invalid/.test(key) && !keys.includes(key))
    yield wrongValue(
      [...path, 'key'],
      `\`keys\` does not list ${show(key)}${suggestion(key, keys)} ` +
        '(a key that contains "invalid" needs no entry, because it gets a 401)',
    )
  const called = typeof step['call'] === 'string' ? endpoint(step['call']) : undefined
  if (called === undefined) return
  const { operation } = called
  for (const { name, nearest } of expectsRejection(step) ? [] : unknownFields(step, endpoint))
    if (nearest !== undefined)
      yield wrongKey(
        [...path, 'with', name],
        `${operation} has no field ${show(name)}: did you mean ${nearest}?`,
      )
  const given = (step['with'] ?? {}) as Fields
  const named = nameFieldOf(called)
  const hasName = named !== undefined && Object.hasOwn(given, named)
  const parameters = parametersOf(called.path)
  for (const name of hasName ? [] : parameters)
    if (!Object.hasOwn(given, name))
      yield wrongValue(
        path,
        `${operation} needs \`with: { ${name}: … }\` for its path ${called.path}` +
          (named === undefined ? '' : `, or \`with: { ${named}: … }\` for all path parameters`) +
          meantInstead(name, Object.keys(given), parameters),
      )
  for (const name of ['interval', 'timeout'] as const)
    if (step[name] !== undefined && waitFor === undefined)
      yield wrongKey([...path, name], 'has no effect without `waitFor`: the request is sent only once')
  const why =
    called.event === undefined
      ? 'does not stream'
      : expectedCall(step, around).streams === false
        ? 'streams only if requested (`with: { stream: true }`)'
        : undefined
  if (stopAfter !== undefined && why !== undefined && !free(operation))
    yield wrongKey([...path, 'stopAfter'], `has no effect: ${operation} ${why}`)
  if (step['form'] === true && !called.accepts.includes('form'))
    yield wrongValue([...path, 'form'], `${operation} does not accept form data`)
}

/** The fields of a step that its operation does not have, each with the most similar field. */
export function* unknownFields(
  step: Fields,
  endpoint: Vocabulary['endpoint'],
): Generator<{ readonly name: string; readonly operation: string; readonly nearest: string | undefined }> {
  const called = typeof step['call'] === 'string' ? endpoint(step['call']) : undefined
  const sent = step['with']
  if (called === undefined || !isFields(sent)) return
  const schema = called.accepts.length > 0 ? called.body : called.query
  const fields = schema === undefined ? undefined : fieldsOf(formsOf(schema()))
  if (fields === undefined) return
  const known = [...fields.keys(), ...parametersOf(called.path)]
  for (const name of Object.keys(sent)) {
    if (name === nameFieldOf(called) || known.includes(name.replace(/\[\]$/, ''))) continue
    const nearest = nearestWord(name, known)
    const isMeant = nearest !== undefined && !Object.hasOwn(sent, nearest)
    yield { name, operation: called.operation, nearest: isMeant ? nearest : undefined }
  }
}

// A wrong field that is sent to be rejected is intended.
function expectsRejection({ expect }: Fields): boolean {
  const status = isFields(expect) ? expect['status'] : undefined
  return status !== undefined && !meets(status, 200)
}

function* checkNames(value: unknown, path: Path, saved: ReadonlySet<string>): Generator<FileError> {
  for (const { text, at } of textsIn(value, path))
    for (const name of templatesIn(text)) {
      const [first = ''] = name.split('.')
      if (saved.has(first)) continue
      const message = `\${${clip(name, 200)}}: no earlier step saves ${clip(first, 200)}`
      yield wrongValue(at, `${message}${suggestion(first, [], [...saved])}`)
    }
}

/** The errors of all templates inside a value; without endpoints, nothing is known of the request. */
export function* checkTemplates(
  value: unknown,
  path: Path,
  endpoints: readonly Endpoint[],
): Generator<FileError> {
  for (const { text, at } of hasTemplates(value) ? textsIn(value, path) : []) {
    for (const name of templatesIn(text)) {
      const message = errorOfSource(name, endpoints)
      if (message !== undefined) yield wrongValue(at, `\${${clip(name, 200)}}: ${message}`)
    }
    const open = unclosedTemplate(text)
    if (open !== undefined)
      yield wrongValue(at, `${show(open)} has no closing brace: expected a value such as \${body.prompt}`)
  }
}

/** Why no request has the value of a name such as `body.prompt`. */
export function errorOfSource(name: string, endpoints: readonly Endpoint[]): string | undefined {
  const [source = '', ...path] = partsOf(name)
  if (!templateSources.includes(source)) {
    const meant = name.replace(/^(?:request|req)\./, '')
    if (meant !== name) return `write \${${meant}}`
    return (
      `expected a request value that starts with one of ${templateSources.join(', ')}, ` +
      `such as \${body.prompt}${suggestion(source, [], templateSources)}`
    )
  }
  if (endpoints.length === 0) return undefined
  const [first] = path
  if (source === 'body' && endpoints.every(({ accepts }) => accepts.length === 0))
    return `${takers(endpoints)} no body`
  if (source === 'prompt' && endpoints.every(({ promptOf }) => promptOf === undefined))
    return `${takers(endpoints)} no prompt`
  if (source === 'body')
    return missing(
      endpoints.flatMap(({ body }) => body?.() ?? []),
      path,
    )
  if (source === 'query') {
    const queries = endpoints.flatMap(({ query }) => query?.() ?? [])
    return queries.length < endpoints.length ? undefined : missing(queries, path)
  }
  if (source === 'path') {
    const parameters = [...new Set(endpoints.flatMap((endpoint) => parametersOf(endpoint.path)))]
    if (first === undefined || parameters.includes(first)) return undefined
    return noPathParameter(first, endpoints, parameters)
  }
  return source !== 'headers' && path.length > 0 ? `${source} is a string and has no fields` : undefined
}

/** A message about the first part of a path that does not exist. */
function missing(schemas: readonly z.ZodType[], path: readonly string[]): string | undefined {
  const { missing: name, known } = descend(schemas, path)
  return name === undefined
    ? undefined
    : `no request has a field ${show(name)} at this path${suggestion(name, known)}`
}
