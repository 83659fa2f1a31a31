/** A law: what must hold beyond the shape of one body, where that is said, and how one tells. */
import type { Deviation, DeviationKind, Severity } from '../deviation.ts'

/** Where a law is broken first. */
export interface Breach {
  /** Into the body or the event. */
  readonly pointer?: string
  readonly got: string
}

export interface Law<Subject> {
  readonly section: string
  /** What must hold, as the `expected` of a report. */
  readonly states: string
  readonly kind: DeviationKind
  /** `breaking` where the contract says it, `doubtful` where only clients rely on it. */
  readonly severity: Severity
  /** The first place where it does not hold. What is no such subject at all holds every law. */
  breach(subject: Subject): Breach | undefined
}

/** What breaks laws, one deviation for each. */
export function judge<Subject>(
  laws: readonly Law<Subject>[],
  subject: Subject,
  at: { readonly operation: string; readonly where: Deviation['where'] },
): Deviation[] {
  return laws.flatMap(({ section, states, kind, severity, breach }) => {
    const found = breach(subject)
    if (found === undefined) return []
    return [
      { ...at, section, pointer: found.pointer ?? '', kind, severity, expected: states, got: found.got },
    ]
  })
}

/** What to show of a value in a sentence. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** The first breach that a search over the entries of a list finds. */
export function firstBreach<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => Breach | undefined,
): Breach | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== undefined) return found
  }
  return undefined
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
