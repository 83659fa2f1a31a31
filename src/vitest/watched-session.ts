/**
 * The session of one test, watched: what a test must not miss silently, also when it resets the session.
 * That is bugs of the simulator, calls without a rule in strict mode, rules that answered nothing, and
 * expectations that nobody awaits.
 */
import { type Expectation, watchesExpectations } from './matchers.ts'
import type { TestSession } from './test-session.ts'

/** What makes a test fail in addition to its own assertions. */
export interface FailOn {
  /** A bug in the simulator, even if the client under test swallowed the error. */
  readonly bugs?: boolean | undefined
  /** `strict` rejected a call because no rule matched it. */
  readonly unmatched?: boolean | undefined
  /** A rule of the test's own scenarios answered no call. Not reported if the test has failed anyway. */
  readonly unusedRules?: boolean | undefined
}

/** A call as far as complaints look at it; of a server it comes with null where there is nothing. */
export interface SeenCall {
  readonly seq: number
  readonly method: string
  readonly path: string
  readonly requestId: string
  readonly unmatched: boolean
  readonly bug?: string | null | undefined
}

/** What was found in a session. */
interface Found {
  readonly bugs: readonly string[]
  readonly unmatched: readonly string[]
  /** Messages of failed expectations that the test did not await. */
  readonly notAwaited: readonly string[]
  /** The message about rules of its own scenarios that have answered nothing. */
  readonly unused: string | undefined
}

/** What the fixture has beside what the test gets. */
export interface WatchedSession {
  readonly session: TestSession
  /** What was found from the beginning of the test until now. */
  found(): Promise<Found>
}

/** Watches a session. */
export function watchSession(session: TestSession): WatchedSession {
  const used = new Set<string>()
  const bugs: string[] = []
  const unmatched: string[] = []

  /** Returns the rules of the session's own scenarios. */
  const look = async (): Promise<string[]> => {
    for (const call of (await session.journal()) as readonly SeenCall[]) {
      const line = `#${call.seq} ${call.method} ${call.path}`
      if (typeof call.bug === 'string') bugs.push(`${line}: ${call.bug}`)
      if (!call.unmatched) continue
      const { text } = await session.explainCall(call.requestId)
      unmatched.push(`${line}\n${indented([text.trimEnd()])}`)
    }
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
  const expectations: { readonly one: Expectation; readonly failure: Promise<string | undefined> }[] = []
  // Nobody who looks at a session needs to see it.
  Object.defineProperty(watched, watchesExpectations, {
    value: (one: Expectation) => void expectations.push({ one, failure: one.failure }),
  })
  return {
    session: watched,
    async found() {
      const notAwaited: string[] = []
      for (const { one, failure } of expectations) {
        const message = await failure
        if (!one.isAwaited && message !== undefined) notAwaited.push(message)
      }
      const unused = (await look()).filter((id) => !used.has(id))
      // A reset has begun the counts again: a rule that answered before it is used.
      const verdict = unused.length === 0 ? undefined : await session.safeVerify({ usedRules: unused })
      return { bugs, unmatched, notAwaited, unused: verdict?.message }
    },
  }
}

/** The messages of a test, each with how to turn it off; empty when all is well. */
export function complaintsOf({ bugs, unmatched, notAwaited, unused }: Found, failOn: FailOn): string[] {
  const calls = unmatched.length === 1 ? 'this call' : 'these calls'
  return [
    notAwaited.length > 0
      ? [
          'An expectation failed, and the test did not await it (write `await expect(sim)…`):',
          indented(notAwaited),
        ].join('\n')
      : '',
    failOn.bugs !== false && bugs.length > 0
      ? `Internal error in gateway-sim; please report it:\n${indented(bugs)}`
      : '',
    failOn.unmatched !== false && unmatched.length > 0
      ? [
          `No rule matched ${calls}, and \`strict\` rejects unmatched requests:\n${indented(unmatched)}\n`,
          '(add a rule, or allow it with `failOn: { unmatched: false }`)',
        ].join('')
      : '',
    failOn.unusedRules !== false && unused !== undefined
      ? `${unused}\n(remove the unused rules, or allow them with \`failOn: { unusedRules: false }\`)`
      : '',
  ].filter((complaint) => complaint !== '')
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/^/gm, '  ')).join('\n')
}
