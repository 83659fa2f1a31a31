/** Errors in steps: names that no earlier step has saved, and fields and parameters that do not exist. */
import { type Fields, isFields } from '../../engine/fields.ts'
import { type Endpoint, nameFieldOf } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { missingPart, parametersOf } from '../../protocol/schema-forms.ts'
import { clip, show } from '../../protocol/wording.ts'
import { meets } from '../compile/match-value.ts'
import type { CallStep, Step } from '../format/steps.ts'
import { templatesIn, textsIn } from '../templates.ts'
import { type FileError, type Path, suggestion, wrongKey, wrongValue } from './finding.ts'

/** `saved` are the names that earlier steps have saved; the names of these steps are added. */
export function* checkSteps(
  steps: readonly Step[],
  path: Path,
  vocabulary: Vocabulary,
  saved: Set<string> = new Set(),
): Generator<FileError> {
  for (const [index, step] of steps.entries()) {
    const here = [...path, index]
    if ('parallel' in step) {
      // Parallel steps do not see each other's values.
      const names = step.parallel.map(() => new Set(saved))
      for (const [at, one] of step.parallel.entries())
        yield* checkStep(one, [...here, 'parallel', at], vocabulary, names[at] ?? saved)
      for (const name of names.flatMap((own) => [...own])) saved.add(name)
    } else yield* checkStep(step, here, vocabulary, saved)
  }
}

function* checkStep(
  step: Step,
  path: Path,
  vocabulary: Vocabulary,
  saved: Set<string>,
): Generator<FileError> {
  for (const { text, at } of textsIn(step, path))
    for (const name of templatesIn(text)) {
      const [first = ''] = name.split('.')
      if (saved.has(first)) continue
      const message = `\${${clip(name, 200)}}: no earlier step saves ${clip(first, 200)}`
      yield wrongValue(at, `${message}${suggestion(first, [], [...saved])}`)
    }
  const endpoint = 'call' in step ? vocabulary.endpoint(step.call) : undefined
  if ('call' in step && endpoint !== undefined) yield* checkCall(step, path, endpoint)
  const save: unknown = 'save' in step ? step.save : undefined
  for (const name of isFields(save) ? Object.keys(save) : []) saved.add(name)
}

function* checkCall(step: CallStep, path: Path, endpoint: Endpoint): Generator<FileError> {
  const { operation, accepts, body, query } = endpoint
  const given: Fields = step.with ?? {}
  const wholeName = nameFieldOf(endpoint)
  const parameters = parametersOf(endpoint.path)
  for (const name of wholeName !== undefined && Object.hasOwn(given, wholeName) ? [] : parameters)
    if (!Object.hasOwn(given, name))
      yield wrongValue(path, `${operation} needs \`with: { ${name}: … }\` for its path ${endpoint.path}`)
  // A wrong field that is sent to be rejected is intended.
  const isRejected = step.expect?.status !== undefined && !meets(step.expect.status, 200)
  const schema = accepts.length > 0 ? body : query
  for (const name of schema === undefined || isRejected ? [] : Object.keys(given)) {
    const missing = schema && missingPart([schema()], [name.replace(/\[\]$/, '')])
    const known = [...(missing?.known ?? []), ...parameters]
    if (missing === undefined || name === wholeName || known.includes(name)) continue
    const nearest = nearestWord(name, known)
    // Services ignore other unknown fields.
    if (nearest !== undefined && !Object.hasOwn(given, nearest))
      yield wrongKey(
        [...path, 'with', name],
        `${operation} has no field ${show(name)}; did you mean ${nearest}?`,
      )
  }
}
