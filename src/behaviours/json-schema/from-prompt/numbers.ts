/** Finds the number in a prompt that a property asks for. */

import type { PromptFacts } from '../../prompt/facts.ts'
import type { NumberFact } from '../../prompt/surroundings.ts'
import type { Filling, FillSite } from '../filling.ts'
import type { Naming } from '../property-naming.ts'

/** Words of a name that do not tell one number from another. */
const PLAIN: ReadonlySet<string> = new Set(
  `
  number num no of the in total quantity qty is has amount count value max min maximum
  minimum limit per by to a an and size
  `
    .trim()
    .split(/\s+/),
)

const NEAR: Readonly<Record<string, string>> = {
  age: 'old aged age',
  money: 'dollar euro pound usd eur gbp budget price cost pay worth buck',
  amount: 'dollar euro pound usd eur gbp gram g kg ml cup',
  percent: 'percent',
  temperature: 'degree celsius fahrenheit',
  distance: 'km kilometer kilometre mile meter metre',
  duration: 'minute hour day',
  weight: 'kg kilo kilogram gram pound lb',
  height: 'cm meter metre feet foot inch',
  speed: 'kmh mph',
  calorie: 'calorie kcal',
  rate: 'percent',
  principal: 'dollar euro pound usd eur gbp loan',
  offset: 'skip',
  tail: 'last',
  head: 'first',
  limit: 'return',
  celsius: 'degree celsius c temperature',
  fahrenheit: 'degree fahrenheit f temperature',
  rating: 'star rated',
  guest: 'person guest adult party',
  party: 'person guest adult party',
  passenger: 'person passenger adult ticket traveler',
  people: 'person guest adult',
  traveler: 'person guest adult traveller passenger',
  night: 'night',
  top: 'top',
}
const MOST: ReadonlySet<string> = new Set('under below maximum max most up within limit than less'.split(' '))
const LEAST: ReadonlySet<string> = new Set('over above minimum min least from more'.split(' '))

/** The number that stands nearest to the property's words, if it `fits`; marks it as used. */
export function numberFromPrompt(
  place: FillSite,
  filling: Filling,
  fits: (x: number) => boolean,
  description: string = '',
): number | undefined {
  const { facts, used, turn } = filling
  if (place.naming.kind === 'operand' || (place.naming.kind === 'second' && filling.kinds.has('operand'))) {
    const operand = operandFor(place.naming, filling, fits)
    if (operand !== undefined) return operand
  }
  const isOrdinate = place.naming.kind === 'latitude' || place.naming.kind === 'longitude'
  const point = isOrdinate ? (facts.places.coordinates[turn] ?? facts.places.coordinates[0]) : undefined
  const ordinate =
    place.naming.kind === 'latitude' ? point?.[0] : place.naming.kind === 'longitude' ? point?.[1] : undefined
  if (ordinate !== undefined && fits(ordinate)) return ordinate
  if (facts.numbers.length === 0) return undefined
  const inCents =
    place.naming.words.some((word) => word === 'cent') || /\bcents?\b|\bminor units?\b/iu.test(description)
  const taken = (fact: NumberFact): number | undefined => {
    const money = [fact.before[0] ?? '', fact.after[0] ?? ''].some((word) => MONEY.has(word))
    const given = inCents && money ? Math.round(fact.value * 100) : fact.value
    if (fits(given)) return given
    const share = fact.value / 100
    return fact.after[0] === 'percent' && fits(share) ? share : undefined
  }
  const mark = (index: number): string => `#${index}:${facts.numbers[index]?.value}`
  const near = nearOf(place.naming)
  let best: { score: number; index: number; fact: NumberFact }[] = []
  for (const [index, fact] of facts.numbers.entries()) {
    const score = scoreOf(fact, place, near)
    const isUsed = used.includes(mark(index))
    // Each item of a result list has a number of its own, unless the prompt says "each".
    if (isUsed && place.depth > 2 && !fact.after.includes('each') && !fact.after.includes('per')) continue
    if (
      score < (isUsed ? 4 : 2) ||
      taken(fact) === undefined ||
      (best[0] !== undefined && score < best[0].score)
    )
      continue
    if (score === best[0]?.score) best.push({ score, index, fact })
    else best = [{ score, index, fact }]
  }
  const unused = best.filter(({ index }) => !used.includes(mark(index)))
  const chosen = (unused.length > 0 ? unused : best)[
    turn % Math.max(1, (unused.length > 0 ? unused : best).length)
  ]
  if (chosen !== undefined) {
    if (unused.length > 0) used.push(mark(chosen.index))
    return taken(chosen.fact)
  }
  // The one number of a prompt is for the one number that is asked for.
  const lone = isLoneNumber(place)
    ? facts.numbers.findIndex(
        (fact, index) =>
          !used.includes(mark(index)) && suits(fact, place.naming) && taken(fact) !== undefined,
      )
    : -1
  if (lone < 0) return undefined
  used.push(mark(lone))
  return taken(facts.numbers[lone] as NumberFact)
}

const SECOND: ReadonlySet<string> = new Set(
  'divisor subtrahend exponent denominator right rhs second'.split(' '),
)

const MONEY: ReadonlySet<string> = new Set('dollar euro pound usd eur gbp buck'.split(' '))

