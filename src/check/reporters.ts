/** The reports of a check: text, JUnit, Markdown. */
import { grouped } from '../engine/fields.ts'
import { clip } from '../protocol/wording.ts'
import { type JunitCase, junitXml } from '../text/junit.ts'
import { markdownReport as markdown } from '../text/markdown.ts'
import { type Paint, plain, type Style } from '../text/paint.ts'
import { counted, escapeControls, wrap } from '../text/printable.ts'
import { entriesFor, isEventStream } from './findings.ts'
import type {
  AcceptedFinding,
  CheckedProbe,
  CheckReport,
  Finding,
  SkippedProbe,
  UncheckedOperations,
} from './report.ts'
import { hasAll } from './shared-failures.ts'

/** `body /choices/0/index`. */
export function placeOf({ where, pointer }: Pick<Finding, 'where' | 'pointer'>): string {
  return pointer === '' ? where : `${where} ${pointer}`
}

const maxBody = 160
const maxEvent = 240

function exchangeLines({ request, response }: Finding): string[] {
  const asked = `${request.method} ${request.url}${bodyOf(request.body)}`
  const { status, headers, body } = response
  if (typeof body !== 'string' || !isEventStream(headers['content-type']))
    return [asked, `→ ${status}${bodyOf(body)}`]
  return [asked, `→ ${status}`, ...body.split('\n\n').map(eventLine)]
}

/** Ids and the model come first, what differs last. */
function eventLine(event: string): string {
  const text = event.replace(/\s+/g, ' ')
  return ` ${text.length > maxEvent ? `${text.slice(0, 40)}…${text.slice(40 - maxEvent)}` : text}`
}

function bodyOf(body: unknown): string {
  if (body === undefined) return ''
  return ` ${clip(typeof body === 'string' ? body.replace(/\s+/g, ' ') : JSON.stringify(body), maxBody)}`
}

const width = 100

