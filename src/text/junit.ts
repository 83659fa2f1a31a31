/** JUnit XML, the report format that CI systems read. */

export interface JunitCase {
  readonly name: string
  readonly classname: string
  readonly file?: string
  readonly durationMs?: number
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it failed or was skipped, in one line. */
  readonly message?: string
  /** The kind of failure. */
  readonly type?: string
  /** Details of a failure, or output of a skipped case. */
  readonly text?: string
  /** Output of the case, whatever its outcome. */
  readonly note?: string
}

export interface JunitSuite {
  readonly name: string
  readonly file?: string
  /** Local time without a zone, as the format has it. */
  readonly timestamp?: string
  readonly durationMs?: number
  readonly cases: readonly JunitCase[]
}

/** The document. */
export function junitXml(name: string, suites: readonly JunitSuite[]): string {
  const cases = suites.flatMap((suite) => suite.cases)
  const durationMs = suites.some((suite) => suite.durationMs !== undefined)
    ? suites.reduce((sum, suite) => sum + (suite.durationMs ?? 0), 0)
    : undefined
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, ...countsOf(cases), time: seconds(durationMs) })}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

function suiteLines({ name, file, timestamp, durationMs, cases }: JunitSuite): string[] {
  return [
    `  <testsuite${attributes({ name, file, timestamp, ...countsOf(cases), time: seconds(durationMs) })}>`,
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ]
}

function caseLines(one: JunitCase): string[] {
  const { name, classname, file, durationMs, outcome, message, type, text, note } = one
  const tag = `    <testcase${attributes({ name, classname, file, time: seconds(durationMs) })}`
  const output = [outcome === 'skipped' ? text : undefined, note].filter((part) => part !== undefined)
  const details = [
    ...(outcome === 'failed'
      ? [`      <failure${attributes({ message, type })}>${escapeXml(text ?? '')}</failure>`]
      : []),
    ...(outcome === 'skipped' ? [`      <skipped${attributes({ message })}/>`] : []),
    ...(output.length === 0 ? [] : [`      <system-out>${escapeXml(output.join('\n'))}</system-out>`]),
  ]
  return details.length === 0 ? [`${tag}/>`] : [`${tag}>`, ...details, '    </testcase>']
}

function countsOf(cases: readonly JunitCase[]): Readonly<Record<string, string>> {
  const count = (outcome: JunitCase['outcome']): string =>
    String(cases.filter((one) => one.outcome === outcome).length)
  return { tests: String(cases.length), failures: count('failed'), errors: '0', skipped: count('skipped') }
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
