/** What the session of a test is called: the same in every run, so that ids are too. */
import { digest } from '../engine/random.ts'

const longest = 40

/**
 * A name that may stand in a base URL: what people recognise, then what tells it apart. `path` are the file,
 * the suites and the test.
 */
export function sessionName(path: readonly string[]): string {
  const words = (path.at(-1) ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '')
  const apart = digest(JSON.stringify(path)).slice(0, 12)
  return words === '' ? apart : `${words}-${apart}`
}
