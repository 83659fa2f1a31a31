/**
 * The interpreter of wire instructions, on bodies of any kind: what it may change, and what it must not lose.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Piece, Playback } from '../../src/http/playback.ts'
import { arrange } from '../../src/http/wire-faults.ts'
import type { WireInstruction } from '../../src/protocol/reply.ts'

const stream = (frames: readonly string[], after = 10): Playback => ({
  pieces: frames.map((said): Piece => ({ after, said, events: 1, apart: false })),
  ending: 'end',
  whole: true,
  text: true,
})
const bytesOf = (pieces: readonly Piece[]): Buffer =>
  Buffer.concat(pieces.map(({ said }) => Buffer.from(said as Uint8Array)))
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const frame = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}\n\n`)
const frames = fc.array(frame, { maxLength: 12 })

const place = fc.oneof(
  fc.record({ afterEvents: fc.nat(15) }),
  fc.record({ afterBytes: fc.nat(600) }),
  fc.record({ afterShare: fc.double({ min: 0, max: 1, noNaN: true }) }),
)
const moving: fc.Arbitrary<WireInstruction> = fc.oneof(
  fc.record({
    kind: fc.constant('split' as const),
    afterEvents: fc.nat(15),
    inside: fc.oneof(
      fc.constantFrom('character' as const, 'field' as const, 'data' as const, 'end' as const),
      fc.nat(80),
    ),
    pause: fc.nat(50),
  }),
  fc.record({
    kind: fc.constant('join' as const),
    afterEvents: fc.nat(15),
    events: fc.integer({ min: 2, max: 6 }),
  }),
  fc.record({
    kind: fc.constant('dribble' as const),
    bytes: fc.integer({ min: 1, max: 50 }),
    every: fc.nat(50),
  }),
)
const ending: fc.Arbitrary<WireInstruction> = fc.oneof(
  fc
    .tuple(place, fc.constantFrom('end' as const, 'close' as const, 'reset' as const))
    .map(([at, how]) => ({ kind: 'cut' as const, how, ...at })),
  place.map((at) => ({ kind: 'stall' as const, ...at })),
)

describe('instructions that only move bytes', () => {
  it('lose none, count every event once, and never make time run backwards', () => {
    fc.assert(
      fc.property(frames, fc.array(moving, { maxLength: 4 }), (list, wire) => {
        const { pieces, ending, whole } = arrange(stream(list), wire, false)
        expect(bytesOf(pieces).toString()).toBe(list.join(''))
        expect(sum(pieces.map(({ events }) => events))).toBe(list.length)
        expect(pieces.every(({ after }) => after >= 0)).toBe(true)
        expect(sum(pieces.map(({ after }) => after))).toBeGreaterThanOrEqual(10 * list.length)
        expect({ ending, whole }).toEqual({ ending: 'end', whole: true })
      }),
    )
  })

  it('do the same in whatever order they are given', () => {
    fc.assert(
      fc.property(frames, moving, ending, (list, one, other) => {
        expect(arrange(stream(list), [one, other], false)).toEqual(arrange(stream(list), [other, one], false))
      }),
    )
  })
})

describe('ends', () => {
  it('leave a beginning of the body, and the first of them counts', () => {
    fc.assert(
      fc.property(
        frames,
        fc.array(moving, { maxLength: 2 }),
        fc.array(ending, { minLength: 1, maxLength: 3 }),
        (list, moves, ends) => {
          const all = Buffer.from(list.join(''))
          const cuts = ends.map((end) => bytesOf(arrange(stream(list), [...moves, end], false).pieces).length)
          const { pieces } = arrange(stream(list), [...moves, ...ends], false)
          const kept = bytesOf(pieces)
          expect(kept.equals(all.subarray(0, kept.length))).toBe(true)
          expect(kept.length).toBe(Math.min(...cuts))
        },
      ),
    )
  })

  it('behind so many events leave just those', () => {
    fc.assert(
      fc.property(frames, fc.nat(15), fc.array(moving, { maxLength: 2 }), (list, afterEvents, moves) => {
        const { pieces } = arrange(
          stream(list),
          [...moves, { kind: 'cut', afterEvents, how: 'reset' }],
          false,
        )
        // Events that were joined arrive together, or not at all.
        if (!moves.some(({ kind }) => kind === 'join'))
          expect(bytesOf(pieces).toString()).toBe(list.slice(0, afterEvents).join(''))
        expect(sum(pieces.map(({ events }) => events))).toBeGreaterThanOrEqual(
          Math.min(afterEvents, list.length),
        )
      }),
    )
  })

  it('declare the length of a body that ends in all order, and of one that does not its whole length', () => {
    const body: Playback = {
      pieces: [{ after: 0, said: 'twelve bytes', events: 0, apart: false }],
      ending: 'end',
      whole: true,
      text: true,
    }
    expect(arrange(body, [{ kind: 'cut', afterBytes: 6, how: 'end' }], true)).toMatchObject({
      declared: 6,
      ending: 'end',
      whole: false,
    })
    expect(arrange(body, [{ kind: 'cut', afterBytes: 6, how: 'close' }], true)).toMatchObject({
      declared: 12,
      ending: 'close',
      whole: false,
    })
    expect(arrange(body, [{ kind: 'length', by: -100 }], true)).toMatchObject({
      declared: 0,
      ending: 'close',
    })
    expect(
      arrange(stream(['data: x\n\n']), [{ kind: 'cut', afterBytes: 3, how: 'end' }], false).declared,
    ).toBeUndefined()
  })
})

describe('bytes that are changed', () => {
  it('are as many as there are masks, and no body is written into', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 1, maxLength: 20 }),
        place,
        (said, masks, at) => {
          const before = Buffer.from(said)
          const { pieces } = arrange(
            {
              pieces: [{ after: 0, said, events: 0, apart: false }],
              ending: 'end',
              whole: true,
              text: false,
            },
            [{ kind: 'corrupt', masks, ...at }],
            true,
          )
          const changed = bytesOf(pieces)
          expect(changed.length).toBe(before.length)
          expect([...changed].filter((byte, index) => byte !== before[index]).length).toBe(
            Math.min(masks.length, before.length),
          )
          expect(Buffer.from(said).equals(before)).toBe(true)
        },
      ),
    )
  })
})

describe('comments', () => {
  it('leave events and their instants as they are', () => {
    fc.assert(
      fc.property(frames, fc.integer({ min: 1, max: 40 }), (list, every) => {
        const { pieces } = arrange(stream(list, 100), [{ kind: 'comments', text: 'ping', every }], false)
        expect(bytesOf(pieces.filter(({ events }) => events > 0)).toString()).toBe(list.join(''))
        expect(sum(pieces.map(({ after }) => after))).toBe(100 * list.length)
        expect(pieces.every(({ after }) => after <= every)).toBe(true)
      }),
    )
  })
})
