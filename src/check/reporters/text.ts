/** The report of a check for people. */
import { counted } from '../../text/counted.ts'
import { type Paint, plain, type Style } from '../../text/paint.ts'
import { escapeControls } from '../../text/printable.ts'
import { wrap } from '../../text/wrap.ts'
import type { AcceptedFinding, CheckReport, Finding, SkippedProbe } from '../report.ts'
import { exchangeLines, placeOf } from './words.ts'

const width = 100

/** `config` is the content of a config file; empty for none. */
export function textReport(report: CheckReport, config: string, paint: Paint = plain): string {
  const { deviations, additions, accepted, unusedAccepted, expiredAccepted, skipped } = report
  const blocks = [
    ...deviations.map((finding) => findingBlock(finding, paint)),
    section('Beyond the contract (does not count)', additions.map(additionLine), paint),
    section('Accepted', accepted.map(acceptedLine), paint),
    section('Accepted until a day that has passed (counts again)', expiredAccepted, paint),
    section('Accepted, and not found', unusedAccepted, paint),
    section('Wrong requests (of the client, not of the gateway)', clientFaultLines(report), paint),
    section('Not judged', skippedLines(skipped), paint),
    config === '' ? '' : `${heading('gateway-sim.config.yaml to behave so', paint)}\n\n${indented(config)}`,
    summaryLine(report, paint),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

const styles: Readonly<Record<Finding['severity'], Style>> = {
  breaking: 'red',
  doubtful: 'yellow',
  addition: 'dim',
}

function findingBlock(finding: Finding, paint: Paint): string {
  const { severity, operations, section: where, states, expected, got, probes } = finding
  // Operations beyond the contract have no section.
  const held = [where, states].filter((part) => part !== undefined && part !== '').join(': ')
  const lines = [
    `${paint(styles[severity], severity)}  ${paint('bold', operations.join(', '))}  ${placeOf(finding)}`,
    ...(held === '' ? [] : wrapped(held)),
    ...wrapped(`expected ${expected}, got ${got}`),
    ...wrapped(
      `seen by: ${probes.slice(0, 5).join('; ')}${probes.length > 5 ? `; ${probes.length - 5} more` : ''}`,
    ),
    ...exchangeLines(finding).map((line) => paint('dim', `  ${escapeControls(line)}`)),
  ]
  return lines.join('\n')
}

const wrapped = (text: string): string[] => wrap('  ', escapeControls(text), width)

const heading = (title: string, paint: Paint): string => paint('bold', `${title}:`)

function section(title: string, lines: readonly string[], paint: Paint): string {
  if (lines.length === 0) return ''
  return [heading(title, paint), ...lines.flatMap(wrapped)].join('\n')
}

function additionLine({ operations, pointer, got }: Finding): string {
  return `${operations.join(', ')} ${pointer}: ${got}`
}

function acceptedLine(finding: AcceptedFinding): string {
  const { operations, expected, got, accepted } = finding
  return `${operations.join(', ')} ${placeOf(finding)}: expected ${expected}, got ${got} (${accepted})`
}

/** One line for each fault. */
function clientFaultLines({ clientFaults = [] }: CheckReport): string[] {
  const byFault = new Map<string, string[]>()
  for (const { operation, source, faults } of clientFaults) {
    const fault = `${operation} ${faults.join('; ')}`
    byFault.set(fault, [...(byFault.get(fault) ?? []), source])
  }
  return [...byFault].map(([fault, [first, ...others]]) =>
    others.length === 0 ? `${fault} (${first})` : `${fault} (${first}, and ${others.length} more)`,
  )
}

/** One line for each reason. */
function skippedLines(skipped: readonly SkippedProbe[]): string[] {
  const byReason = new Map<string, SkippedProbe[]>()
  for (const one of skipped) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), one])
  return [...byReason].map(([reason, probes]) => {
    const names = probes.slice(0, 3).map(({ probe }) => probe)
    const more = probes.length > 3 ? ` and ${probes.length - 3} more` : ''
    return `${names.join(', ')}${more}: ${reason}`
  })
}

const indented = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')

function summaryLine({ baseUrl, summary, accepted, clientFaults }: CheckReport, paint: Paint): string {
  const { checked, skipped, deviations } = summary
  const parts = [
    deviations === 0 ? 'no deviations' : counted(deviations, 'deviation'),
    ...(accepted.length === 0 ? [] : [`${accepted.length} accepted`]),
    // Only a recording says what its client did wrong.
    `${counted(checked, clientFaults === undefined ? 'probe' : 'call')} judged`,
    ...(skipped === 0 ? [] : [`${skipped} not judged`]),
  ]
  return paint(deviations === 0 ? 'green' : 'red', `${baseUrl}: ${parts.join(', ')}`)
}
