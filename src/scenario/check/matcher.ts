/** Whether a matcher is well-formed: its fields exist in the schema of the value, its operators are valid. */
import type * as z from 'zod'
import { safeParse } from '../../protocol/expected-values.ts'
import { locatedFindings } from '../../protocol/findings.ts'
import { fieldsOf, formsOf, itemsOf } from '../../protocol/schema-forms.ts'
import { show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-value.ts'
import { operators, operatorWords } from '../values.ts'
import { type FileError, type Path, suggestion, wrongKey, wrongValue } from './finding.ts'

/** The maximum number of unknown names reported per object: each needs a search for similar names. */
const maxUnknown = 20

/** The errors of a matcher. One of `against` must fit; without any, every value is possible. */
export function* checkMatcher(
  matcher: unknown,
  path: Path,
  against: readonly z.ZodType[],
  /** The message for an unknown name. */
  absent: (name: string) => string = (name) => `no request has a field ${show(name)} at this path`,
): Generator<FileError> {
  if (matcher === null || typeof matcher !== 'object') return
  const forms = against.flatMap(formsOf)
  if (Array.isArray(matcher)) {
    for (const [index, item] of matcher.entries())
      yield* checkMatcher(item, [...path, index], itemsOf(forms), absent)
    return
  }
  if (isOperators(matcher)) return yield* checkOperators(matcher, path, against, absent)
  const known = fieldsOf(forms)
  let unknown = 0
  for (const [name, part] of Object.entries(matcher)) {
    const here = [...path, name]
    if (known === undefined || known.has(name))
      yield* checkMatcher(part, here, known?.get(name) ?? [], absent)
    else if (operatorWords().includes(name))
      yield wrongKey(here, `the operator ${name} cannot be combined with fields: put it into its own object`)
    else if (unknown++ < maxUnknown)
      yield wrongKey(here, absent(name) + suggestion(name, [...known.keys()], operatorWords()))
  }
}

function* checkOperators(
  written: Readonly<Record<string, unknown>>,
  path: Path,
  against: readonly z.ZodType[],
  absent: (name: string) => string,
): Generator<FileError> {
  const schemas: Readonly<Record<string, z.ZodType>> = operators().shape
  for (const [word, wanted] of Object.entries(written)) {
    const here = [...path, word]
    const { error } = safeParse(schemas[word] as z.ZodType, wanted)
    const [wrong] = error === undefined ? [] : locatedFindings(error.issues, wanted)
    if (wrong !== undefined) yield wrongValue(here, wrong.message)
    else if (word === 'not') yield* checkMatcher(wanted, here, against, absent)
    else if (word === 'anyOf')
      for (const [index, one] of (wanted as readonly unknown[]).entries())
        yield* checkMatcher(one, [...here, index], against, absent)
    else if (word === 'some') yield* checkMatcher(wanted, here, itemsOf(against.flatMap(formsOf)), absent)
    else if (word === 'length') yield* checkMatcher(wanted, here, [], absent)
  }
}