/** Whether a number is the only one that its object requires. */
function isLoneNumber({ within, naming, depth }: FillSite): boolean {
  if (depth > 2) return false
  const numbers = within?.properties.filter(
    ({ node, required }) => required && node.shapes.some((shape) => shape.number !== undefined),
  )
  return numbers?.length === 1 && numbers[0]?.naming === naming
}

/** Whether the unit of a number speaks for another property: "30 days" is no price. */
function suits({ before, after }: NumberFact, { kind }: Naming): boolean {
  const unit = [before[0] ?? '', after[0] ?? ''].find(
    (word) => UNITS.has(word) && !/^(?:to|from|and)$/.test(word),
  )
  return (
    unit === undefined ||
    (unit === 'percent' && kind === 'level') ||
    kind === undefined ||
    kind === 'operand' ||
    kind === 'money' ||
    kind === 'amount'
  )
}

/** The operand of the calculation in the prompt that a property such as `b` or `divisor` means. */
function operandFor(
  { words }: Naming,
  { facts, used, turn }: Filling,
  fits: (x: number) => boolean,
): number | undefined {
  const { calculations } = facts
  const operands = calculations[turn % Math.max(1, calculations.length)]?.operands ?? []
  const marks = operands.map((_, index) => `operand ${index}`)
  const free = marks.findIndex(
    (mark, index) =>
      !used.includes(mark) && !used.some((one) => one.startsWith('#') && one.endsWith(`:${operands[index]}`)),
  )
  const index = words.some((word) => SECOND.has(word)) && !used.includes('operand 1') ? 1 : free
  const mark = marks[index]
  if (mark === undefined || !fits(operands[index] as number)) return undefined
  used.push(mark)
  return operands[index]
}

/** The words that a number for this property stands next to. */
function nearOf({ words, kind }: Naming): readonly string[] {
  const telling = words.filter((word) => !PLAIN.has(word))
  return [
    ...telling,
    ...[kind, words.at(-1), ...telling].flatMap((key) =>
      key !== undefined && Object.hasOwn(NEAR, key) ? (NEAR[key] as string).split(' ') : [],
    ),
  ]
}

function scoreOf(
  fact: NumberFact,
  { naming: { words, kind }, depth }: FillSite,
  near: readonly string[],
): number {
  const isMost = words.some(
    (word) => word === 'max' || word === 'maximum' || word === 'most' || word === 'upper',
  )
  const isLeast = words.some(
    (word) => word === 'min' || word === 'minimum' || word === 'least' || word === 'lower',
  )
  const close = fact.before.slice(0, 2)
  if (
    (isLeast && close.some((word) => MOST.has(word)) && !close.some((word) => LEAST.has(word))) ||
    (isMost && close[0] !== undefined && LEAST.has(close[0]))
  )
    return 0
  // In a result list, a bound is not the value of each item.
  if (depth > 2 && !isMost && !isLeast && close.some((word) => MOST.has(word) || LEAST.has(word))) return 0
  let score = 0
  for (const [distance, word] of fact.after.slice(0, 3).entries())
    if (near.some((one) => one === word || (one.length > 3 && word === `${one}d`)))
      score += [6, 4, 2][distance] as number
  for (const [distance, word] of fact.before.slice(0, 3).entries())
    if (near.includes(word)) score += [5, 4, 2][distance] as number
  if ((isMost && close.some((word) => MOST.has(word))) || (isLeast && close.some((word) => LEAST.has(word))))
    score += 5
  if (kind === 'operand') score += 2
  if (
    kind === 'count' &&
    !fact.ordinal &&
    Number.isInteger(fact.value) &&
    words.every((word) => PLAIN.has(word)) &&
    !isMost &&
    !isLeast
  )
    score += fact.after[0] === undefined || UNITS.has(fact.after[0]) ? 0 : 2
  if (kind === 'count' && /^(?:top|first|last|next)$/.test(fact.before[0] ?? '')) score += 5
  if (kind === 'year' && /^(?:19|20)\d\d$/.test(String(fact.value))) score += 3
  return score
}

const UNITS: ReadonlySet<string> = new Set(
  `
  dollar euro pound percent degree old year month week day hour minute second am pm km mile kg and to from
  `
    .trim()
    .split(/\s+/),
)

/**
 * The minimum and maximum that the prompt sets for such a number ("under $50"); infinite when it sets none.
 */
export function boundsFromPrompt({ words, kind }: Naming, facts: PromptFacts): { low: number; high: number } {
  const bounds = { low: -Infinity, high: Infinity }
  if (kind === undefined || !Object.hasOwn(NEAR, kind)) return bounds
  const near = [...(NEAR[kind] as string).split(' '), ...words]
  for (const { value, before, after } of facts.numbers) {
    if (![...before.slice(0, 3), ...after.slice(0, 3)].some((word) => near.includes(word))) continue
    const close = before.slice(0, 3)
    if (close.some((word) => LEAST.has(word)) && !close.some((word) => MOST.has(word))) bounds.low = value
    else if (close.some((word) => MOST.has(word))) bounds.high = value
  }
  return bounds.low <= bounds.high ? bounds : { low: -Infinity, high: Infinity }
}
