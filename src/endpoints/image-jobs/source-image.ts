/** The picture that an edit starts from, and what is drawn with. */

import { type ResolvedSource, sourceAt } from '../../behaviours/source-address.ts'
import { digest, type Random } from '../../engine/random.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { limitSize } from './job-images.ts'

/**
 * What an edit draws with: the request without addresses, and what the addresses lead to. `undefined` says
 * nothing.
 */
export function drawingSeed(
  content: Random,
  start: ResolvedSource,
  mask?: ResolvedSource,
  areas?: unknown,
): string {
  return digest(JSON.stringify([content.hex(32), start.identity, mask?.identity, areas])).slice(0, 32)
}

/**
 * The picture at an address. One of our own keeps its size, however large; a file's is brought within the
 * bounds of a picture.
 */
export function resolveSource(address: string, context: Context, now: number): ResolvedSource {
  const start = sourceAt(address, context, now)
  return {
    ...start,
    size: start.size === undefined || start.source.kind === 'generated' ? start.size : limitSize(start.size),
  }
}
