/** What faults do to bodies of any kind: what they may change, and what they must not lose. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../src/engine/random.ts'
import { applyWireFaults } from '../../src/http/play-response.ts'
import type { Playback } from '../../src/http/request-context.ts'
import type { Chunk, WireFault } from '../../src/protocol/chunks.ts'
import { faultNamed } from '../../src/scenario/faults/all.ts'

/** What a fault with these options does; places that no schema allows are passed too. */
function wire(kind: string, options: object): WireFault {
  const fault = faultNamed(kind)
  const parsed = { ...fault?.options().parse({}), ...options }
  return fault?.wire?.(parsed, randomFrom('wire')) ?? {}
}

const stream = (frames: readonly string[], after = 10): Playback => ({
  chunks: frames.map((content): Chunk => ({ after, content, events: 1, apart: false })),
  ending: 'end',
  whole: true,
  text: true,
})
const bytesOf = (chunks: readonly Chunk[]): Buffer =>
  Buffer.concat(chunks.map(({ content }) => Buffer.from(content as Uint8Array)))
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const frame = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}\n\n`)
const frames = fc.array(frame, { maxLength: 12 })

const moving: fc.Arbitrary<WireFault> = fc.oneof(
  fc
    .record({
      afterEvents: fc.nat(15),
      inside: fc.constantFrom('character', 'field', 'data', 'end'),
      atByte: fc.option(fc.nat(80), { nil: undefined }),
      pause: fc.nat(50),
    })
    .map((options) => wire('split', options)),
  fc
    .record({ afterEvents: fc.nat(15), events: fc.integer({ min: 2, max: 6 }) })
    .map((options) => wire('join', options)),
  fc
    .record({ bytes: fc.integer({ min: 1, max: 50 }), interval: fc.nat(50) })
    .map((options) => wire('dribble', options)),
)
const how = fc.constantFrom('end' as const, 'close' as const, 'reset' as const)
const share = fc.double({ min: 0, max: 1, noNaN: true })
const ending: fc.Arbitrary<WireFault> = fc.oneof(
  fc.record({ afterEvents: fc.nat(15), how }).map((options) => wire('disconnect', options)),
  fc.record({ afterBytes: fc.nat(600), how }).map((options) => wire('disconnect', options)),
  fc.record({ afterShare: share, how }).map((options) => wire('truncate', options)),
  fc.record({ afterEvents: fc.nat(15) }).map((options) => wire('stall', options)),
  fc.record({ afterShare: share }).map((options) => wire('stall-body', options)),
)

describe('faults that only move bytes', () => {
  it('lose none, count every event once, and keep times in order', () => {
    fc.assert(
      fc.property(frames, fc.array(moving, { maxLength: 4 }), (list, faults) => {
        const { chunks, ending, whole } = applyWireFaults(stream(list), faults, false)
        expect(bytesOf(chunks).toString()).toBe(list.join(''))
        expect(sum(chunks.map(({ events }) => events))).toBe(list.length)
        expect(chunks.every(({ after }) => after >= 0)).toBe(true)
        expect(sum(chunks.map(({ after }) => after))).toBeGreaterThanOrEqual(10 * list.length)
        expect({ ending, whole }).toEqual({ ending: 'end', whole: true })
      }),
    )
  })

  it('have the same effect in any order', () => {
    fc.assert(
      fc.property(frames, moving, ending, (list, one, other) => {
        expect(applyWireFaults(stream(list), [one, other], false)).toEqual(
          applyWireFaults(stream(list), [other, one], false),
        )
      }),
    )
  })
})

describe('endings', () => {
  it('leave a prefix of the body, and the first ending counts', () => {
    fc.assert(
      fc.property(
        frames,
        fc.array(moving, { maxLength: 2 }),
        fc.array(ending, { minLength: 1, maxLength: 3 }),
        (list, moves, ends) => {
          const all = Buffer.from(list.join(''))
          const cuts = ends.map(
            (end) => bytesOf(applyWireFaults(stream(list), [...moves, end], false).chunks).length,
          )
          const { chunks } = applyWireFaults(stream(list), [...moves, ...ends], false)
          const kept = bytesOf(chunks)
          expect(kept.equals(all.subarray(0, kept.length))).toBe(true)
          expect(kept.length).toBe(Math.min(...cuts))
        },
      ),
    )
  })

  it('declare the length of a body that ends cleanly, and the full length of one that does not', () => {
    const body: Playback = {
      chunks: [{ after: 0, content: 'twelve bytes', events: 0, apart: false }],
      ending: 'end',
      whole: true,
      text: true,
    }
    expect(applyWireFaults(body, [wire('disconnect', { afterBytes: 6, how: 'end' })], true)).toMatchObject({
      declared: 6,
      ending: 'end',
      // To the client, the body is complete.
      whole: true,
    })
    expect(applyWireFaults(body, [wire('disconnect', { afterBytes: 6, how: 'close' })], true)).toMatchObject({
      declared: 12,
      ending: 'close',
      whole: false,
    })
    expect(applyWireFaults(body, [wire('wrong-length', { by: -100 })], true)).toMatchObject({
      declared: 0,
      ending: 'close',
    })
    expect(
      applyWireFaults(stream(['data: x\n\n']), [wire('disconnect', { afterBytes: 3, how: 'end' })], false)
        .declared,
    ).toBeUndefined()
  })
})
