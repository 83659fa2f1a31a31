/** The report of a check. */
import { grouped } from '../engine/fields.ts'
import { placeOf, sentenceOf } from '../judges/finding.ts'
import type { StreamEvent } from '../protocol/read-stream.ts'
import { clip } from '../protocol/wording.ts'
import type { Item, Report, Section } from '../report/report.ts'
import { counted } from '../text/printable.ts'
import { entriesFor } from './check-findings.ts'
import { type AcceptedFinding, type CheckFinding, type CheckReport, hasAllOperations } from './check-types.ts'

/** `body /choices/0/index`. */
function placeText(finding: CheckFinding): string {
  const { where, pointer } = placeOf(finding)
  return pointer === '' ? where : `${where} ${pointer}`
}

const maxBody = 160
const maxEvent = 240

function exchangeLines({ exchange: { request, response } }: CheckFinding): string[] {
  const sent = `${request.method} ${request.url}${bodyText(request.body)}`
  const { status, body, events, eventCount = 0 } = response ?? { status: 0 }
  if (events === undefined) return [sent, `→ ${status}${bodyText(body)}`]
  const before = events.length < eventCount ? [' …'] : []
  return [sent, `→ ${status}`, ...before, ...events.map(eventLine)]
}

/** Ids and the model come first, what differs last. */
function eventLine({ event, data }: StreamEvent): string {
  const text = `${event === undefined ? '' : `event: ${event} `}data: ${data.replace(/\s+/g, ' ')}`
  return ` ${text.length > maxEvent ? `${text.slice(0, 40)}…${text.slice(40 - maxEvent)}` : text}`
}

function bodyText(body: { readonly text?: string | undefined; readonly size: number } | undefined): string {
  if (body === undefined || body.size === 0) return ''
  return ` ${body.text === undefined ? `${body.size} bytes` : clip(body.text.replace(/\s+/g, ' '), maxBody)}`
}

export function checkReport(report: CheckReport): Report {
  const { violations, additions, accepted, unusedAccepted, expiredAccepted, baseUrl } = report
  const meaning = 'warning: the contract leaves the behaviour open, but typed clients rely on it'
  const isOpen = violations.some(({ severity }) => severity === 'warning')
  return {
    command: 'gateway-sim check',
    subject: baseUrl,
    outcome: report.outcome,
    summary: summaryOf(report),
    sections: [
      { items: violations.map(violationItem), notes: isOpen ? [meaning] : [] },
      { items: caseItems(report) },
      acceptSection(violations),
      listSection('Not in the contract (not counted)', additions.map(additionLine)),
      listSection('Accepted', accepted.map(acceptedLine)),
      listSection('Expired entries of the --accept file (violations counted)', expiredAccepted),
      listSection('Unused entries of the --accept file', unusedAccepted),
      listSection('Client errors (not counted)', clientErrorLines(report)),
      listSection('Skipped', skippedLines(report)),
      listSection('Not checked', uncheckedLines(report)),
    ],
    data: report,
  }
}

const listSection = (title: string, lines: readonly string[]): Section => ({
  title,
  items: lines.map((line) => ({ outcome: 'note', title: line })),
})

function acceptSection(violations: readonly CheckFinding[]): Section {
  if (violations.length === 0) return {}
  return {
    title: 'To accept these violations, add them to the --accept file',
    code: { language: 'yaml', text: entriesFor(violations).join('\n') },
  }
}

function violationItem(finding: CheckFinding): Item {
  const { severity, operations, args, probes } = finding
  const more = probes.length > 5 ? `; ${probes.length - 5} more` : ''
  return {
    outcome: severity === 'error' ? 'failed' : 'warning',
    title: `${severity}: ${operations.join(', ')} ${placeText(finding)}`,
    lines: [
      ...(args.rule === undefined ? [] : [args.rule]),
      sentenceOf(finding),
      `seen in: ${probes.slice(0, 5).join('; ')}${more}`,
    ],
    code: [{ language: 'http', text: exchangeLines(finding).join('\n') }],
  }
}

