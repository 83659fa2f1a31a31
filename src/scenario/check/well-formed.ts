/**
 * Of a rule in which words are wrong, the part in which they are right, so that the rest of its mistakes can
 * be told as well.
 */
import { nearestWord } from '../../protocol/nearest-word.ts'

type Path = readonly PropertyKey[]
type Fields = Readonly<Record<string, unknown>>

/** What is left out with the one word that is wrong, where the words beside it still mean something. */
const inside: readonly PropertyKey[] = [
  'error',
  'job',
  'upstream',
  'reply',
  'stream',
  'headers',
  'setState',
  'patch',
]

/**
 * `when` without what is wrong at `paths` (below it). Operations that do not exist are taken for those that
 * were meant; where nobody knows, the result has `operationKnown: false`.
 */
export function wellFormedWhen(
  when: Fields,
  paths: readonly Path[],
  operations: readonly string[],
): { readonly when: Fields; readonly operationKnown: boolean } {
  const left = structuredClone(when) as Record<string, unknown>
  let operationKnown = true
  for (const [name, inner] of paths) {
    if (name === undefined) return { when: {}, operationKnown: false }
    if (name === 'conversation' && inner !== undefined && isFields(left[name]))
      delete (left[name] as Record<PropertyKey, unknown>)[inner]
    else if (name !== 'operation') delete left[name as string]
  }
  if (paths.some(([name]) => name === 'operation')) {
    const known = (written: unknown): string | undefined =>
      typeof written !== 'string'
        ? undefined
        : operations.includes(written) || written === '*' || written.endsWith('.*')
          ? written
          : nearestWord(written, operations)
    const meant = (
      Array.isArray(when['operation']) ? (when['operation'] as unknown[]) : [when['operation']]
    ).map(known)
    operationKnown = meant.length > 0 && !meant.includes(undefined)
    if (operationKnown) left['operation'] = meant
    else delete left['operation']
  }
  return { when: left, operationKnown }
}

/** `then` without what is wrong at `paths` (below it). */
export function wellFormedThen(then: Fields, paths: readonly Path[]): Fields {
  const left = structuredClone(then) as Record<string, unknown>
  for (const path of paths) {
    const [first, index, third, fourth] = path
    const item = (Array.isArray(left[first as string]) ? (left[first as string] as unknown[]) : [])[
      index as number
    ]
    if (first === 'sequence' && third !== undefined && isFields(item)) leaveOut(item, path.slice(2))
    else if (first === 'weighted' && third !== undefined && isFields(item) && isFields(item['then'])) {
      if (third === 'then' && fourth !== undefined)
        leaveOut(item['then'] as Record<string, unknown>, path.slice(3))
      else if (third === 'then') delete left['weighted']
    } else leaveOut(left, path)
  }
  if (paths.length > 0 && left['sequence'] === undefined) delete left['end']
  return left
}

function leaveOut(answer: Record<string, unknown>, [name, ...rest]: Path): void {
  const value = answer[name as string]
  const [inner, deeper] = rest
  if (name === 'timeline' && Array.isArray(value) && isFields(value[inner as number]) && deeper !== undefined)
    delete (value[inner as number] as Record<PropertyKey, unknown>)[deeper]
  // An item that says nothing keeps the places of the others.
  else if (
    name === 'stream' &&
    inner === 'script' &&
    isFields(value) &&
    Array.isArray(value['script']) &&
    deeper !== undefined
  )
    (value['script'] as unknown[])[deeper as number] = { wait: 0 }
  else if (inside.includes(name as string) && inner !== undefined && isFields(value)) {
    delete (value as Record<PropertyKey, unknown>)[inner]
    // What was all of it: that nothing is left is no mistake of its own.
    if (name === 'job' && Object.keys(value).length === 0) delete answer['job']
  } else delete answer[name as string]
  // It may be what is wrong that it needs.
  if (answer['job'] === 'continues' && answer['error'] === undefined) delete answer['job']
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
