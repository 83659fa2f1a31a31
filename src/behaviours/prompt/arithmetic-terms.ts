/** The terms of a calculation, and how they are put together. */

export type Term =
  | { readonly kind: 'number'; readonly value: number; readonly percent: boolean }
  | { readonly kind: 'group'; readonly inner: Term }
  | { readonly kind: 'call'; readonly name: string; readonly inputs: readonly Term[] }
  | { readonly kind: 'infix'; readonly operator: string; readonly left: Term; readonly right: Term }

export const numberTerm = (value: number): Term => ({ kind: 'number', value, percent: false })

export function applied(sign: string, left: Term, right: Term): Term {
  const infix = (operator: string, a: Term, b: Term): Term => ({
    kind: 'infix',
    operator,
    left: a,
    right: b,
  })
  if (sign === 'of') return infix('*', left, right)
  const isShare = left.kind === 'number' && left.percent
  if (sign === 'off')
    return infix('*', right, numberTerm(1 - (isShare ? (left as { value: number }).value / 100 : 0)))
  // "80 plus 15%" adds a share of the 80.
  return (sign === '+' || sign === '-') && right.kind === 'number' && right.percent && !isShare
    ? infix('*', left, numberTerm(1 + (sign === '+' ? right.value : -right.value) / 100))
    : infix(sign, left, right)
}

/** Half of 90 is 90 / 2, double 21 is 21 * 2. */
export const shareOf = (value: number, of: Term): { left: Term; right: Term } => ({
  left: of,
  right: numberTerm(value < 1 ? Math.round(1 / value) : value),
})

export function joined(operator: string, terms: readonly Term[]): Term {
  const sum = (sign: string): Term =>
    terms.slice(1).reduce((left, right) => applied(sign, left, right), terms[0] as Term)
  if (operator === 'max' || operator === 'min') return { kind: 'call', name: operator, inputs: terms }
  return operator === 'average'
    ? applied('/', { kind: 'group', inner: sum('+') }, numberTerm(terms.length))
    : sum(operator)
}

export function unwrapped(term: Term): Exclude<Term, { kind: 'group' }> {
  return term.kind === 'group' ? unwrapped(term.inner) : term
}

export function addNumbers(term: Term, numbers: number[]): void {
  if (term.kind === 'number') numbers.push(term.value)
  else if (term.kind === 'group') addNumbers(term.inner, numbers)
  else if (term.kind === 'call') for (const input of term.inputs) addNumbers(input, numbers)
  else for (const side of [term.left, term.right]) addNumbers(side, numbers)
}
