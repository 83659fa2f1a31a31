/**
 * What `load` gives, once it is there; until then a promise. After a failure it is loaded anew: there may be
 * file descriptors the next time. An import of what is loaded still takes ten microseconds.
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
