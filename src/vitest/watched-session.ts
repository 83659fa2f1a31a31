/**
 * The session of one test with an eye on it: what it must not pass over, also when the test resets it, and
 * matchers that answer at once.
 */

import { askedLater, type Judged, judgedAtOnce, type LaterTold } from './matchers.ts'
import type { TestSession } from './test-session.ts'
import { type Findings, findingsOf, type SeenCall } from './unasserted.ts'

/** What the fixture holds beside what the test gets. */
export interface WatchedSession {
  readonly session: TestSession
  /**
   * What was found from the beginning of the test until now, and which rules of its own scenarios have
   * answered nothing in all that time.
   */
  found(): Promise<Findings & { readonly unusedRules: readonly string[] }>
}

/** Watches a session. `atOnce` answers matchers without waiting, where the simulator is in this process. */
export function watchSession(session: TestSession, atOnce: Judged | undefined): WatchedSession {
  const used = new Set<string>()
  const bugs: string[] = []
  const unmatched: string[] = []

  const look = async (): Promise<string[]> => {
    const found = await findingsOf(
      (await session.journal()) as readonly SeenCall[],
      async ({ requestId }) => (await session.explainCall(requestId)).text,
    )
    bugs.push(...found.bugs)
    unmatched.push(...found.unmatched)
    const rules = (await session.scenarios.list())
      .filter((scenario) => scenario.of === 'session')
      .flatMap((scenario) => scenario.rules)
    for (const { id, answered } of rules) if (answered > 0) used.add(id)
    return rules.map(({ id }) => id)
  }

  const watched: TestSession = {
    ...session,
    async reset() {
      await look()
      await session.reset()
    },
  }
  // Nobody who looks at a session needs to see these.
  if (atOnce !== undefined) Object.defineProperty(watched, judgedAtOnce, { value: atOnce })
  // What could not be asked at all rejects where it was asked.
  const pending: Promise<LaterTold>[] = []
  Object.defineProperty(watched, askedLater, {
    value: (told: Promise<LaterTold>) =>
      void pending.push(told.catch(() => ({ held: true, message: () => '' }))),
  })
  return {
    session: watched,
    async found() {
      const told = await Promise.all(pending)
      const rules = await look()
      return {
        bugs,
        unmatched,
        notAwaited: told.filter(({ held }) => !held).map(({ message }) => message()),
        unusedRules: rules.filter((id) => !used.has(id)),
      }
    },
  }
}