/** `config` is the content of a config file; empty for none. `canAccept`: whether `--accept` exists. */
export function textReport(
  report: CheckReport,
  config: string,
  paint: Paint = plain,
  canAccept = true,
): string {
  const { violations, additions, accepted, unusedAccepted, expiredAccepted } = report
  const blocks = [
    ...rejectedLines(report).map((line) => paint('yellow', escapeControls(line))),
    ...onlyHint(report),
    ...violations.map((finding) => findingBlock(finding, paint)),
    violations.some(({ severity }) => severity === 'doubtful') ? paint('dim', meaningOfDoubtful) : '',
    canAccept ? entriesBlock(violations, paint) : '',
    section('Not in the contract (not counted)', additions.map(additionLine), paint),
    section('Accepted', accepted.map(acceptedLine), paint),
    section('Expired entries of the --accept file (violations counted)', expiredAccepted, paint),
    section('Unused entries of the --accept file', unusedAccepted, paint),
    section('Client errors (not counted)', clientErrorLines(report), paint),
    section('Skipped', skippedLines(report), paint),
    section('Not checked', uncheckedLines(report), paint),
    section('Not measured', unmeasuredLines(report), paint),
    config === '' ? '' : `${heading('Suggested gateway-sim.config.yaml', paint)}\n\n${indented(config)}`,
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
  const { severity, operations, rule, probes } = finding
  const more = probes.length > 5 ? `; ${probes.length - 5} more` : ''
  const lines = [
    `${paint(styles[severity], severity)}  ${paint('bold', operations.join(', '))}  ${placeOf(finding)}`,
    ...(rule === undefined ? [] : wrapped(rule)),
    ...wrapped(differenceOf(finding)),
    ...wrapped(`seen in: ${probes.slice(0, 5).join('; ')}${more}`),
    ...exchangeLines(finding).map((line) => paint('dim', `  ${escapeControls(line)}`)),
  ]
  return lines.join('\n')
}

const meaningOfDoubtful = 'doubtful: the contract leaves the behaviour open, but typed clients rely on it'

const wrapped = (text: string): string[] => wrap('  ', escapeControls(text), width)

const heading = (title: string, paint: Paint): string => paint('bold', `${title}:`)

function section(title: string, lines: readonly string[], paint: Paint): string {
  if (lines.length === 0) return ''
  return [heading(title, paint), ...lines.flatMap(wrapped)].join('\n')
}

function entriesBlock(violations: readonly Finding[], paint: Paint): string {
  if (violations.length === 0) return ''
  const lines = entriesFor(violations).map((line) => `  ${escapeControls(line)}`)
  return [heading('To accept these violations, add them to the --accept file', paint), ...lines].join('\n')
}

const differenceOf = ({ expected, got }: Finding): string => `expected ${expected}, got ${got}`

const additionLine = ({ operations, pointer, got }: Finding): string =>
  `${operations.join(', ')} ${pointer}: ${got}`

function findingLine(finding: Finding): string {
  const { operations, rule } = finding
  const what = rule === undefined ? '' : `${rule}: `
  return `${operations.join(', ')} ${placeOf(finding)}: ${what}${differenceOf(finding)}`
}

const acceptedLine = (finding: AcceptedFinding): string => `${findingLine(finding)} (${finding.accepted})`

function clientErrorLines({ clientErrors = [] }: CheckReport): string[] {
  const byError = grouped(clientErrors, ({ operation, errors }) => `${operation} ${errors.join('; ')}`)
  return [...byError].map(([error, [first, ...others]]) => {
    const more = others.length === 0 ? '' : `, and ${others.length} more`
    return `${error} (${first?.source}${more})`
  })
}

/** Without the probes that are listed as not checked. */
function skippedLines({ skipped, unchecked }: CheckReport): string[] {
  const listed = new Set(unchecked.flatMap(({ probes = [] }) => probes))
  const others = skipped.filter(({ probe }) => !listed.has(probe))
  // The violation names the missing operations.
  const words = ({ reason }: SkippedProbe): string =>
    reason.replace(/^(the gateway does not have) .*/, '$1 the operation')
  return [...grouped(others, words)].map(([reason, probes]) => {
    const names = probes.slice(0, 3).map(({ probe }) => probe)
    const more = probes.length > 3 ? ` and ${probes.length - 3} more` : ''
    return `${names.join(', ')}${more}: ${reason}`
  })
}

/** `403 for 40 of 40 requests: no access`. */
function rejectedLines({ rejected }: CheckReport): string[] {
  if (rejected === undefined) return []
  const { status, requests, of, message } = rejected
  return [`${status} for ${requests} of ${of} requests${message === undefined ? '' : `: ${message}`}`]
}

/** `tick` surrounds the flags in Markdown. */
function onlyHint({ presentGroups = [] }: CheckReport, tick = ''): string[] {
  if (presentGroups.length === 0) return []
  const flags = presentGroups.map((group) => `--only '${group}'`)
  return [`Most operations are missing. To check only the others: ${tick}${flags.join(' ')}${tick}`]
}

/** `chat.*, videos.*: 403 for every request with this API key`. */
function uncheckedLines({ unchecked, spend }: CheckReport): string[] {
  const lines = [...grouped(unchecked, ({ reason }) => reason)].map(([reason, all]) => {
    const probes = all.flatMap((one) => one.probes ?? [])
    const named = probes.length === 0 ? '' : ` (${probes.join('; ')})`
    return `${all.map(uncheckedName).join(', ')}: ${reason}${named}`
  })
  const { unproven = [] } = spend ?? {}
  if (unproven.length === 0) return lines
  return [
    ...lines,
    `${unproven.join(', ')}: 404 for an unknown id; the operation may be missing (to find out: --spend all)`,
  ]
}

function unmeasuredLines({ stoppedClock }: CheckReport): string[] {
  if (stoppedClock === undefined) return []
  return ['durations: all responses have the same date, so time does not pass (simulator: use --clock real)']
}

function uncheckedName({ name, probes }: UncheckedOperations): string {
  return probes === undefined ? name : `${counted(probes.length, 'probe')} of ${name}`
}

const indented = (text: string): string => text.trimEnd().replace(/^/gm, '  ')

const outcomeStyles: Readonly<Record<CheckReport['outcome'], Style>> = {
  passed: 'green',
  failed: 'red',
  skipped: 'yellow',
}

function summaryLine(
  { baseUrl, outcome, summary, accepted, clientErrors, unchecked, spend }: CheckReport,
  paint: Paint,
): string {
  const { checked, skipped, violations } = summary
  const parts = [
    violations === 0 ? 'no violations' : counted(violations, 'violation'),
    ...(accepted.length === 0 ? [] : [`${accepted.length} accepted`]),
    counted(checked, clientErrors === undefined ? 'probe' : 'request'),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(unchecked.length === 0 ? [] : [uncheckedText(unchecked)]),
  ]
  return paint(outcomeStyles[outcome], `${baseUrl}: ${parts.join(', ')}${coverage(spend)}`)
}

/** `not checked: chat.*, 3 probes of videos.create`. */
function uncheckedText(unchecked: CheckReport['unchecked']): string {
  const [names, more] = [unchecked.map(uncheckedName), unchecked.length - 3]
  return `not checked: ${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The reasons, or the first of several. */
function uncheckedReason(unchecked: CheckReport['unchecked']): string {
  const [first, ...others] = new Set(unchecked.map(({ reason }) => reason))
  return others.length === 0 ? (first ?? '') : `${first}; and ${counted(others.length, 'other reason')}`
}

/** Why a check has not passed: the first violations, or what was not checked. */
export function exitReason(report: CheckReport): string {
  const { outcome, violations, baseUrl, summary } = report
  if (outcome === 'skipped') return skippedText(report)
  const missing = violations.filter(({ rule }) => rule === hasAll).flatMap(({ probes }) => probes)
  if (new Set(missing).size === summary.checked)
    return `none of the checked operations exists at ${baseUrl}: is --base-url the URL of the gateway?`
  const texts = violations.map(findingLine).join('; ')
  return `${counted(violations.length, 'violation')}: ${clip(texts, maxReason)}`
}

const maxReason = 1000

function skippedText({ unchecked }: CheckReport): string {
  if (unchecked.length === 0) return 'no request was checked'
  return `${uncheckedText(unchecked)} (${uncheckedReason(unchecked)})`
}

/** What a check did not cover. */
function coverage(spend: CheckReport['spend']): string {
  if (spend === undefined || spend.limit === 'all') return ''
  const { limit, little, all } = spend
  const only = limit === 'none' ? 'invalid requests only' : 'no images, jobs or videos'
  const more = [
    ...(little > 0 ? [`--spend little adds ${little}`] : []),
    ...(all > little ? [`--spend all adds ${all}`] : []),
  ]
  return ` (${[only, ...more].join('; ')})`
}

/** The report as JUnit XML: a case for each probe. A violation fails the first probe that shows it. */
export function junitReport({ violations, checked, skipped }: CheckReport): string {
  const failing = grouped(violations, ({ probes }) => probes[0])
  const reasons = new Map(skipped.map(({ probe, reason }) => [probe, reason]))
  const byOperation = grouped([...checked, ...skipped], ({ operation }) => operation)
  const caseOf = ({ operation, probe }: CheckedProbe): JunitCase => {
    const one = { name: probe, classname: `gateway-sim check.${operation}` }
    const findings = failing.get(probe)
    if (findings !== undefined) return { ...one, ...failureOf(findings) }
    const message = reasons.get(probe)
    return { ...one, ...(message === undefined ? { outcome: 'passed' } : { outcome: 'skipped', message }) }
  }
  return junitXml(
    'gateway-sim check',
    [...byOperation].map(([name, probes]) => ({ name, cases: probes.map(caseOf) })),
  )
}

const failureOf = (findings: readonly Finding[]) => ({
  outcome: 'failed' as const,
  message: findings.map((one) => `${placeOf(one)}: ${differenceOf(one)}`).join('; '),
  type: findings[0]?.kind ?? '',
  text: findings.flatMap((one) => [one.rule ?? one.kind, ...exchangeLines(one)]).join('\n'),
})

/** `a chat: POST /v1/chat/completions → 200; 3 more`. */
function seenIn({ probes: [first, ...others], request, response }: Finding): string {
  const { pathname } = new URL(request.url)
  const more = others.length === 0 ? '' : `; ${others.length} more`
  return `${first}: ${request.method} ${pathname} → ${response.status}${more}`
}

export function markdownReport(report: CheckReport, config: string): string {
  const { baseUrl, summary, violations, additions, accepted, unusedAccepted } = report
  const outcomes = {
    passed: 'passed',
    failed: counted(summary.violations, 'violation'),
    skipped: 'not checked (exit 5)',
  }
  const text = markdown({
    title: `gateway-sim check: ${outcomes[report.outcome]}`,
    summary: [
      ...rejectedLines(report),
      ...onlyHint(report, '`'),
      `${baseUrl}: ${summary.checked} probes, ${summary.skipped} skipped`,
      ...(report.outcome === 'skipped' ? [skippedText(report)] : []),
    ]
      .map((line) => `${line}.`)
      .join(' '),
    table: {
      head: ['severity', 'operations', 'place', 'expected', 'got', 'rule', 'seen in'],
      rows: violations.map((finding) => [
        finding.severity,
        finding.operations.join(', '),
        placeOf(finding),
        finding.expected,
        finding.got,
        finding.rule ?? '',
        seenIn(finding),
      ]),
    },
    lists: [
      { title: 'Accepted', lines: accepted.map(acceptedLine) },
      { title: 'Unused entries of the --accept file', lines: unusedAccepted },
      {
        title: 'Not in the contract',
        lines: additions.map((one) => `${one.operations.join(', ')} ${one.pointer}`),
      },
      { title: 'Not checked', lines: uncheckedLines(report) },
      { title: 'Not measured', lines: unmeasuredLines(report) },
      { title: 'Skipped', lines: skippedLines(report) },
    ],
  })
  if (config === '') return text
  return `${text}\n### Suggested gateway-sim.config.yaml\n\n\`\`\`yaml\n${config.trimEnd()}\n\`\`\`\n`
}
