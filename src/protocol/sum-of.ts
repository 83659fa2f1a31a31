/** The rule that a total is the sum of its parts, as far as they are there. */
import { isFields } from '../engine/fields.ts'

/** The arguments of `refine` for an object with a total. */
export function sumOf(
  total: string,
  ...parts: readonly [string, ...string[]]
): [(value: unknown) => boolean, { readonly path: string[]; readonly error: string }] {
  return [
    (value) => {
      if (!isFields(value)) return true
      const [sum, ...counts] = [total, ...parts].map((name) => value[name])
      return (
        typeof sum !== 'number' ||
        !counts.every((count) => typeof count === 'number') ||
        counts.reduce((one, other) => one + other, 0) === sum
      )
    },
    { path: [total], error: `expected ${parts.join(' + ')}` },
  ]
}
