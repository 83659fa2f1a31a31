/** What tells descriptions of media apart. */

/** The key of a description: by value, not by the order in which an endpoint wrote the fields. */
export function mediaKey(media: object): string {
  return JSON.stringify(media, (name, value: unknown) => {
    // Bytes are known by their hash, which is another field.
    if (name === 'content') return undefined
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  })
}
