/** Faults in the body of a response: it ends early, arrives slowly, or has wrong bytes. */
import * as z from 'zod'
import { type ByteChunk, cutAt, maxChunks, offsetOf, type Place, sizeOf } from '../../protocol/chunks.ts'
import { everyOperation } from '../../protocol/operations.ts'
import { duration } from '../values.ts'
import { afterBytes, afterShare, type Fault, faultsOfPart } from './fault.ts'

const body = faultsOfPart('body', everyOperation)

export const bodyFaults: readonly Fault[] = [
  body('truncate', {
    what: 'The connection ends in the middle of the body, short of the declared `content-length`.',
    options: () => ({
      afterShare: afterShare(0.5),
      afterBytes: afterBytes('The number of body bytes that arrive before the fault. Replaces `afterShare`.'),
      how: z.enum(['close', 'reset']).default('close').describe('Whether the connection is closed or reset.'),
    }),
    wire: ({ afterShare, afterBytes, how }) => cutAt({ afterShare, afterBytes }, how),
  }),
  body('corrupt', {
    what: 'Some bytes of the body are wrong, but its length is correct.',
    options: () => ({
      bytes: z.int().min(1).max(10_000).default(1).describe('The number of consecutive corrupted bytes.'),
      afterBytes: afterBytes('The position of the first wrong byte, from 0. Default: chosen by the seed.'),
    }),
    wire({ bytes, afterBytes }, random) {
      // A mask of zero would change nothing.
      const masks = Array.from({ length: bytes }, () => random.integer(1, 255))
      const place = afterBytes === undefined ? { afterShare: random.next() } : { afterBytes }
      return { body: { stage: 'bytes', change: (chunks) => masked(chunks, masks, place) } }
    },
  }),
  body('malformed-json', {
    onlyJson: 'use `malformed-event`, which corrupts one event',
    what: 'The JSON body is truncated, with a correct `content-length`. Other bodies are not affected.',
    options: () => ({
      afterShare: afterShare(0.5),
      afterBytes: afterBytes('The number of body bytes that are sent. Replaces `afterShare`.'),
    }),
    wire: ({ afterShare, afterBytes }) =>
      cutAt({ afterBytes, afterShare: Math.min(afterShare, 0.999) }, 'end'),
  }),
  body('dribble', {
    nature: 'harmless',
    what: 'The body arrives in small chunks with pauses between them (at most 10,000 chunks).',
    options: () => ({
      bytes: z.int().min(1).default(16).describe('The number of bytes in each chunk.'),
      interval: duration('The time between chunks.').prefault('100ms'),
    }),
    wire: ({ bytes, interval }) => ({
      body: { stage: 'dribble', change: (chunks) => dribbled(chunks, bytes, interval) },
    }),
  }),
  body('stall-body', {
    what: 'The body stalls in the middle until the client closes the connection.',
    options: () => ({
      afterShare: afterShare(0.5),
      afterBytes: afterBytes('The number of body bytes that arrive before the fault. Replaces `afterShare`.'),
    }),
    wire: ({ afterShare, afterBytes }) => cutAt({ afterShare, afterBytes }, 'stall'),
  }),
]

// Media is shared by several responses: its bytes are copied before the change.
function masked(chunks: readonly ByteChunk[], masks: readonly number[], place: Place): readonly ByteChunk[] {
  // A place at the end moves back to the last bytes.
  const from = Math.max(0, Math.min(offsetOf(chunks, place) ?? Infinity, sizeOf(chunks) - masks.length))
  let at = 0
  return chunks.map((chunk) => {
    const start = at
    at += chunk.content.length
    if (at <= from || start >= from + masks.length) return chunk
    const content = chunk.content.slice()
    for (const [index, mask] of masks.entries()) {
      const byte = content[from + index - start]
      if (byte !== undefined) content[from + index - start] = byte ^ mask
    }
    return { ...chunk, content }
  })
}

// The chunks are larger if there would be too many.
function dribbled(chunks: readonly ByteChunk[], bytes: number, every: number): readonly ByteChunk[] {
  const size = Math.max(1, bytes, Math.ceil(sizeOf(chunks) / maxChunks))
  const small: ByteChunk[] = []
  for (const { after, content, events } of chunks) {
    for (let at = 0; at < content.length; at += size) {
      const first = small.length === 0
      small.push({
        after: (at === 0 ? after : 0) + (first ? 0 : every),
        content: content.subarray(at, at + size),
        events: at + size >= content.length ? events : 0,
        apart: !first,
      })
    }
  }
  return small
}
