/** A report as JUnit XML, the format that CI systems read. */
import type { Item, Report, TestCase } from './report.ts'

type CaseItem = Item & { readonly testCase: TestCase }

/** A suite for each name of one, a case for each item that is a test case. */
export function junitReport({ command, sections }: Report): string {
  const items = sections
    .flatMap(({ items: all = [] }) => all)
    .filter((item): item is CaseItem => item.testCase !== undefined)
  const suites = new Map<string, CaseItem[]>()
  for (const item of items) {
    const { suite } = item.testCase
    const known = suites.get(suite) ?? []
    suites.set(suite, known)
    known.push(item)
  }
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: command, ...countsOf(items) })}>`,
    ...[...suites].flatMap(([name, cases]) => suiteLines(name, cases, command)),
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

const outcomeOf = ({ outcome }: Item): 'passed' | 'failed' | 'skipped' => {
  if (outcome === 'failed') return 'failed'
  return outcome === 'passed' || outcome === 'note' ? 'passed' : 'skipped'
}

function suiteLines(name: string, cases: readonly CaseItem[], command: string): string[] {
  const file = cases[0]?.testCase.file
  return [
    `  <testsuite${attributes({ name, file, ...countsOf(cases) })}>`,
    ...cases.flatMap((item) => caseLines(item, command)),
    '  </testsuite>',
  ]
}

function caseLines(item: CaseItem, command: string): string[] {
  const { title, lines = [], code = [], attachments = [], testCase } = item
  const { suite, name, file, durationMs, type, message = title } = testCase
  const outcome = outcomeOf(item)
  const classname = `${command}.${suite}`
  const tag = `    <testcase${attributes({ name, classname, file, time: seconds(durationMs) })}`
  const output = [...lines, ...[...code, ...attachments].map(({ text }) => text)].join('\n')
  const details = []
  if (outcome === 'failed')
    details.push(`      <failure${attributes({ message, type })}>${escapeXml(output)}</failure>`)
  if (outcome === 'skipped') details.push(`      <skipped${attributes({ message })}/>`)
  if (outcome !== 'failed' && output !== '')
    details.push(`      <system-out>${escapeXml(output)}</system-out>`)
  return details.length === 0 ? [`${tag}/>`] : [`${tag}>`, ...details, '    </testcase>']
}

function countsOf(cases: readonly CaseItem[]): Readonly<Record<string, string | undefined>> {
  const count = (outcome: string): string => String(cases.filter((one) => outcomeOf(one) === outcome).length)
  const durations = cases.flatMap(({ testCase }) => testCase.durationMs ?? [])
  return {
    tests: String(cases.length),
    failures: count('failed'),
    errors: '0',
    skipped: count('skipped'),
    time: durations.length === 0 ? undefined : seconds(durations.reduce((sum, ms) => sum + ms, 0)),
  }
}

function seconds(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : (ms / 1000).toFixed(3)
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      value === undefined ? [] : ` ${name}="${escapeXml(value).replace(/[\t\n\r]/g, numericEntity)}"`,
    )
    .join('')
}

const numericEntity = (character: string): string => `&#${character.charCodeAt(0)};`

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that XML 1.0 cannot contain, not even escaped (section 2.2), are written as `\u{…}`. */
function escapeXml(text: string): string {
  return text
    .replace(
      /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,
      (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
    )
    .replace(/[&<>"]/g, (character) => entities[character] as string)
}
