/** Warnings about one rule or step: valid words that hardly mean what they say. */

import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { isListed } from '../../protocol/auth.ts'
import { refusals } from '../../protocol/errors.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import { answersOf, selectedOperations } from '../compile/select.ts'
import type { AnswerSpec } from '../format/rule.ts'
import type { AccountSpec, RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import { templateSources, textsIn } from '../templates.ts'
import { suggestion } from './forms.ts'
import { type Path, type ScenarioMistake, wrongKey, wrongValue } from './mistake.ts'
import { unknownFields } from './steps.ts'

export function* slipsOf(
  { rules = [], steps = [], account }: ScenarioSpec,
  vocabulary: Vocabulary,
): Generator<ScenarioMistake> {
  for (const [index, rule] of rules.entries()) {
    yield* missingModel(rule, ['rules', index, 'when', 'model'], account, vocabulary)
    for (const { answer, path } of answersOf(rule.then)) {
      const here = ['rules', index, 'then', ...path]
      yield* strayPictures(answer, rule, here)
      yield* misspeltType(answer, [...here, 'error', 'type'])
      yield* literalNames(answer, here, nameOfRequest)
    }
  }
  const all = [...placedSteps(steps, ['steps'])]
  const saved = all.flatMap(({ step }) => Object.keys(step['save'] ?? {}))
  const nameOfSaved = (name: string) => (saved.includes(name.split(/[.[]/)[0] ?? '') ? name : undefined)
  yield* literalNames(steps, ['steps'], nameOfSaved)
  // The service ignores fields that it does not know.
  for (const { step, path } of all)
    for (const { name, operation, nearest } of unknownFields(step, vocabulary.endpoint))
      if (nearest === undefined)
        yield wrongKey(
          [...path, 'with', name],
          `${operation} has no field ${show(name)}: it is sent, and the service ignores it`,
        )
  if (steps.length > 0 && all.every(({ step }) => (step['expect'] ?? step['until']) === undefined))
    yield wrongKey(['steps'], 'no step expects anything: a replay checks only that every call succeeds')
}

/** All steps, also those inside `parallel`. */
function* placedSteps(steps: unknown, path: Path): Generator<{ readonly step: Fields; readonly path: Path }> {
  for (const [index, step] of listOf(steps).entries()) {
    if (!isFields(step)) continue
    const here = [...path, index]
    yield { step, path: here }
    yield* placedSteps(step['parallel'], [...here, 'parallel'])
  }
}

/** A model that the account lacks: its calls get a 404, unless the rule refuses or replies by itself. */
function* missingModel(
  { when, then }: RuleSpec,
  path: Path,
  account: AccountSpec | undefined,
  vocabulary: Vocabulary,
): Generator<ScenarioMistake> {
  const model = when?.model
  if (account?.models === undefined || typeof model !== 'string' || /^sim-|\*$/.test(model)) return
  if (answersOf(then).some(({ answer: { error, reply, fault } }) => error ?? reply ?? fault)) return
  const lists = selectedOperations(when, then, vocabulary).map((operation) => {
    const catalog = vocabulary.catalog(operation)
    return (account.models as Readonly<Record<string, readonly string[] | undefined>>)[catalog ?? '']
  })
  const known = lists.flatMap((list) => list ?? [])
  if (lists.includes(undefined) || isListed(model, known)) return
  const message = `the account has no model ${show(model)}, and its calls get a 404`
  yield wrongValue(path, `${message}${suggestion(model, [...new Set(known)])}`)
}

/** Pictures of a script that the call does not ask for, or that come without those before them. */
function* strayPictures({ stream }: AnswerSpec, { when }: RuleSpec, path: Path): Generator<ScenarioMistake> {
  const n = isFields(when?.body) ? when.body['n'] : undefined
  const named = (stream?.script ?? []).map((item) =>
    'partial' in item ? item.partial : 'picture' in item ? item.picture : undefined,
  )
  let missing = 0
  while (named.includes(missing)) missing++
  for (const [index, picture = 0] of named.entries()) {
    const isMore = typeof n === 'number' && picture >= n
    if (!isMore && picture <= missing) continue
    const why = isMore ? `the call asks for ${n}` : `picture ${missing} is not in the script`
    const message = `picture ${picture}: pictures are counted from 0, and ${why}`
    yield wrongValue([...path, 'stream', 'script', index], message)
  }
}

/** A type beside a status may be any text, also a misspelt one. */
function* misspeltType({ error: { type, status } = {} }: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  if (type === undefined || status === undefined || Object.hasOwn(refusals, type)) return
  const nearest = nearestWord(type, Object.keys(refusals))
  if (nearest !== undefined)
    yield wrongValue(path, `${show(type)} is sent as it is: did you mean ${nearest}?`)
}

/** A name as the templates of other tools write it. */
const foreignName = /\{\{\s*([\w.[\]]+)\s*\}\}|^\$(\w+)$|^\{(\w+)\}$/g

/** Texts that are sent as they are although they name a value; `meant` gives its name here. */
function* literalNames(
  value: unknown,
  path: Path,
  meant: (name: string) => string | undefined,
): Generator<ScenarioMistake> {
  for (const { text, at } of textsIn(value, path))
    for (const [written, ...names] of text.matchAll(foreignName)) {
      const name = meant(names.find((one) => one !== undefined) ?? '')
      if (name !== undefined)
        yield wrongValue(at, `${show(written)} is sent as it is: write "\${${name}}" for the value`)
    }
}

function nameOfRequest(written: string): string | undefined {
  const name = written.replace(/^(?:request|req)\./, '')
  return templateSources.includes(name.split(/[.[]/)[0] ?? '') ? name : undefined
}
