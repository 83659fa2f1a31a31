/**
 * A pattern as a list of steps: what a character must be, where the ways part, and what must hold between.
 */
import type { CharacterSet, PatternPart } from './characters.ts'

export type Step =
  | { readonly op: 'one'; readonly has: (point: number) => boolean }
  | { readonly op: 'split'; readonly to: readonly number[] }
  | { readonly op: 'edge'; readonly edge: 'start' | 'end' | 'word' | 'no word' }
  | { readonly op: 'look'; readonly program: Program; readonly behind: boolean; readonly negate: boolean }
  | undefined

/** Ends with undefined. */
export type Program = readonly Step[]

const MOST_STEPS = 10_000

/** A program on its way; `room` is shared with the programs inside it. */
interface Draft {
  readonly program: Step[]
  readonly backwards: boolean
  readonly room: { left: number }
}

/** The program of a pattern with its size; undefined when its counted repetitions make it too long. */
export function programOf(
  root: PatternPart,
): { readonly program: Program; readonly size: number } | undefined {
  const room = { left: MOST_STEPS }
  const program = assemble(root, false, room)
  return program === undefined ? undefined : { program, size: MOST_STEPS - room.left }
}

function assemble(part: PatternPart, backwards: boolean, room: Draft['room']): Program | undefined {
  const program: Step[] = []
  if (!emit(part, { program, backwards, room })) return undefined
  program.push(undefined)
  return program
}

function emit(part: PatternPart, draft: Draft): boolean {
  const { program, backwards, room } = draft
  if (--room.left < 0) return false
  switch (part.kind) {
    case 'character':
      program.push({ op: 'one', has: remembered(part.set) })
      return true
    case 'edge':
      program.push({ op: 'edge', edge: part.edge })
      return true
    case 'look': {
      const inner = assemble(part.part, !part.behind, room)
      if (inner === undefined) return false
      program.push({ op: 'look', program: inner, behind: part.behind, negate: part.negate })
      return true
    }
    case 'sequence':
      return (backwards ? part.parts.toReversed() : part.parts).every((inner) => emit(inner, draft))
    case 'either': {
      const fork: number[] = []
      const ends: number[][] = []
      program.push({ op: 'split', to: fork })
      for (const inner of part.parts) {
        fork.push(program.length)
        if (!emit(inner, draft)) return false
        const end: number[] = []
        ends.push(end)
        program.push({ op: 'split', to: end })
      }
      for (const end of ends) end.push(program.length)
      return true
    }
    case 'repeat':
      return emitRepeat(part, draft)
  }
}

function emitRepeat(part: PatternPart & { kind: 'repeat' }, draft: Draft): boolean {
  const { program } = draft
  for (let i = 0; i < part.min; i++) {
    const before = program.length
    if (!emit(part.part, draft)) return false
    // As often as one likes, nothing stays nothing.
    if (program.length === before) break
  }
  if (part.max === Infinity) {
    const start = program.length
    const fork: number[] = [start + 1]
    program.push({ op: 'split', to: fork })
    if (!emit(part.part, draft)) return false
    program.push({ op: 'split', to: [start] })
    fork.push(program.length)
    return true
  }
  const forks: number[][] = []
  for (let i = part.min; i < part.max; i++) {
    const fork: number[] = [program.length + 1]
    forks.push(fork)
    program.push({ op: 'split', to: fork })
    if (!emit(part.part, draft)) return false
  }
  for (const fork of forks) fork.push(program.length)
  return true
}

/** A set is asked once for each character of ASCII. */
function remembered({ has }: CharacterSet): (point: number) => boolean {
  const known = new Uint8Array(128)
  return (point) => {
    if (point >= 128) return has(String.fromCodePoint(point))
    if (known[point] === 0) known[point] = has(String.fromCharCode(point)) ? 2 : 1
    return known[point] === 2
  }
}
