/** Whose call it is, by session or by key; keys get names that say nothing of them. */
import { createHash } from 'node:crypto'
import { pairsOf } from './headers.ts'
import type { Owner } from './links.ts'

/** Keys beyond these share a name. */
const maxKeys = 1000

export interface Owners {
  of(rawHeaders: readonly string[], url: string): Owner
}

export function createOwners(): Owners {
  const names = new Map<string, string>()
  return {
    of(rawHeaders, url) {
      const headers = new Map(pairsOf(rawHeaders))
      const key = keyOf(headers, url)
      return { key: key === undefined ? undefined : nameOf(key), session: sessionOf(headers, url, key) }
    },
  }

  function nameOf(key: string): string {
    const digest = createHash('sha256').update(key).digest('base64')
    const known = names.get(digest)
    if (known !== undefined) return known
    if (names.size === maxKeys) return 'more-keys'
    const name = `key-${names.size + 1}`
    names.set(digest, name)
    return name
  }
}

function keyOf(headers: ReadonlyMap<string, string>, url: string): string | undefined {
  const sent = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']
    .map((name) => headers.get(name))
    .find((value) => value !== undefined)
  const key = sent?.replace(/^\w+\s+/, '').trim() || new URL(url).searchParams.get('key')
  return key || undefined
}

/** A session of a simulator, in each of the ways to name one. */
function sessionOf(
  headers: ReadonlyMap<string, string>,
  url: string,
  key: string | undefined,
): string | undefined {
  const inPath = /^https?:\/\/[^/]+(?:\/[^?#]*)?\/s\/([A-Za-z0-9._-]{1,64})\/v1/.exec(url)?.[1]
  const inKey = /^sk-sim-([a-z0-9]{1,32})-/.exec(key ?? '')?.[1]
  return inPath ?? (headers.get('x-sim-session') || inKey)
}
