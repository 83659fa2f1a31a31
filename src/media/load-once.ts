/**
 * The result of `load`: a promise until it is loaded, then the value. A failed load is repeated, because the
 * cause may be temporary, such as a lack of file descriptors. Importing a loaded module again would still
 * take ten microseconds.
 */
export function loadOnce<T extends object>(load: () => Promise<T>): () => T | Promise<T> {
  let loaded: T | undefined
  let loading: Promise<T> | undefined
  const keep = async (): Promise<T> => {
    try {
      return (loaded = await load())
    } finally {
      loading = undefined
    }
  }
  return () => loaded ?? (loading ??= keep())
}
