/** Writes a calculation so that the tool which asks for it can evaluate it. */
import type { Calculation } from '../../prompt/arithmetic.ts'
import type { Term } from '../../prompt/arithmetic-terms.ts'

interface Notation {
  readonly power: string
  /** In front of the names of functions. */
  readonly functions: string
  /** Whether roots are powers, for what knows no functions. */
  readonly rootsAsPowers: boolean
}

const plain: Notation = { power: '**', functions: '', rootsAsPowers: false }
const caret: Notation = { power: '^', functions: '', rootsAsPowers: false }
const javascript: Notation = { power: '**', functions: 'Math.', rootsAsPowers: false }
const signsOnly: Notation = { power: '**', functions: '', rootsAsPowers: true }

/** The expressions of a calculation, first as the description of the property asks for it. */
export function expressionsOf({ term }: Calculation, description: string = ''): readonly string[] {
  const first = /\bpython\b|\beval\b/i.test(description)
    ? signsOnly
    : /\bjavascript\b|\bjs\b/i.test(description)
      ? javascript
      : /\^|math\.?js/i.test(description)
        ? caret
        : plain
  return [...new Set([first, plain, signsOnly, caret].map((notation) => written(term, notation)))]
}

const strengths: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 3 }

function written(term: Term, notation: Notation): string {
  if (term.kind === 'number') return String(term.percent ? exact(term.value / 100) : term.value)
  if (term.kind === 'group') return `(${written(term.inner, notation)})`
  if (term.kind === 'call') {
    const inputs = term.inputs.map((input) => written(input, notation)).join(', ')
    const root = { sqrt: '0.5', cbrt: '(1/3)' }[term.name]
    return notation.rootsAsPowers && root !== undefined
      ? `${/^[\d.]+$/.test(inputs) ? inputs : `(${inputs})`} ** ${root}`
      : `${notation.functions}${term.name}(${inputs})`
  }
  const { operator, left, right } = term
  const own = strengths[operator] ?? 0
  const side = (inner: Term, least: number): string => {
    const text = written(inner, notation)
    const isNegativeBase = operator === '^' && inner === left && text.startsWith('-')
    return isNegativeBase || (inner.kind === 'infix' && (strengths[inner.operator] ?? 0) < least)
      ? `(${text})`
      : text
  }
  const isPower = operator === '^'
  const sign = isPower ? notation.power : operator
  return `${side(left, isPower ? own + 1 : own)} ${sign} ${side(right, isPower ? own : own + 1)}`
}

// 7 / 100 is 0.07, and 1.1 / 100 not 0.011000000000000001.
const exact = (x: number): number => Number(x.toPrecision(12))
