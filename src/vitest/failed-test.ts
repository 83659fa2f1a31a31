/** What the errors of a failed test say about its session: findings, and the HTML file with its requests. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ClientReport, Finding } from '../generated/control-types.ts'
import { fitTrace } from '../trace/fit-trace.ts'
import { savedPage } from '../trace/saved-page.ts'
import { maxTraceBytes, type SavedTrace } from '../trace/trace.ts'
import type { TestSession } from './test-session.ts'
import { hasTimedOut, requestsLine, type SeenRequest, waitsText } from './timed-out.ts'

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
 * Adds the findings of the client report, and the path of the saved page if there is a folder, to the last
 * error of the test, or to the complaints about a test without errors.
 */
export async function describeFailedTest(
  {
    session,
    folder,
    ...test
  }: Omit<FailedTest, 'failure'> & {
    readonly session: Pick<TestSession, 'clientReport' | 'journal' | 'explainRequest' | 'clock'>
    readonly folder: string | undefined
  },
  errors: readonly RecordedError[],
  complaints: string[],
): Promise<void> {
  const error = errors.at(-1)
  const failure = [...errors.map(({ message }) => message), ...complaints].join('\n\n')
  const [report, requests] = await Promise.all([session.clientReport(), session.journal()])
  const findings = findingsText(report, requests, failure)
  const sentences = [
    findings,
    hasTimedOut(failure) ? await timeoutText(session, requests, findings === '') : '',
    folder === undefined ? '' : await saveFailedTest(folder, { ...test, failure }),
  ].filter((sentence) => sentence !== '')
  if (error === undefined) complaints.push(...sentences)
  else if (sentences.length > 0) addSentence(error, sentences.join('\n\n'))
}

/** The maximum number of findings in the message of a failed test. */
const maxFindings = 5

/** The finding about requests that a client has not sent yet: a failure ends the test before them. */
const cutShort = 'never-fetched-result'

/** What a test that timed out waited for, with its requests unless the findings contain them. */
async function timeoutText(
  session: Pick<TestSession, 'explainRequest' | 'clock'>,
  requests: readonly SeenRequest[],
  withRequests: boolean,
): Promise<string> {
  const waits = await waitsText(session, requests)
  return withRequests ? `${requestsLine(requests)}\n${waits}` : waits
}

/**
 * The errors and warnings of the client report that `told`, the message of the failure, does not contain, and
 * the requests of the test. Empty if there are none.
 */
export function findingsText(
  { findings }: ClientReport,
  requests: readonly SeenRequest[],
  told: string,
): string {
  const untold = findings.filter(
    ({ id, severity }) => severity !== 'hint' && id !== cutShort && !told.includes(`${severity}: ${id} (`),
  )
  if (untold.length === 0) return ''
  return [
    'Client report:',
    ...untold
      .slice(0, maxFindings)
      .map(
        ({ severity, id, docs, message, remedy, evidence }) =>
          `  ${severity}: ${id} (${docs})\n    ${message}${rulesText(evidence)}\n    ${remedy}`,
      ),
    ...(untold.length > maxFindings ? [`  and ${untold.length - maxFindings} more`] : []),
    requestsLine(requests),
  ].join('\n')
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
