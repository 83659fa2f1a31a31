/** The settings that make the simulator behave like the gateway that was checked. */
import { isFields } from '../engine/fields.ts'
import { settingsSchema } from '../protocol/settings.ts'
import type { Outcome } from './outcome.ts'

/** How far a duration must be from the default to be worth a setting: it was measured by polling. */
const worthIt = 1.5

/** What was learned, as the content of a config file. What says the same as the default is left out. */
export function settingsFrom(outcomes: readonly Outcome[]): Readonly<Record<string, unknown>> {
  const defaults = settingsSchema.parse({}) as unknown
  const settings: Record<string, unknown> = {}
  const known = new Set<string>()
  for (const [path, value] of outcomes.flatMap(({ learned }) => learned)) {
    if (known.has(path)) continue
    known.add(path)
    const parts = path.split('.')
    const usual = parts.reduce<unknown>((from, part) => (isFields(from) ? from[part] : undefined), defaults)
    const written = isDuration(path) ? duration(value as number) : value
    if (isDuration(path) ? isNear(value as number, usual as number) : same(value, usual)) continue
    put(settings, parts, written)
  }
  return settings
}

const isDuration = (path: string): boolean => /\.(?:duration|firstTokenAfter|tokenEvery)$/.test(path)

const isNear = (took: number, usual: number): boolean => took < usual * worthIt && took > usual / worthIt

const duration = (ms: number): string => (ms < 10_000 ? `${ms}ms` : `${Math.round(ms / 1000)}s`)

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

function put(settings: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let holder = settings
  for (const part of path.slice(0, -1)) holder = (holder[part] ??= {}) as Record<string, unknown>
  holder[path.at(-1) as string] = value
}
