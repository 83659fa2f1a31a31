/** Errors in scenarios, with their paths in the file. */
import { didYouMean, expectedWords } from '../../protocol/nearest-word.ts'

export type Path = readonly PropertyKey[]

export interface FileError {
  readonly path: Path
  readonly message: string
  /** The end of the field, shown before the message if the rest of the field is not. */
  readonly label?: string | undefined
  /** True when the key is wrong, not its value. */
  readonly key: boolean
}

/** An error in one of several scenarios: `from` is its number. */
export type PlacedError = FileError & { readonly from: number }

/** The key at the end of a path is wrong: it does not belong there. */
export function wrongKey(path: Path, message: string): FileError {
  return { path, message, key: true }
}

/** The value of the key is wrong. */
export function wrongValue(path: Path, message: string): FileError {
  return { path, message, key: false }
}

/** The end of every message about something that the contract does not allow. */
export const unlessIntended = 'set `offContract: true` if this is intentional'

const maxListed = 12

/** `; did you mean prompt?`, else the known names; `others` are candidates too, but not listed. */
export function suggestion(name: string, known: readonly string[], others: readonly string[] = []): string {
  const expected = known.length === 0 ? '' : `: ${expectedWords(known.slice(0, maxListed))}`
  return didYouMean(name, [...known, ...others], expected, '; ')
}
