/**
 * Mistakes in steps that their schema cannot find: names that no step saves, unknown keys, missing
 * parameters.
 */

import { type Fields, isFields } from '../../engine/fields.ts'
import { nameFieldOf } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { clip, listed, show } from '../../protocol/wording.ts'
import { meets } from '../compile/match-shape.ts'
import { templatesIn, textsIn } from '../templates.ts'
import { checkAdvanceExpectation, checkExpectation, checkSaved, type ExpectedCall } from './expectation.ts'
import type { Path, ScenarioMistake } from './mistake.ts'
import { wrongKey, wrongValue } from './mistake.ts'
import { unknownFields } from './warnings.ts'

/** What steps are checked against. */
export interface StepSurroundings {
  /** The keys of the account; undefined when every key works. */
  readonly keys: readonly string[] | undefined
  readonly endpoint: Vocabulary['endpoint']
  readonly allowedReply: Vocabulary['allowedReply']
  /** Whether rules or given resources change an operation's replies beyond the contract. */
  free(operation: string): boolean
  /** Whether no mistake was found yet at a path or below it. */
  clean(path: Path): boolean
}

export function* checkSteps(
  steps: readonly unknown[],
  path: Path,
  around: StepSurroundings,
  saved: Set<string> = new Set(),
): Generator<ScenarioMistake> {
  for (const [index, step] of steps.entries()) {
    const here = [...path, index]
    if (step === null || typeof step !== 'object') continue
    const fields = step as Fields
    if (Array.isArray(fields['parallel'])) {
      // Parallel steps do not see each other's values.
      const inside = (fields['parallel'] as unknown[]).map((one, at) => ({ one, at, names: new Set(saved) }))
      for (const { one, at, names } of inside) {
        yield* checkStep(one, [...here, 'parallel', at], around, names)
        for (const name of names) saved.add(name)
      }
      continue
    }
    yield* checkStep(step, here, around, saved)
  }
}

function* checkStep(
  step: unknown,
  here: Path,
  around: StepSurroundings,
  saved: Set<string>,
): Generator<ScenarioMistake> {
  if (step === null || typeof step !== 'object') return
  const fields = step as Fields
  if (Array.isArray(fields['parallel'])) {
    yield* checkSteps([step], here.slice(0, -1), around, saved)
    return
  }
  // Each well-formed part is checked, even if others are not.
  yield* checkNames(fields, here, saved)
  yield* checkCall(fields, here, around)
  if ('advance' in fields) {
    yield* checkAdvanceExpectation(fields['expect'], [...here, 'expect'])
    return
  }
  const call = expectedCall(fields, around)
  for (const name of ['expect', 'until'] as const)
    yield* checkExpectation(fields[name], [...here, name], call, around.clean)
  if (around.clean([...here, 'save']))
    yield* checkSaved(fields['save'], [...here, 'save'], fields['expect'], call)
  const { save } = fields
  if (save !== null && typeof save === 'object') for (const name of Object.keys(save)) saved.add(name)
}

function expectedCall(step: Fields, { endpoint, allowedReply, free }: StepSurroundings): ExpectedCall {
  const operation = typeof step['call'] === 'string' ? step['call'] : undefined
  const sent = (step['with'] as Fields | null | undefined)?.['stream']
  const streams = typeof sent === 'string' ? (sent === 'true' ? true : undefined) : sent === true
  return {
    endpoint: operation === undefined ? undefined : endpoint(operation),
    allowedReply: operation === undefined ? undefined : allowedReply(operation),
    free: operation !== undefined && free(operation),
    streams,
    stopAfter: step['stopAfter'] !== undefined,
  }
}

function* checkCall(step: Fields, path: Path, around: StepSurroundings): Generator<ScenarioMistake> {
  const { keys, endpoint } = around
  const { key } = step
  if (
    typeof key === 'string' &&
    key !== '' &&
    !key.includes('${') &&
    !key.includes('invalid') &&
    keys !== undefined &&
    !keys.includes(key)
  ) {
    const nearest = nearestWord(key, keys)
    const refused = 'a key that contains "invalid", which gets a 401'
    const expected = `expected one of ${listed(keys)}, or ${refused}`
    const hint = nearest === undefined ? expected : `did you mean ${nearest}?`
    yield wrongValue([...path, 'key'], `the account has no key ${show(key)}: ${hint}`)
  }
  const called = typeof step['call'] === 'string' ? endpoint(step['call']) : undefined
  if (called === undefined) return
  for (const { name, operation, nearest } of expectsRefusal(step) ? [] : unknownFields(step, endpoint))
    if (nearest !== undefined)
      yield wrongKey(
        [...path, 'with', name],
        `${operation} has no field ${show(name)}: did you mean ${nearest}?`,
      )
  const given = (step['with'] ?? {}) as Fields
  const named = nameFieldOf(called)
  const hasName = named !== undefined && Object.hasOwn(given, named)
  for (const [, name = ''] of hasName ? [] : called.path.matchAll(/\{(\w+)\}/g)) {
    if (!Object.hasOwn(given, name))
      yield wrongValue(
        path,
        `${called.operation} needs \`with: { ${name}: … }\`, a parameter of its path ${called.path}` +
          (named === undefined ? '' : `, or all of them as \`with: { ${named}: … }\``),
      )
  }
  for (const name of ['every', 'limit'] as const)
    if (step[name] !== undefined && step['until'] === undefined)
      yield wrongKey([...path, name], 'does nothing without `until`: the call is made once')
  if (step['stopAfter'] !== undefined && !around.free(called.operation)) {
    if (called.event === undefined)
      yield wrongKey([...path, 'stopAfter'], `does nothing here: ${called.operation} does not stream`)
    else if (expectedCall(step, around).streams === false)
      yield wrongKey(
        [...path, 'stopAfter'],
        `does nothing here: ${called.operation} streams only when asked to: with: { stream: true }`,
      )
  }
  if (step['form'] === true && !called.accepts.includes('form'))
    yield wrongValue([...path, 'form'], `${called.operation} takes no form`)
}

// Whoever sends a wrong field to be refused means it.
function expectsRefusal({ expect }: Fields): boolean {
  const status = isFields(expect) ? expect['status'] : undefined
  return status !== undefined && !meets(status, 200)
}

function* checkNames(value: unknown, path: Path, saved: ReadonlySet<string>): Generator<ScenarioMistake> {
  for (const { text, at } of textsIn(value, path))
    for (const name of templatesIn(text)) {
      const [first = ''] = name.split('.')
      if (saved.has(first)) continue
      const nearest = nearestWord(first, [...saved])
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
      yield wrongValue(at, `\${${clip(name, 200)}}: no earlier step saves ${clip(first, 200)}${hint}`)
    }
}
