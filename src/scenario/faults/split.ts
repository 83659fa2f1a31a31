/** One event that arrives in two reads. */
import * as z from 'zod'
import { canStream } from '../../protocol/operations.ts'
import { type BytePiece, eventIndex } from '../../protocol/pieces.ts'
import { duration } from '../format/values.ts'
import { defineFault } from './fault.ts'
import { afterEvents } from './places.ts'

const insides = ['character', 'field', 'data', 'end'] as const

export const splitEvent = defineFault({
  kind: 'split',
  part: 'stream',
  what: 'One event arrives in two reads, split inside a multi-byte character or at another awkward place.',
  on: canStream,
  options: () =>
    z.strictObject({
      afterEvents: afterEvents(1),
      inside: z
        .enum(insides)
        .default('character')
        .describe(
          [
            'Where it is split: inside the first multi-byte character from that event on (if there is',
            'none, in the middle of the event), inside `data:`, inside its text, or between its last two',
            'line ends.',
          ].join(' '),
        ),
      atByte: z
        .int()
        .min(1)
        .optional()
        .describe('How many bytes of the event arrive in the first read, instead of `inside`.'),
      pause: duration('The time between the two reads.').prefault('0s'),
    }),
  wire: ({ afterEvents, inside, atByte, pause }) => ({
    body: { stage: 'split', change: (pieces) => split(pieces, afterEvents, atByte ?? inside, pause) },
  }),
})

type Inside = (typeof insides)[number] | number

function split(
  pieces: readonly BytePiece[],
  afterEvents: number,
  inside: Inside,
  pause: number,
): readonly BytePiece[] {
  const index = pieceToSplit(pieces, afterEvents, inside)
  const piece = pieces[index]
  if (piece === undefined || piece.content.length < 2) return pieces
  const { content, events } = piece
  const at = Math.min(content.length - 1, Math.max(1, offsetIn(content, inside)))
  const halves: BytePiece[] = [
    { ...piece, content: content.subarray(0, at), events: 0 },
    { after: pause, content: content.subarray(at), events, apart: true },
  ]
  return [...pieces.slice(0, index), ...halves, ...pieces.slice(index + 1)]
}

/** The event itself, or the first one from there on with a character that can be split. */
function pieceToSplit(pieces: readonly BytePiece[], afterEvents: number, inside: Inside): number {
  const event = eventIndex(pieces, afterEvents)
  if (event < 0 || inside !== 'character') return event
  const found = pieces.findIndex(({ content }, index) => index >= event && content.some(isLeadByte))
  return found < 0 ? event : found
}

function offsetIn(content: Uint8Array, inside: Inside): number {
  const middle = Math.floor(content.length / 2)
  switch (inside) {
    case 'character': {
      const lead = content.findIndex(isLeadByte)
      return lead < 0 ? middle : lead + 1
    }
    case 'field':
      // The frame begins a line at each `data:`; ASCII, so that bytes are characters.
      return Math.max(0, new TextDecoder('latin1').decode(content).search(/^data:/m)) + 2
    case 'data':
      return middle
    case 'end':
      return content.length - (content.at(-2) === 0x0d ? 2 : 1)
    default:
      return inside
  }
}

/** Whether a character of several bytes begins here, in UTF-8. */
const isLeadByte = (byte: number): boolean => byte >= 0xc2
