/** The numbers that bounds and `multipleOf` allow: tests whether one is allowed, and draws one. */
import type { Random } from '../../engine/random.ts'

/**
 * The combined bounds of schemas. `steps` are the values of `multipleOf`, and 1 if only whole numbers are
 * allowed.
 */
export interface NumberRange {
  readonly min: number
  readonly max: number
  readonly aboveMin: boolean
  readonly belowMax: boolean
  readonly steps: readonly number[]
}

/** A window of natural numbers, used as far as the range allows, with this many decimals. */
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
  const [left, right] = atOneScale([x, step])
  return (left as bigint) % (right as bigint) === 0n
}

/** A function that draws from the range; undefined if the range is clearly empty. */
export function numberDraw(range: NumberRange): NumberDraw | undefined {
  if (range.min > range.max || (range.min === range.max && (range.aboveMin || range.belowMax)))
    return undefined
  return range.steps.length === 0 ? continuous(range) : stepped(range)
}

/**
 * Draws a number in or near the window that `accept` accepts; undefined if none was found. `wide` draws from
 * the whole of a small range.
 */
export type NumberDraw = (
  window: Window,
  random: Random,
  wide: boolean,
  accept: (x: number) => boolean,
) => number | undefined

function continuous(range: NumberRange): NumberDraw | undefined {
  const lowest = range.aboveMin ? neighbour(range.min, 1) : range.min
  const highest = range.belowMax ? neighbour(range.max, -1) : range.max
  if (lowest > highest) return undefined
  return (window, random, wide, accept) => {
    const [low, high] = overlap(lowest, highest, wide ? { low: -1_000, high: 1_000 } : window)
    const good = (x: number): boolean => isInRange(range, x, true) && Math.abs(x) !== Infinity && accept(x)
    for (let i = 0; i < 12; i++) {
      const raw = low + (high - low) * random.next()
      const rounded = i < 6 ? Number(raw.toFixed(Math.min(window.decimals + (i >> 1), 20))) : raw
      if (good(rounded)) return rounded === 0 ? 0 : rounded
    }
    for (const x of [low, high, lowest, highest, (low + high) / 2]) if (good(x)) return x
    for (let x = lowest, i = 0; x <= highest && i < 200; x = neighbour(x, 1), i++) if (good(x)) return x
    return undefined
  }
}

function stepped(range: NumberRange): NumberDraw | undefined {
  const whole = range.steps.every((step) => step === 1)
  if ((whole && Math.abs(range.min) <= MOST) || (whole && !Number.isFinite(range.min))) {
    if (Math.abs(range.max) <= MOST || !Number.isFinite(range.max)) return wholeNumbers(range)
  }
  // Decimals as integers of one scale: 0.1 is not an exact double, but 1 tenth is an exact bigint.
  const finite = [range.min, range.max].filter(Number.isFinite)
  const scaled = atOneScale([...range.steps, ...finite])
  const scale = scaleOf([...range.steps, ...finite])
  const step = scaled.slice(0, range.steps.length).reduce(leastCommonMultiple)
  const ends = scaled.slice(range.steps.length)
  const min = Number.isFinite(range.min) ? ends.shift() : undefined
  const max = ends.shift()
  let first = min === undefined ? undefined : ceilDivide(min, step)
  let last = max === undefined ? undefined : -ceilDivide(-max, step)
  if (first !== undefined && range.aboveMin && first * step === min) first += 1n
  if (last !== undefined && range.belowMax && last * step === max) last -= 1n
  if (first !== undefined && last !== undefined && first > last) return undefined

  const numberAt = (times: bigint): number => Number(`${times * step}e-${scale}`)
  return (window, random, wide, accept) => {
    const unit = numberAt(1n)
    const [low, high] = overlap(
      first === undefined ? -Infinity : numberAt(first),
      last === undefined ? Infinity : numberAt(last),
      wide ? { low: -1_000, high: 1_000 } : window,
    )
    const clamp = (times: bigint): bigint =>
      first !== undefined && times < first ? first : last !== undefined && times > last ? last : times
    const from = clamp(timesIn(low, unit))
    const to = clamp(timesIn(high, unit))
    const spread = to > from ? Number(to - from > 1_000_000n ? 1_000_000n : to - from) : 0
    let inexact: number | undefined
    const good = (x: number): boolean => {
      if (!Number.isFinite(x) || !isInRange(range, x, false) || !accept(x)) return false
      if (isInRange(range, x, true)) return true
      inexact ??= x
      return false
    }
    for (let i = 0; i < 40; i++) {
      const x = numberAt(from + BigInt(random.integer(0, spread)))
      if (good(x)) return x
    }
    for (const start of [first, from, last === undefined ? undefined : last - 300n]) {
      if (start === undefined) continue
      for (let times = clamp(start), i = 0; i < 300 && (last === undefined || times <= last); times++, i++) {
        const x = numberAt(times)
        if (good(x)) return x
      }
    }
    return inexact
  }
}

const MOST = Number.MAX_SAFE_INTEGER

function wholeNumbers(range: NumberRange): NumberDraw | undefined {
  const first = range.aboveMin && Number.isInteger(range.min) ? range.min + 1 : Math.ceil(range.min)
  const last = range.belowMax && Number.isInteger(range.max) ? range.max - 1 : Math.floor(range.max)
  if (first > last) return undefined
  return (window, random, wide, accept) => {
    const [low, high] = overlap(first, last, wide ? { low: -1_000, high: 1_000 } : window)
    const from = Math.max(first, Math.ceil(low))
    const to = Math.max(from, Math.min(last, Math.floor(high)))
    for (let i = 0; i < 12; i++) {
      const x = random.integer(from, to)
      if (accept(x)) return x
    }
    for (let x = Number.isFinite(first) ? first : from, i = 0; x <= last && i < 20_000; x++, i++)
      if (accept(x)) return x
    for (let x = from, i = 0; x >= first && i < 20_000; x--, i++) if (accept(x)) return x
    return undefined
  }
}

/**
 * The part of the window that the range allows, or an interval of the same width at its nearer end.
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

function timesIn(x: number, unit: number): bigint {
  const times = Math.round(x / unit)
  return Number.isFinite(times) ? BigInt(times) : 0n
}

/** The next double above (1) or below (-1). */
function neighbour(x: number, direction: 1 | -1): number {
  if (!Number.isFinite(x)) return x
  if (x === 0) return direction * Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, x)
  view.setBigInt64(0, view.getBigInt64(0) + (x > 0 === direction > 0 ? 1n : -1n))
  return view.getFloat64(0)
}

function parse(x: number): { digits: bigint; scale: number } {
  const [mantissa = '0', exponent = '0'] = String(x).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) }
}

const scaleOf = (numbers: readonly number[]): number => Math.max(0, ...numbers.map((x) => parse(x).scale))

/** The numbers as whole numbers of one common decimal scale. */
function atOneScale(numbers: readonly number[]): bigint[] {
  const scale = scaleOf(numbers)
  return numbers.map((x) => {
    const { digits, scale: own } = parse(x)
    return digits * 10n ** BigInt(scale - own)
  })
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
