/** Fills a number: from the prompt, an example, or a typical range for the property's name. */

import type { ValueShape } from './clause.ts'
import { type FillSite, type FillTask, failed, type NONE } from './filling.ts'
import { boundsFromPrompt } from './from-prompt/values.ts'
import { isInRange, type NumberRange, type Window } from './number-range.ts'
import type { Naming } from './property-naming.ts'

/** A number of this shape, or `NONE`. */
export function fillNumber(task: FillTask): number | typeof NONE {
  const { shape, place, accept, filling } = task
  const { range, draw } = shape.number as NonNullable<ValueShape['number']>
  const fits = (x: number): boolean => isInRange(range, x, true) && accept(x)
  if (!place.byChance) {
    const example = shape.examples.find((one) => typeof one === 'number' && fits(one))
    if (example !== undefined) return example as number
  }
  const window = isPosition(place)
    ? { low: place.index + 1, high: place.index + 1, decimals: 0 }
    : clampWindow(
        windowOf(place.naming, range),
        boundsIn(shape.description) ?? boundsFromPrompt(place.naming, filling),
      )
  const x = draw(window, place.random.fork('number'), place.byChance, accept)
  if (x !== undefined) return x
  const keyword = range.steps.some((step) => step !== 1) ? 'multipleOf' : 'minimum'
  return failed(task, keyword, 'no matching number was found; write wider bounds')
}

/** Whether the number is the position of an item: an index anywhere, a day in an itinerary. */
function isPosition({ naming, depth }: FillSite): boolean {
  return naming.kind === 'index' || (depth > 2 && naming.words.length === 1 && naming.words[0] === 'day')
}

// Kind, minimum, maximum, and the number of decimals if it is not 0.
const TABLE = `
age 18 75, year 2020 2026, month 1 12, week 1 52, date 1 28, hour 0 23, minute 5 55, second 5 55,
time 8 20, duration 5 90, day_count 1 10, latitude -60 70 4, longitude -180 180 4, temperature -5 32 1,
humidity 30 90, percent 5 95, amount 5 250 2, money 5 250 2, count 1 10, rating 3 5 1, distance 1 120 1,
weight 1 90 1, height 10 200 1, population 20000 9000000, speed 5 120 1, calorie 120 900, port 3000 9000,
status_code 200 200, id 1000 9999, epoch 1767225600 1798761599, datetime 1767225600 1798761599,
operand 1 20
`
const WINDOWS: ReadonlyMap<string, Window> = new Map(
  TABLE.trim()
    .split(/,\s+/)
    .map((row) => {
      const [kind = '', low, high, decimals = 0] = row.split(' ')
      return [kind, { low: Number(low), high: Number(high), decimals: Number(decimals) }]
    }),
)

const bounds = new RegExp(
  String.raw`(?:\bfrom |\bbetween |\bscale of |\brang\w+ (?:of |from )?|\(` +
    String.raw`|\b)(-?\d{1,6}(?:\.\d{1,4})?) ?(?:-|–|to|and|\.\.) ?(-?\d{1,6}(?:\.\d{1,4})?)(?![\d\w])`,
  'iu',
)

/** The bounds in a description: "from 0.0 to 1.0", "1-5", "between 0 and 100". */
function boundsIn(description: string | undefined): { low: number; high: number } | undefined {
  const [, low, high] = (description === undefined ? null : bounds.exec(description)) ?? []
  return low === undefined || Number(low) >= Number(high)
    ? undefined
    : { low: Number(low), high: Number(high) }
}

/** The window within the bounds of the prompt; moved into them if they do not overlap. */
function clampWindow(window: Window, { low, high }: { low: number; high: number }): Window {
  if (low === -Infinity && high === Infinity) return window
  const [least, most] = [Math.max(window.low, low), Math.min(window.high, high)]
  if (least <= most) return { ...window, low: least, high: most }
  if (low !== -Infinity && high !== Infinity)
    return { low, high, decimals: Number.isInteger(high - low) && high - low > 2 ? window.decimals : 2 }
  return { ...window, low: low === -Infinity ? high / 2 : low, high: high === Infinity ? low * 2 : high }
}

/** Whether values of this kind may be numbers, and a string of this kind may contain one. */
export function isNumeric(kind: string): boolean {
  return (WINDOWS.has(kind) && kind !== 'operand') || kind === 'score' || kind === 'probability'
}

const DEFAULT_WINDOW: Window = { low: 1, high: 100, decimals: 2 }

const COUNTING: ReadonlySet<string> = new Set(
  'num number count total limit max maximum min minimum'.split(' '),
)

function windowOf({ kind, words }: Naming, range: NumberRange): Window {
  if (kind === 'probability' || kind === 'score') {
    if (range.steps.length > 0 || range.max > 10) {
      if ((range.max > 10 && range.max <= 100) || kind === 'score' || range.steps.length > 0)
        return { low: 50, high: 99, decimals: 0 }
    }
    return range.max <= 1 || range.max > 10
      ? { low: 0.5, high: 0.99, decimals: 2 }
      : { low: range.max / 2, high: range.max, decimals: 1 }
  }
  const isCount = words.some((word) => COUNTING.has(word))
  return WINDOWS.get(kind ?? '') ?? (isCount ? { low: 1, high: 20, decimals: 0 } : DEFAULT_WINDOW)
}
