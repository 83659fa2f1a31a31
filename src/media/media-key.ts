/** Keys of media descriptions. */

/** The key of a description: by value, independent of the order of its fields. */
export function mediaKey(media: object): string {
  return JSON.stringify(media, (_, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
