/** What the errors of a failed test say about its session: findings, and the HTML file with its requests. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ClientReport, ClockState, Finding } from '../generated/control-types.ts'
import { fitTrace } from '../trace/fit-trace.ts'
import { savedPage } from '../trace/saved-page.ts'
import { maxTraceBytes, type SavedTrace } from '../trace/trace.ts'
import type { TestSession } from './test-session.ts'

export interface FailedTest {
  /** The name of the session. */
  readonly name: string
  /** The file, the suites and the name of the test. */
  readonly path: readonly string[]
  /** The messages of its errors. */
  readonly failure: string
  /** Collects the trace of the session. */
  trace(): Promise<SavedTrace>
}

/**
 * Writes the page to `folder`. Returns a sentence for the errors of the test, also if the page cannot be
 * written: the failure of the test matters more.
 */
export async function saveFailedTest(folder: string, test: FailedTest): Promise<string> {
  const { name, path, failure, trace } = test
  const file = join(resolve(folder), `${name}.html`)
  try {
    const { cut, ...rest } = await trace()
    const title = path.join(' > ')
    const shown = { ...rest, title, report: failure, cut: [...cut, 'Images and videos are not included.'] }
    const page = await savedPage(fitTrace(shown, maxTraceBytes))
    await mkdir(folder, { recursive: true })
    await writeFile(file, page)
    return `Requests of this test: ${file}`
  } catch (error) {
    return `The requests of this test could not be saved: ${(error as Error).message}`
  }
}

/**
 * Adds the findings of the client report, the open requests, and the path of the saved page if there is a
 * folder, to the last error of the test, or to the complaints about a test without errors.
 */
export async function describeFailedTest(
  { session, folder, isReportShown, ...test }: DescribedTest,
  errors: readonly RecordedError[],
  complaints: string[],
): Promise<void> {
  const error = errors.at(-1)
  const failure = [...errors.map(({ message }) => message), ...complaints].join('\n\n')
  const [report, requests, { mode }] = await Promise.all([
    session.clientReport(),
    session.journal(),
    session.clock.state(),
  ])
  const sentences = [
    isReportShown ? '' : findingsText(report, requests),
    openText(requests, mode),
    folder === undefined ? '' : await saveFailedTest(folder, { ...test, failure }),
  ].filter((sentence) => sentence !== '')
  if (error === undefined) complaints.push(...sentences)
  else if (sentences.length > 0) addSentence(error, sentences.join('\n\n'))
}

interface DescribedTest extends Omit<FailedTest, 'failure'> {
  readonly session: Pick<TestSession, 'clientReport' | 'journal' | 'clock'>
  readonly folder: string | undefined
  /** Whether an error of the test contains the client report. */
  readonly isReportShown: boolean
}

/** The maximum number of findings, and of open requests, in the message of a failed test. */
const maxShown = 5

/** The finding about requests that a client has not sent yet: a failure ends the test before them. */
const cutShort = 'never-fetched-result'

/** The errors and warnings of the client report, and the requests of the test; empty if there are none. */
export function findingsText({ findings }: ClientReport, requests: readonly SeenRequest[]): string {
  const found = findings.filter(({ code, severity }) => severity !== 'hint' && code !== cutShort)
  if (found.length === 0) return ''
  const lines = found
    .slice(0, maxShown)
    .map(
      ({ severity, code, docs, message, remedy, evidence }) =>
        `  ${severity}: ${code} (${docs})\n    ${message}${rulesText(evidence)}\n    ${remedy}`,
    )
  const more = found.length > maxShown ? [`  and ${found.length - maxShown} more`] : []
  return ['Client report:', ...lines, ...more, requestsLine(requests)].join('\n')
}

/** A request of the journal. */
interface SeenRequest {
  readonly seq: number
  readonly operation?: string | undefined
  readonly response?: { readonly status: number } | undefined
  readonly ended: string
  readonly cause: { readonly faults: readonly string[] }
}

/** The requests that the test sent, by operation and status. */
function requestsLine(requests: readonly SeenRequest[]): string {
  const counts = new Map<string, number>()
  for (const { operation, response } of requests) {
    const line = `${operation ?? '(unknown path)'} ${response?.status ?? 'no response'}`
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  const lines = [...counts].map(([line, count]) => (count === 1 ? line : `${count} × ${line}`))
  return `Requests: ${lines.join(', ')}`
}

/** The requests whose responses are open, for which a test that timed out may have waited. */
export function openText(requests: readonly SeenRequest[], mode: ClockState['mode']): string {
  const open = requests.filter(({ ended }) => ended === 'open')
  if (open.length === 0) return ''
  const lines = open
    .slice(0, maxShown)
    .map(({ seq, operation, cause: { faults } }) => [` `, `#${seq}`, operation, ...faults].join(' '))
  const advance =
    "The clock is `manual`: call `sim.clock.advance('1s')`, or use `session: { clock: 'auto' }`."
  return ['Without a complete response:', ...lines, ...(mode === 'manual' ? [advance] : [])].join('\n')
}

/** The rules that answered the requests of a finding. */
function rulesText(evidence: Finding['evidence']): string {
  const rules = new Set(evidence.flatMap(({ rule }) => (rule === undefined ? [] : [rule])))
  return [...rules].map((rule) => ` [rule ${rule}]`).join('')
}

/** An error that vitest has already recorded. */
interface RecordedError {
  message: string
  stack?: string | undefined
}

/** Appends a sentence to the message of an error. */
export function addSentence(error: RecordedError, sentence: string): void {
  const { message, stack } = error
  error.message = `${message}\n\n${sentence}`
  // The reports in JSON and JUnit contain the stack, which begins with the message.
  if (stack !== undefined && message !== '') error.stack = stack.replace(message, () => error.message)
}
