/**
 * The calculations that a prompt asks for, in signs or in words: "(3 + 4) * 2", "17 times 23", "15% of 80",
 * "subtract 4 from 10", "the square root of 144", "the average of 3, 5 and 10".
 */
import { addNumbers, applied, joined, numberTerm, shareOf, type Term, unwrapped } from './arithmetic-terms.ts'
import { type Token, tokensOf } from './arithmetic-words.ts'
import { mayCount } from './number-words.ts'

export interface Calculation {
  /** What is done last: `+`, `-`, `*`, `/`, `%`, `^`, `average`, `max`, or the name of a function. */
  readonly operator: string
  /**
   * The numbers, in the order in which they are calculated with: of "subtract 4 from 10", 10 and
   * 4. Where several things are asked in turn, those of the first.
   */
  readonly operands: readonly number[]
  /** All of it. */
  readonly term: Term
}

/** The maximum of tokens that are read, of nested parentheses, and of calculations. */
const maxTokens = 600
const maxNesting = 20
const maxCalculations = 8

/** The calculations of a prompt in its order; "it" and "the result" are the number `known` before. */
export function calculationsIn(prompt: string, known: number | undefined): readonly Calculation[] {
  if (known === undefined && !mayCount(prompt)) return []
  const tokens = tokensOf(prompt, maxTokens)
  const found: Calculation[] = []
  for (let at = 0; at < tokens.length && found.length < maxCalculations; ) {
    const reader = new Reader(tokens, at, known)
    const calculation = reader.calculation()
    if (calculation === undefined) at++
    else {
      found.push(calculation)
      at = reader.at
    }
  }
  return found
}

const strengths: ReadonlyMap<string, number> = new Map([
  ['+', 1],
  ['-', 1],
  ['*', 2],
  ['/', 2],
  ['%', 2],
  ['of', 2],
  ['off', 2],
  ['^', 3],
])
/** What turns the operands of a request: "take 4 from 10", "divide 9 into 81". */
const turning: ReadonlyMap<string, string> = new Map([
  ['-', 'from'],
  ['/', 'into'],
])
const noTerm = undefined

class Reader {
  at: number
  readonly #tokens: readonly Token[]
  #known: Term | undefined
  #nesting = 0

  constructor(tokens: readonly Token[], at: number, known: number | undefined) {
    this.#tokens = tokens
    this.at = at
    this.#known = known === undefined ? undefined : numberTerm(known)
  }

