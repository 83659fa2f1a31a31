/** Errors in steps: names that no earlier step has saved, and fields and parameters that do not exist. */
import type { Fields } from '../../engine/fields.ts'
import { type Endpoint, nameFieldOf } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { missingPart, parametersOf } from '../../protocol/schema-forms.ts'
import { clip, show } from '../../protocol/wording.ts'
import { meets } from '../compile/match-value.ts'
import type { CallStep, Step } from '../format/steps.ts'
import { templatesIn, textsIn } from '../templates.ts'
import { type FileError, type Path, suggestion, wrongKey, wrongValue } from './file-error.ts'

export function* checkSteps(steps: readonly Step[], vocabulary: Vocabulary): Generator<FileError> {
  const saved = new Set<string>()
  for (const [index, step] of steps.entries()) {
    yield* checkStep(step, ['steps', index], { vocabulary, saved })
    for (const name of 'save' in step ? Object.keys(step.save ?? {}) : []) saved.add(name)
  }
}

function* checkStep(
  step: Step,
  path: Path,
  { vocabulary, saved }: { readonly vocabulary: Vocabulary; readonly saved: ReadonlySet<string> },
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
  if (schema === undefined || isRejected) return
  for (const name of Object.keys(given)) {
    const missing = missingPart([schema()], [name.replace(/\[\]$/, '')])
    if (missing === undefined || name === wholeName || parameters.includes(name)) continue
    const nearest = nearestWord(name, [...missing.known, ...parameters])
    // Services ignore other unknown fields.
    if (nearest !== undefined && !Object.hasOwn(given, nearest))
      yield wrongKey(
        [...path, 'with', name],
        `${operation} has no field ${show(name)}; did you mean ${nearest}?`,
      )
  }
}
