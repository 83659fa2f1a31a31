/** A template in a scenario that is being written, apart from a `${` that a recording holds. */

export const templateMark = '\uE0F7'

/** The value as scenario files write it. */
export function asWritten(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${').replaceAll(templateMark, '${')
  if (Array.isArray(value)) return value.map(asWritten)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, asWritten(item)]))
}
