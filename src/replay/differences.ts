/** The differences between a value and a shape, field by field. */
import { clip } from '../protocol/wording.ts'
import { type Comparing, differences as differencesOf } from '../scenario/compile/match-shape.ts'

/** One field that is not as expected. */
export interface Difference {
  /** As `body.data[0].url`. */
  readonly field: string
  readonly expected: string
  readonly got: string
}

/** Empty if the value matches the shape; an undefined `value` is a missing field. */
export function differences(shape: unknown, value: unknown, field: string, how?: Comparing): Difference[] {
  return [...differencesOf(shape, value, how)].map(({ path, expected, got }) => ({
    field: path.reduce<string>(
      (before, part) =>
        typeof part === 'number' ? `${before}[${part}]` : before === '' ? part : `${before}.${part}`,
      field,
    ),
    expected,
    got: shown(got),
  }))
}

/** A value in a report: JSON, clipped if it is long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return clip(JSON.stringify(value) ?? String(value), 200)
}
