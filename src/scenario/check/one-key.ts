/**
 * Steps and script items are distinguished by a single key. Without it, or with two of them, nothing else
 * about them can be checked.
 */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { show } from '../../protocol/wording.ts'
import { scriptItems } from '../format/stream.ts'
import type { ScenarioMistake } from './shape.ts'

type Path = readonly PropertyKey[]

const stepKeys = ['call', 'fetch', 'advance', 'parallel'] as const

/** What to write for an unknown key. */
type FindInstead = (path: Path) => string | undefined

/** The mistake of an item without its key, or with two. */
export interface KeyMistake {
  readonly item: Path
  readonly mistake: ScenarioMistake
}

/** Takes the scenario as it is written, mistakes and all. */
export function* checkKeys(scenario: unknown, instead: FindInstead): Generator<KeyMistake> {
  if (!isFields(scenario)) return
  yield* checkSteps(scenario['steps'], ['steps'], instead)
  const itemKeys = Object.keys(scriptItems())
  for (const [index, rule] of listOf(scenario['rules']).entries()) {
    if (!isFields(rule)) continue
    for (const { script, path } of scriptsIn(rule['then'], ['rules', index, 'then']))
      for (const [at, item] of script.entries()) yield* checkItem(item, [...path, at], itemKeys, instead)
  }
}

function* checkSteps(steps: unknown, path: Path, instead: FindInstead): Generator<KeyMistake> {
  for (const [index, step] of listOf(steps).entries()) {
    yield* checkItem(step, [...path, index], stepKeys, instead)
    if (isFields(step)) yield* checkSteps(step['parallel'], [...path, index, 'parallel'], instead)
  }
}

function* checkItem(
  value: unknown,
  item: Path,
  keys: readonly string[],
  instead: FindInstead,
): Generator<KeyMistake> {
  if (!isFields(value)) return
  const [first, second] = keys.filter((key) => Object.hasOwn(value, key))
  if (first === undefined) yield { item, mistake: missingKey(value, item, keys, instead) }
  else if (second !== undefined)
    yield {
      item,
      mistake: {
        path: [...item, second],
        message: `conflicts with \`${first}\`: write each as an item of its own`,
        key: true,
      },
    }
}

/** How many keys of an item are compared with the right ones. */
const maxSearched = 20

function missingKey(
  value: Fields,
  item: Path,
  keys: readonly string[],
  instead: FindInstead,
): ScenarioMistake {
  const expected = `Expected one of the keys ${keys.join(', ')}`
  const written = Object.keys(value).slice(0, maxSearched)
  for (const key of written) {
    const words = instead([...item, key])
    if (words !== undefined) return { path: [...item, key], message: words, key: true }
  }
  const misspelt = written.find((key) => nearestWord(key, keys) !== undefined)
  if (misspelt === undefined) return { path: item, message: expected, key: false }
  const hint = `unknown key ${show(misspelt)}: did you mean ${nearestWord(misspelt, keys)}?`
  return { path: [...item, misspelt], message: `${hint} ${expected}`, key: true }
}

function* scriptsIn(
  then: unknown,
  path: Path,
): Generator<{ readonly script: readonly unknown[]; readonly path: Path }> {
  if (!isFields(then)) return
  const { stream, choices, sequence, weighted } = then
  if (isFields(stream)) yield { script: listOf(stream['script']), path: [...path, 'stream', 'script'] }
  for (const [index, choice] of listOf(choices).entries())
    if (isFields(choice))
      yield { script: listOf(choice['script']), path: [...path, 'choices', index, 'script'] }
  for (const [index, answer] of listOf(sequence).entries())
    yield* scriptsIn(answer, [...path, 'sequence', index])
  for (const [index, one] of listOf(weighted).entries())
    if (isFields(one)) yield* scriptsIn(one['then'], [...path, 'weighted', index, 'then'])
}
