/** Converts the path that a client chooses for its file into the key of an object store. */

/** A key, or the problem with the path, worded for a refusal. */
export type ReadKey = { readonly key: string } | { readonly problem: string }

/**
 * The key of a path: a leading slash is removed, the rest must be a valid key. Contract 4.8 gives no rules;
 * these follow object stores, and keep a path from leading to another file (wire-formats 8).
 */
export function readObjectKey(path: string, maxBytes: number): ReadKey {
  const key = path.startsWith('/') ? path.slice(1) : path
  if (key === '') return { problem: 'expected the path of a file such as images/cat.png' }
  if (!key.isWellFormed()) return { problem: 'expected text, got half a character (a lone surrogate)' }
  const control = /[\u0000-\u001f\u007f]/.exec(key)?.[0]
  if (control !== undefined)
    return {
      problem: [
        'expected no control characters, got',
        `U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
      ].join(' '),
    }
  if (key.includes('\\')) return { problem: 'expected segments parted by /, got a backslash' }
  const bytes = new TextEncoder().encode(key).length
  if (bytes > maxBytes)
    return { problem: `expected at most ${maxBytes} bytes of UTF-8 (setting files.pathBytes), got ${bytes}` }
  for (const segment of key.split('/')) {
    if (segment === '')
      return {
        problem: key.endsWith('/')
          ? 'expected a file, got a path that ends in /'
          : 'expected no empty segments, got //',
      }
    if (/^(?:\.|%2e){1,2}$/i.test(segment)) return { problem: `expected no segments . or .., got ${segment}` }
  }
  return { key }
}
