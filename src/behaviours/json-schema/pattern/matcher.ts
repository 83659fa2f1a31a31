/** Matches a text against a pattern in time proportional to both, never exponential. */
import type { PatternPart } from './part.ts'

// RegExp backtracks without bound ((a+)+$ on forty a's hangs), and schemas come from anyone. So the
// pattern is walked as a graph, visiting each pair of positions in pattern and text at most once.

type Instruction =
  | { readonly op: 'one'; readonly has: (character: string) => boolean }
  | { readonly op: 'split'; readonly to: readonly number[] }
  | { readonly op: 'edge'; readonly edge: 'start' | 'end' | 'word' | 'no word' }
  | { readonly op: 'ahead'; readonly program: Program; readonly negate: boolean }
  | { readonly op: 'end' }

export type Program = readonly Instruction[]

const MOST_INSTRUCTIONS = 10_000
const MOST_VISITS = 1_000_000

/** The program of a pattern; undefined when its counted repetitions make it too long. */
export function programOf(root: PatternPart): Program | undefined {
  const program: Instruction[] = []
  const fits = emit(root, program)
  program.push({ op: 'end' })
  return fits ? program : undefined
}

function emit(part: PatternPart, program: Instruction[]): boolean {
  if (program.length > MOST_INSTRUCTIONS) return false
  switch (part.kind) {
    case 'character':
      program.push({ op: 'one', has: part.set.has })
      return true
    case 'edge':
      program.push({ op: 'edge', edge: part.edge })
      return true
    case 'ahead': {
      const inner = programOf(part.part)
      if (inner === undefined) return false
      program.push({ op: 'ahead', program: inner, negate: part.negate })
      return true
    }
    case 'sequence':
      return part.parts.every((inner) => emit(inner, program))
    case 'either': {
      const fork: number[] = []
      const ends: number[][] = []
      program.push({ op: 'split', to: fork })
      for (const inner of part.parts) {
        fork.push(program.length)
        if (!emit(inner, program)) return false
        const end: number[] = []
        ends.push(end)
        program.push({ op: 'split', to: end })
      }
      for (const end of ends) end.push(program.length)
      return true
    }
    case 'repeat': {
      for (let i = 0; i < part.min; i++) {
        const before = program.length
        if (!emit(part.part, program)) return false
        // As often as one likes, nothing stays nothing.
        if (program.length === before) break
      }
      if (part.max === Infinity) {
        const fork: number[] = [program.length + 1]
        const start = program.length
        program.push({ op: 'split', to: fork })
        if (!emit(part.part, program)) return false
        program.push({ op: 'split', to: [start] })
        fork.push(program.length)
        return true
      }
      const forks: number[][] = []
      for (let i = part.min; i < part.max; i++) {
        const fork: number[] = [program.length + 1]
        forks.push(fork)
        program.push({ op: 'split', to: fork })
        if (!emit(part.part, program)) return false
      }
      for (const fork of forks) fork.push(program.length)
      return true
    }
  }
}

/**
 * Whether the program finds a match in the text; with `fromStart`, only at its start. False when the text
 * is too long to tell. A match in a short text is confirmed by `regexp`, the same pattern on the platform.
 */
export function runs(program: Program, regexp: RegExp, fromStart: boolean, text: string): boolean {
  const characters = regexp.unicode ? [...text] : text.split('')
  const budget = { left: MOST_VISITS }
  const found = run(program, characters, 0, fromStart ? 0 : characters.length, budget)
  // Cheap for any pattern: even exponential backtracking over 20 characters ends.
  return found && (characters.length > 20 || regexp.test(text))
}

function run(
  program: Program,
  text: readonly string[],
  first: number,
  last: number,
  budget: { left: number },
): boolean {
  const width = text.length + 1
  budget.left -= (program.length * width) >> 3 // setting up costs too, and a lookahead sets up once per place
  if (budget.left < 0) return false
  const seen = new Uint8Array(program.length * width)
  const stack: number[] = []
  for (let at = last; at >= first; at--) stack.push(at)
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    if (seen[state] === 1) continue
    seen[state] = 1
    if (--budget.left < 0) return false
    const at = state % width
    const place = (state - at) / width
    const step = program[place] as Instruction
    const next = state + width
    switch (step.op) {
      case 'end':
        return true
      case 'one':
        if (at < text.length && step.has(text[at] as string)) stack.push(next + 1)
        break
      case 'split':
        for (let i = step.to.length - 1; i >= 0; i--) stack.push((step.to[i] as number) * width + at)
        break
      case 'edge':
        if (atEdge(step.edge, text, at)) stack.push(next)
        break
      case 'ahead':
        if (run(step.program, text, at, at, budget) !== step.negate) stack.push(next)
        break
    }
  }
  return false
}

function atEdge(edge: 'start' | 'end' | 'word' | 'no word', text: readonly string[], at: number): boolean {
  if (edge === 'start') return at === 0
  if (edge === 'end') return at === text.length
  return (isWord(text[at - 1]) !== isWord(text[at])) === (edge === 'word')
}

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character)
