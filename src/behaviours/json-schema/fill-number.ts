/** Draws a number within bounds, near the usual numbers of its name. */
import type { Random } from '../../engine/random.ts'
import { isMultiple } from './conforms.ts'
import type { NumberShape } from './merge-schema.ts'

/** The usual numbers of a name: from `low` to `high` with so many decimals; -1 for whole numbers only. */
export interface UsualNumbers {
  readonly low: number
  readonly high: number
  readonly decimals: number
}

/** A number that the bounds allow, or undefined if none was found. */
export function fillNumber(
  shape: NumberShape,
  usual: UsualNumbers,
  random: Random,
  accepts: (number: number) => boolean,
): number | undefined {
  const { low, high } = within(shape, usual)
  const steps = usual.decimals < 0 ? [...shape.steps, 1] : shape.steps
  const fits = (number: number): boolean =>
    isInRange(shape, number) && steps.every((step) => isMultiple(number, step)) && accepts(number)
  if (steps.length > 0) return steppedNumber(Math.max(...steps), { low, high }, random, fits)
  const drawn = Array.from({ length: 8 }, () => low + (high - low) * random.next())
  const rounded = drawn.map((number) => Number(number.toFixed(usual.decimals)))
  // The usual numbers may touch the bounds only where these are exclusive.
  const least = Math.max(shape.min, low - 1000)
  const most = Math.min(shape.max, high + 1000)
  const anywhere = Array.from({ length: 8 }, () => least + (most - least) * random.next())
  return [...rounded, ...drawn, low, high, least, most, least / 2 + most / 2, ...anywhere].find(fits)
}

function isInRange({ min, max, aboveMin, belowMax }: NumberShape, number: number): boolean {
  if (!Number.isFinite(number) || number < min || number > max) return false
  return !(aboveMin && number === min) && !(belowMax && number === max)
}

/** The part of the usual numbers that the bounds allow, or as wide an interval at the nearer bound. */
function within({ min, max }: NumberShape, usual: UsualNumbers): { low: number; high: number } {
  const low = Math.max(min, usual.low)
  const high = Math.min(max, usual.high)
  if (low <= high) return { low, high }
  const width = Math.max(1, usual.high - usual.low)
  return min > usual.high
    ? { low: min, high: Math.min(max, min + width) }
    : { low: Math.max(min, max - width), high: max }
}

/** A multiple of the largest step: drawn, else the nearest ones to either bound. */
function steppedNumber(
  step: number,
  { low, high }: { low: number; high: number },
  random: Random,
  fits: (number: number) => boolean,
): number | undefined {
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)]
  // The product of decimals is inexact: 3 * 0.1 is not 0.3.
  const multiple = (times: number): number => {
    const product = times * step
    return Number.isInteger(product) ? product : Number(product.toPrecision(15)) || 0
  }
  const tried = function* (): Generator<number> {
    for (let turn = 0; turn < 30 && first <= last; turn++) yield multiple(random.integer(first, last))
    for (let turn = 0; turn < 1000; turn++) {
      yield multiple(first + turn)
      yield multiple(last - turn)
    }
  }
  for (const number of tried()) if (fits(number)) return number
  return undefined
}
