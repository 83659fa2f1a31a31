/**
 * Watches the session of one test, across resets, for bugs in the simulator, unmatched requests in strict
 * mode, unused rules, and expectations that are not awaited.
 */
import { type Expectation, watchesExpectations } from './matchers.ts'
import type { TestSession } from './test-session.ts'

/** What makes a test fail in addition to its own assertions. */
export interface FailOn {
  /** A bug in the simulator, even if the client under test swallowed the error. */
  readonly bugs?: boolean | undefined
  /** `strict` rejected a request because no rule matched it. */
  readonly unmatched?: boolean | undefined
  /** A rule of the test's own scenarios answered no request. Not reported if the test has failed anyway. */
  readonly unusedRules?: boolean | undefined
}

/** The findings in a session. */
interface Found {
  readonly bugs: readonly string[]
  readonly unmatched: readonly string[]
  /** Messages of failed expectations that the test did not await. */
  readonly notAwaited: readonly string[]
  /** The message about unused rules of the test's own scenarios. */
  readonly unused: string | undefined
  /** Whether the message of a failed expectation contains the client report. */
  readonly isReportShown: boolean
}

/** The parts of a session that only the fixture uses. */
export interface WatchedSession {
  readonly session: TestSession
  /** The findings since the start of the test. */
  found(): Promise<Found>
}

/** Watches a session. */
export function watchSession(session: TestSession): WatchedSession {
  const used = new Set<string>()
  const bugs: string[] = []
  const unmatched: string[] = []

  /** Returns the rules of the session's own scenarios. */
  const look = async (): Promise<string[]> => {
    for (const { seq, request, cause } of await session.journal()) {
      const line = `#${seq} ${request.method} ${request.url}`
      if (cause.bug !== undefined) bugs.push(`${line}: ${cause.bug}`)
      if (!cause.unmatched) continue
      const { text } = await session.explainRequest(cause.requestId)
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
    async reset(which) {
      await look()
      return session.reset(which)
    },
  }
  const expectations: {
    readonly one: Expectation
    readonly failure: Promise<string | undefined>
    readonly showsReport: boolean
  }[] = []
  // Hidden when a session is printed.
  Object.defineProperty(watched, watchesExpectations, {
    value: (one: Expectation, showsReport: boolean) =>
      void expectations.push({ one, failure: one.failure, showsReport }),
  })
  return {
    session: watched,
    async found() {
      const notAwaited: string[] = []
      let isReportShown = false
      for (const { one, failure, showsReport } of expectations) {
        const message = await failure
        if (showsReport && message !== undefined) isReportShown = true
        if (!one.isAwaited && message !== undefined) notAwaited.push(message)
      }
      const unused = (await look()).filter((id) => !used.has(id))
      // A reset clears the counts: a rule that answered before the reset is used.
      const verdict = unused.length === 0 ? undefined : await session.safeVerify({ usedRules: unused })
      return { bugs, unmatched, notAwaited, unused: verdict?.message, isReportShown }
    },
  }
}

/** The failures of a test, each with the option that allows it; empty if there are none. */
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
