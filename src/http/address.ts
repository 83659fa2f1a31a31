/** Where a call was sent: takes the session prefix off a path. */

const sessionPrefix = /^\/s\/([^/]+)(\/[^]*)?$/

/** A path without its `/s/<id>` prefix, the session it named, and the prefix itself (for links). */
export function splitPath(path: string): {
  readonly path: string
  readonly session: string | undefined
  readonly prefix: string
} {
  // 47 is the slash, 115 the s: the usual path does not pay for the pattern.
  if (path.charCodeAt(1) !== 115 || path.charCodeAt(2) !== 47) return { path, session: undefined, prefix: '' }
  const found = sessionPrefix.exec(path)
  if (found === null) return { path, session: undefined, prefix: '' }
  return { path: found[2] ?? '/', session: decodeName(found[1] as string), prefix: `/s/${found[1]}` }
}

function decodeName(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}