/** A test case for each probe. A violation fails the first probe that shows it. */
function caseItems({ violations, checked, skipped }: CheckReport): Item[] {
  const failing = grouped(violations, ({ probes }) => probes[0])
  const reasons = new Map(skipped.map(({ probe, reason }) => [probe, reason]))
  return [...checked, ...skipped].map(({ operation, probe }): Item => {
    const findings = failing.get(probe) ?? []
    const testCase = { suite: operation, name: probe, type: findings[0]?.code }
    const common = { testCase, isOnlyCase: true }
    const reason = reasons.get(probe)
    if (findings.length === 0)
      return { ...common, outcome: reason === undefined ? 'passed' : 'skipped', title: reason ?? probe }
    return {
      ...common,
      outcome: 'failed',
      title: findings.map((one) => `${placeText(one)}: ${sentenceOf(one)}`).join('; '),
      lines: findings.flatMap((one) => [one.args.rule ?? one.code, ...exchangeLines(one)]),
    }
  })
}

const additionLine = (finding: CheckFinding): string =>
  `${finding.operations.join(', ')} ${placeOf(finding).pointer}: ${finding.args.got}`

function findingLine(finding: CheckFinding): string {
  const { operations, args } = finding
  const what = args.rule === undefined ? '' : `${args.rule}: `
  return `${operations.join(', ')} ${placeText(finding)}: ${what}${sentenceOf(finding)}`
}

const acceptedLine = (finding: AcceptedFinding): string => `${findingLine(finding)} (${finding.accepted})`

function clientErrorLines({ clientErrors = [] }: CheckReport): string[] {
  const byError = grouped(clientErrors, ({ operation, errors }) => `${operation} ${errors.join('; ')}`)
  return [...byError].map(([error, [first, ...others]]) => {
    const more = others.length === 0 ? '' : `, and ${others.length} more`
    return `${error} (${first?.source}${more})`
  })
}

function skippedLines({ skipped }: CheckReport): string[] {
  return [...grouped(skipped, ({ reason }) => reason)].map(([reason, probes]) => {
    const names = probes.slice(0, 3).map(({ probe }) => probe)
    const more = probes.length > 3 ? ` and ${probes.length - 3} more` : ''
    return `${names.join(', ')}${more}: ${reason}`
  })
}

/** `chat.*, videos.*: 403 for every request with this API key`. */
function uncheckedLines({ unchecked }: CheckReport): string[] {
  return [...grouped(unchecked, ({ reason }) => reason)].map(
    ([reason, all]) => `${all.map(({ name }) => name).join(', ')}: ${reason}`,
  )
}

function summaryOf(report: CheckReport): string {
  const { baseUrl, summary, accepted, clientErrors, unchecked, spend } = report
  const { checked, skipped, violations } = summary
  const parts = [
    violations === 0 ? 'no violations' : counted(violations, 'violation'),
    ...(accepted.length === 0 ? [] : [`${accepted.length} accepted`]),
    counted(checked, clientErrors === undefined ? 'probe' : 'request'),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(unchecked.length === 0 ? [] : [uncheckedText(unchecked)]),
  ]
  return `${baseUrl}: ${parts.join(', ')}${coverage(spend)}`
}

/** `not checked: chat.*, videos.*`. */
const uncheckedText = (unchecked: CheckReport['unchecked']): string =>
  `not checked: ${unchecked.map(({ name }) => name).join(', ')}`

/** Why a check has not passed: the violations, or what was not checked. */
export function exitReason(report: CheckReport): string {
  const { outcome, violations, unchecked } = report
  if (outcome !== 'skipped') {
    const missing = violations.find(({ args }) => args.rule === hasAllOperations)?.operations ?? []
    const hint = missing.length < manyMissing ? '' : ' (is --base-url the URL of the gateway?)'
    const texts = clip(violations.map(findingLine).join('; '), maxReason)
    return `${counted(violations.length, 'violation')}${hint}: ${texts}`
  }
  const [first] = unchecked
  return first === undefined ? 'no request was checked' : `${uncheckedText(unchecked)} (${first.reason})`
}

const maxReason = 1000
/** So many missing operations suggest that the server is not a gateway. */
const manyMissing = 5

/** What a check did not cover. */
function coverage(spend: CheckReport['spend']): string {
  if (spend === undefined || spend === 'all') return ''
  return spend === 'none' ? ' (invalid requests only)' : ' (no images, jobs or videos)'
}
