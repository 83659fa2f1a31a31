/**
 * The thread of media of one simulator, which is loaded when it is first asked for something: most simulators
 * never are.
 */
import type { Elsewhere } from './make-elsewhere.ts'

/**
 * Undefined comes for everything where there is no thread: in browsers, and where the sources run as they
 * are.
 */
export function createMediaThread(): Elsewhere {
  let starting: Promise<Elsewhere | undefined> | undefined
  const started = (): Promise<Elsewhere | undefined> =>
    (starting ??= import('./make-elsewhere.ts').then(({ startElsewhere, workerFile }) => {
      const file = workerFile()
      return file === undefined ? undefined : startElsewhere(file)
    }))
  return {
    make: async (media) => (await started())?.make(media),
    look: async (facts, bytes) => (await started())?.look(facts, bytes),
    close: async () => (await starting)?.close(),
  }
}
