/** The results of controls as text for terminals and coding agents. */
import type {
  AdvanceResult,
  ClockState,
  OverrideState,
  RequestExplanation,
  Verdict,
} from '../../generated/control-types.ts'
import { asciiOnly, counted } from '../../text/printable.ts'

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')

/** `2026-01-01T00:00:00.000Z (manual)` and what is due next. @internal */
export function printClock({ mode, speed, frozen, now, next, in: wait, pending }: ClockState): string {
  const details = [mode, ...(speed === 1 ? [] : [`speed ${speed}`]), ...(frozen ? ['frozen'] : [])]
  return lines([
    `${now} (${details.join(', ')})`,
    next === null ? 'nothing is due' : `next change: ${next} (in ${wait})`,
    ...(pending === 0 ? [] : [`${counted(pending, 'response')} waiting for the clock`]),
  ])
}

/** The time before and after, and each change between. @internal */
export function printAdvance({ now, from, fired, more, events, next }: AdvanceResult): string {
  return lines([
    `${from} -> ${now}`,
    ...fired.map(
      ({ at, resource, id, from: before, to }) =>
        `  ${at} ${resource} ${asciiOnly(id)}: ${changeText(statusText(before), statusText(to))}`,
    ),
    ...(more === 0 ? [] : [`  and ${counted(more, 'more change')}`]),
    ...(events === 0 ? [] : [`${counted(events, 'delayed event')} sent`]),
    next === null ? 'nothing is due' : `next change: ${next}`,
  ])
}

const changeText = (before: string, after: string): string =>
  before === after ? `status still ${after}` : `${before} -> ${after}`

const statusText = (status: unknown): string => (status === null ? 'none' : asciiOnly(String(status)))

/** `override-1: fault disconnect; operation chat.create; answered 0, 1 left`. @internal */
export function printOverride({ id, when, then, answered, left }: OverrideState): string {
  const fields = (of: OverrideState['when']): string[] =>
    Object.entries(of).map(([name, value]) => `${name} ${valueText(value)}`)
  const use = `answered ${answered}${left === null ? '' : `, ${left} left`}`
  const words = [...fields(then), ...fields(when), use]
  return `${asciiOnly(id)}: ${asciiOnly(words.join('; '))}\n`
}

function valueText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** One override a line. @internal */
export function printOverrides(overrides: readonly OverrideState[]): string {
  return overrides.length === 0 ? 'no overrides\n' : overrides.map(printOverride).join('')
}

/** `removed 2 overrides`. @internal */
export function printRemoved(overrides: readonly OverrideState[]): string {
  return `removed ${counted(overrides.length, 'override')}\n`
}

/** The explanation, and what to do if the response waits for the clock. @internal */
export function printExplanation({ text, waitsFor }: RequestExplanation): string {
  if (waitsFor === undefined) return `${text}\n`
  const command = `gateway-sim control clock.advance ${waitsFor}`
  return `${text}\nRun \`${command}\` while the client waits, or start the server with \`--clock auto\`.\n`
}

/** Whether the verification passed, and the expected and actual requests. @internal */
export function printVerdict({ ok, message }: Verdict): string {
  return `${ok ? 'passed' : 'failed'}: ${message}\n`
}

/** `reset: default, checkout`. @internal */
export function printReset(names: readonly string[]): string {
  return `reset: ${names.join(', ')}\n`
}
