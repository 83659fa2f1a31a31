/**
 * A constant that is dear to make and seldom needed: made when it is first asked for. Never for anything that
 * can change.
 */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
