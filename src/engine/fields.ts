/** Access to fields of untrusted values, and lazy values. */

export type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The start of all JSON. Checking it avoids exceptions, which are slower than most parsing. */
const beginsAsJson = /^\s*(?:\{\s*["}]|\[\s*(?:[-"[\]{\d]|true|false|null)|[-"\d]|true|false|null)/

/** A string or body parsed as JSON, or undefined. */
export function jsonIn(text: string | Uint8Array | undefined): unknown {
  if (text === undefined || (typeof text === 'string' && !beginsAsJson.test(text))) return undefined
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text)) as unknown
  } catch {
    return undefined
  }
}

/** A percent-decoded string; undefined if the encoding is invalid. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The value if it is an array, else an empty array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

/** A copy of a value with each string changed. */
export function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)]))
}

/** The fields that have a value. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** The items by a key, in the order in which the keys first came. */
export function grouped<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** A constant that is expensive to create and rarely needed: created on first use, then kept. */
export function lazy<T extends object>(create: () => T): () => T {
  let value: T | undefined
  return () => (value ??= create())
}
