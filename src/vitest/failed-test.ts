/** Saves the session of a failed test as one HTML file, and names the file in the errors of the test. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fitTrace } from '../trace/fit-trace.ts'
import { savedPage } from '../trace/saved-page.ts'
import { maxTraceBytes, type SavedTrace } from '../trace/trace.ts'

export interface FailedTest {
  /** The name of the session. */
  readonly name: string
  /** The file, the suites and the name of the test. */
  readonly path: readonly string[]
  /** Collects the trace of the session. */
  trace(): Promise<SavedTrace>
}

/**
 * Writes the page to `folder`. Returns a sentence for the errors of the test, also if the page cannot be
 * written: the failure of the test matters more.
 */
export async function saveFailedTest(folder: string, { name, path, trace }: FailedTest): Promise<string> {
  const file = join(resolve(folder), `${name}.html`)
  try {
    const { cut, ...rest } = await trace()
    const shown = { ...rest, title: path.join(' > '), cut: [...cut, 'Images and videos are not included.'] }
    const page = await savedPage(fitTrace(shown, maxTraceBytes))
    await mkdir(folder, { recursive: true })
    await writeFile(file, page)
    return `Requests of this test: ${file}`
  } catch (error) {
    return `The requests of this test could not be saved: ${(error as Error).message}`
  }
}

/** Appends a sentence to the message of an error that vitest has already recorded. */
export function addSentence(error: { message: string; stack?: string | undefined }, sentence: string): void {
  const { message, stack } = error
  error.message = `${message}\n\n${sentence}`
  // The reports in JSON and JUnit contain the stack, which begins with the message.
  if (stack !== undefined && message !== '') error.stack = stack.replace(message, () => error.message)
}
