/** A constant that is expensive to create and rarely needed: created on first use, then kept. */
export function lazy<T extends object>(create: () => T): () => T {
  let value: T | undefined
  return () => (value ??= create())
}
