/** The image that an edit starts from, and the seed of the result. */

import { type ResolvedSource, sourceAt } from '../../behaviours/source-address.ts'
import { digest, type Random } from '../../engine/random.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { limitSize } from './job-images.ts'

/**
 * The seed of an edit's result: from the request without addresses, and from what the addresses lead to.
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
 * The image at an address. One of our own keeps its size; the size of a file is limited.
 */
export function resolveSource(address: string, context: Context, now: number): ResolvedSource {
  const start = sourceAt(address, context, now)
  return {
    ...start,
    size: start.size === undefined || start.source.kind === 'generated' ? start.size : limitSize(start.size),
  }
}
