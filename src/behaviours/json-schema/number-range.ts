/** The numbers that bounds and `multipleOf` allow: tells members and draws one. */
import type { Random } from '../../engine/random.ts'

/**
 * The combined bounds of schemas. `steps` are the `multipleOf`s, including 1 when only whole numbers are
 * allowed.
 */
export interface NumberRange {
  readonly min: number
  readonly max: number
  readonly aboveMin: boolean
  readonly belowMax: boolean
  readonly steps: readonly number[]
}

/** Where numbers read well: drawn from here as far as the range allows, with this many decimals. */
export interface Window {
  readonly low: number
  readonly high: number
  readonly decimals: number
}

/**
 * Whether `x` is in the range; `strict` requires x / multipleOf to be whole in floating point too, as most
 * validators compute it.
 */
export function isInRange(range: NumberRange, x: number, strict: boolean): boolean {
  if (range.aboveMin ? !(x > range.min) : !(x >= range.min)) return false
  if (range.belowMax ? !(x < range.max) : !(x <= range.max)) return false
  return range.steps.every((step) => isMultiple(x, step, strict))
}

export function isMultiple(x: number, step: number, strict: boolean): boolean {
  const times = x / step
  if (Number.isInteger(times) && Math.abs(times) < 1e21) return true
  if (strict || !Number.isFinite(times)) return false
  const scale = scaleOf([x, step])
  return scaled(x, scale) % scaled(step, scale) === 0n
}

/** A function that draws from the range, or undefined when the range is seen to be empty. */
export function numberDraw(range: NumberRange): NumberDraw | undefined {
  if (range.min > range.max || (range.min === range.max && (range.aboveMin || range.belowMax)))
    return undefined
  const grid = range.steps.length === 0 ? 'none' : gridOf(range)
  if (grid === undefined) return undefined
  return (window, random, wide, accept) => {
    const near = wide ? { ...window, low: -1_000, high: 1_000 } : window
    let inexact: number | undefined
    let misses = 0
    for (const x of grid === 'none' ? decimals(range, near, random) : multiples(grid, near, random)) {
      if (!Number.isFinite(x) || !isInRange(range, x, false) || !accept(x)) continue
      if (isInRange(range, x, true)) return x === 0 ? 0 : x
      inexact ??= x
      if (++misses > 300) break
    }
    return inexact
  }
}

/**
 * Draws a number in or near the window that `accept` takes; undefined when none was found. `wide` draws
 * from all of a small range.
 */
export type NumberDraw = (
  window: Window,
  random: Random,
  wide: boolean,
  accept: (x: number) => boolean,
) => number | undefined

/** Numbers to try in a range without steps: with the decimals of the window, then with more. */
function* decimals({ min, max }: NumberRange, window: Window, random: Random): Generator<number> {
  const [low, high] = overlap(min, max, window)
  for (let i = 0; i < 12; i++) {
    const raw = low + (high - low) * random.next()
    yield i < 6 ? Number(raw.toFixed(Math.min(window.decimals + (i >> 1), 20))) : raw
  }
  yield* [low, high, (low + high) / 2]
}

/** The multiples of a step between two ends, as bigints: 0.1 is no exact double, but 1 tenth is a number. */
interface Grid {
  readonly first: bigint | undefined
  readonly last: bigint | undefined
  at(times: bigint): number
}

function gridOf({ min, max, aboveMin, belowMax, steps }: NumberRange): Grid | undefined {
  const scale = scaleOf([...steps, ...[min, max].filter(Number.isFinite)])
  const step = steps.map((one) => scaled(one, scale)).reduce(leastCommonMultiple)
  // The first multiple from `end` on, or beyond it.
  const edge = (end: number, beyond: boolean): bigint | undefined => {
    if (!Number.isFinite(end)) return undefined
    const times = ceilDivide(scaled(end, scale), step)
    return beyond && times * step === scaled(end, scale) ? times + 1n : times
  }
  const first = edge(min, aboveMin)
  const least = edge(-max, belowMax)
  const last = least === undefined ? undefined : -least
  if (first !== undefined && last !== undefined && first > last) return undefined
  return { first, last, at: (times) => Number(`${times * step}e-${scale}`) }
}

/** Numbers to try on a grid: by chance in the window, then one after the other. */
function* multiples({ first, last, at }: Grid, window: Window, random: Random): Generator<number> {
  const [low, high] = overlap(
    first === undefined ? -Infinity : at(first),
    last === undefined ? Infinity : at(last),
    window,
  )
  const clamp = (times: bigint): bigint =>
    first !== undefined && times < first ? first : last !== undefined && times > last ? last : times
  const timesIn = (x: number): bigint => {
    const times = Math.round(x / at(1n))
    return clamp(Number.isFinite(times) ? BigInt(times) : 0n)
  }
  const from = timesIn(low)
  const spread = Math.max(0, Math.min(Number(timesIn(high) - from), Number.MAX_SAFE_INTEGER - 1))
  for (let i = 0; i < 12; i++) yield at(from + BigInt(random.integer(0, spread)))
  const start = first ?? from
  for (let times = start; times < start + 20_000n && (last === undefined || times <= last); times++)
    yield at(times)
  if (first === undefined) for (let times = from; times > from - 300n; times--) yield at(times)
}

/**
 * The part of the window that the range allows, else a stretch of its width at the nearer end of the range.
 */
function overlap(
  lowest: number,
  highest: number,
  window: { readonly low: number; readonly high: number },
): [number, number] {
  const low = Math.max(lowest, window.low)
  const high = Math.min(highest, window.high)
  if (low <= high) return [low, high]
  const width = Math.max(window.high - window.low, 1)
  return lowest > window.high
    ? [lowest, Math.min(highest, lowest + width)]
    : [Math.max(lowest, highest - width), highest]
}

function parse(x: number): { digits: bigint; scale: number } {
  const [mantissa = '0', exponent = '0'] = String(x).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) }
}

const scaleOf = (numbers: readonly number[]): number => Math.max(0, ...numbers.map((x) => parse(x).scale))

/** The decimal that a number is written as, as a whole number at a scale. */
function scaled(x: number, scale: number): bigint {
  const { digits, scale: own } = parse(x)
  return digits * 10n ** BigInt(scale - own)
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return (a / x) * b
}

function ceilDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b !== 0n && a > 0n === b > 0n ? quotient + 1n : quotient
}