  calculation(): Calculation | undefined {
    const start = this.at
    // A calculation begins with a number, a sign, a parenthesis, or the words for what to do.
    const first = this.#tokens[start]
    if (first === undefined || first.kind === 'join' || first.kind === 'other') return undefined
    const asked = this.#request()
    if (asked !== undefined) return { ...asked, term: this.#continued(asked.term) }
    this.at = start
    const term = this.#infix(0)
    if (term === undefined || term.kind === 'number' || this.at === start) return undefined
    const operands: number[] = []
    addNumbers(term, operands)
    const outer = unwrapped(term)
    return outer.kind === 'number' || operands.length === 0
      ? undefined
      : {
          operator: outer.kind === 'call' ? outer.name : outer.operator,
          operands,
          term: this.#continued(term),
        }
  }

  /** "Subtract 4 from 10", "the sum of 4, 5 and 6". */
  #request(): Calculation | undefined {
    const operator = this.#take('request')
    // "Divide by 2" is said of the result.
    if (operator !== undefined && this.#known !== undefined) this.#joins()
    const found = operator === undefined ? [] : this.#terms(operator)
    const [only] = found
    const terms =
      found.length === 1 && only !== undefined && only !== this.#known && this.#known !== undefined
        ? [this.#known, only]
        : found
    if (operator === undefined || terms.length < 2) return undefined
    const operands: number[] = []
    for (const term of terms) addNumbers(term, operands)
    return { operator, operands, term: joined(operator, terms) }
  }

  /** What is to be added, subtracted, …, in the order of the calculation. */
  #terms(operator: string): readonly Term[] {
    const terms: Term[] = []
    const isList = this.#takeText('(')
    let turned = false
    for (;;) {
      const term = this.#infix(strengths.get(operator) === 2 ? 3 : 2)
      if (term === undefined) break
      terms.push(term)
      const mark = this.at
      const joins = this.#joins()
      // "Divided by" between the operands says again what the verb has said.
      const sign = this.#peek()
      const isSaidAgain =
        sign?.kind === 'sign' && (sign.text === operator || (sign.text === '/' && operator === '%'))
      if (isSaidAgain) this.at++
      if (!isSaidAgain && (joins.length === 0 || !this.#isOperand())) {
        this.at = mark
        break
      }
      turned ||= joins.includes(turning.get(operator) ?? '')
    }
    if (isList) this.#takeText(')')
    return turned ? [terms.at(-1) as Term, ...terms.slice(0, -1)] : terms
  }

  /** What is done with the result: "… and add 5", "…, then divide it by 2". */
  #continued(first: Term): Term {
    let whole = first
    for (;;) {
      const mark = this.at
      this.#joins()
      if (this.#peek()?.text === 'then') this.at++
      const operator = this.#take('request')
      if (operator === undefined || (operator.length > 1 && operator !== '^')) {
        this.at = mark
        return whole
      }
      const carried = whole
      this.#known = carried
      this.#joins()
      const terms = this.#terms(operator)
      const [only, other] = terms
      if (only === undefined || terms.length > 2 || (other !== undefined && !terms.includes(carried))) {
        this.at = mark
        return whole
      }
      whole = other === undefined ? joined(operator, [carried, only]) : joined(operator, terms)
    }
  }

  #joins(): readonly string[] {
    const joins: string[] = []
    for (let word = this.#take('join'); word !== undefined; word = this.#take('join')) joins.push(word)
    return joins
  }

  #infix(strength: number): Term | undefined {
    let left = this.#operand()
    while (left !== undefined) {
      const sign = this.#peek()
      const own = sign?.kind === 'sign' ? strengths.get(sign.text) : undefined
      if (sign === undefined || own === undefined || own < strength) return left
      const mark = this.at
      this.at++
      // Powers are taken from the right: 2 ^ 3 ^ 2 is 2 ^ 9.
      const right = this.#infix(sign.text === '^' ? own : own + 1)
      if (right === undefined) {
        this.at = mark
        return left
      }
      left = applied(sign.text, left, right)
    }
    return noTerm
  }

  #operand(): Term | undefined {
    const token = this.#peek()
    if (token === undefined || this.#nesting > maxNesting) return noTerm
    this.at++
    this.#nesting++
    const term = this.#operandFrom(token)
    this.#nesting--
    if (term === undefined) {
      this.at--
      return noTerm
    }
    const power = this.#take('power')
    return power === undefined ? term : applied('^', term, numberTerm(Number(power)))
  }

  #operandFrom(token: Token): Term | undefined {
    if (token.kind === 'number') return { kind: 'number', value: token.value, percent: token.percent }
    if (token.kind === 'known') return this.#known
    if (token.kind === 'share') {
      const of = this.#infix(2)
      return of && { kind: 'infix', operator: token.value < 1 ? '/' : '*', ...shareOf(token.value, of) }
    }
    if (token.kind === 'call') {
      const isOpen = this.#peek()?.text === '('
      const inputs = isOpen ? this.#inputs() : [this.#operand()].filter((one) => one !== undefined)
      return inputs === undefined || inputs.length === 0 ? noTerm : { kind: 'call', name: token.text, inputs }
    }
    if (token.text === '(') {
      const inner = this.#infix(0)
      return inner !== undefined && this.#takeText(')') ? { kind: 'group', inner } : noTerm
    }
    // "Take" is a minus too, but no sign.
    if (token.kind !== 'sign' || token.text !== '-') return noTerm
    const number = this.#peek()
    if (number?.kind !== 'number') return noTerm
    this.at++
    return { kind: 'number', value: -number.value, percent: number.percent }
  }

  /** The inputs of a function in parentheses. */
  #inputs(): readonly Term[] | undefined {
    const inputs: Term[] = []
    while (this.#takeText(inputs.length === 0 ? '(' : ',')) {
      const term = this.#infix(0)
      if (term === undefined) return undefined
      inputs.push(term)
    }
    return this.#takeText(')') ? inputs : undefined
  }

  #peek(): Token | undefined {
    return this.#tokens[this.at]
  }

  #isOperand(): boolean {
    const token = this.#peek()
    return token !== undefined && token.kind !== 'other' && token.kind !== 'request'
  }

  #take(kind: Token['kind']): string | undefined {
    const token = this.#peek()
    if (token?.kind !== kind) return undefined
    this.at++
    return token.text
  }

  #takeText(text: string): boolean {
    const taken = this.#peek()?.text === text
    if (taken) this.at++
    return taken
  }
}
