/** Keys of media descriptions. */

/** The key of a description: by value, independent of the order of its fields. */
export function mediaKey(media: object): string {
  return JSON.stringify(media, (name, value: unknown) => {
    // Another field contains the hash of the bytes.
    if (name === 'content') return undefined
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  })
}
