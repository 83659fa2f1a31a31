/** Numbers to try within bounds: first those that are usual for a name. */
import type { Random } from '../../engine/random.ts'
import { byName, type Words } from '../words.ts'
import { written } from './merge-schema.ts'
import type { Subschema } from './read-schema.ts'

type Usual = readonly [low: number, high: number, decimals?: number]

/** Usual numbers by the last word of a name. */
const usualNumbers = byName<Usual>([
  ['age', [18, 75]],
  ['year', [2020, 2026]],
  ['month', [1, 12]],
  ['hour', [0, 23]],
  ['lat latitude', [-60, 70, 4]],
  ['lon longitude', [-180, 180, 4]],
  ['temperature', [-5, 32, 1]],
  ['percent percentage', [5, 95]],
  ['price cost amount total', [5, 250, 2]],
  ['rating', [3, 5, 1]],
  ['score confidence probability', [0.5, 0.99, 2]],
  ['count quantity', [1, 10]],
])

/** Numbers to try, most of them within the bounds. */
export function* numbers(
  schemas: readonly Subschema[],
  isWhole: boolean,
  name: Words,
  random: Random,
): Generator<number> {
  const min = Math.max(...written(schemas, 'minimum'), ...written(schemas, 'exclusiveMinimum'))
  const max = Math.min(...written(schemas, 'maximum'), ...written(schemas, 'exclusiveMaximum'))
  const [least, most, decimals = 0] = usualNumbers.get(name.words.at(-1) ?? '') ?? [1, 100, 2]
  // A score is a part of one, or of a hundred.
  const scale = isWhole && most < 1 ? 100 : 1
  const [low, high] = within([min, max], [least * scale, most * scale])
  const steps = [...written(schemas, 'multipleOf'), ...(isWhole ? [1] : [])]
  if (steps.length > 0) yield* multiples(Math.max(...steps), low, high, random)
  const draw = (from: number, to: number): number => from + (to - from) * random.next()
  for (let turn = 0; turn < 8; turn++) yield Number(draw(low, high).toFixed(decimals)) || 0
  // The usual numbers may touch the bounds only where these are exclusive.
  const [from, to] = [Math.max(min, low - 1000), Math.min(max, high + 1000)]
  yield* [low, high, from, to, from / 2 + to / 2]
  for (let turn = 0; turn < 8; turn++) yield* [draw(low, high), draw(from, to)]
}

type Interval = readonly [low: number, high: number]

/** The part of the usual numbers that the bounds allow, or as wide an interval at the nearer bound. */
function within([min, max]: Interval, [least, most]: Interval): Interval {
  const [low, high] = [Math.max(min, least), Math.min(max, most)]
  if (low <= high) return [low, high]
  const width = Math.max(1, most - least)
  return min > most ? [min, Math.min(max, min + width)] : [Math.max(min, max - width), max]
}

/** Multiples of the largest step: drawn, else those that are nearest to either bound. */
function* multiples(step: number, low: number, high: number, random: Random): Generator<number> {
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)]
  // The product of decimals is inexact: 3 * 0.1 is not 0.3.
  const multiple = (times: number): number => {
    const product = times * step
    return (Number.isInteger(product) ? product : Number(product.toPrecision(15))) || 0
  }
  for (let turn = 0; turn < 30 && first <= last; turn++) yield multiple(random.integer(first, last))
  for (let turn = 0; turn < 1000; turn++) {
    yield multiple(first + turn)
    yield multiple(last - turn)
  }
}
