/**
 * What a test must not pass over in silence: bugs of the simulator, calls that no rule names in strict mode,
 * rules that answered nothing.
 */
import { unusedMessage } from './matchers.ts'

/** What makes a test fail in addition to its own assertions. */
export interface FailOn {
  /** A bug in the simulator, even if the client under test swallowed the error. */
  readonly bugs?: boolean | undefined
  /** `strict` refused a call because no rule matched it. */
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

/** What was found in a session until now. */
export interface Findings {
  readonly bugs: readonly string[]
  readonly unmatched: readonly string[]
  /** What expectations have said that a test did not wait for. */
  readonly notAwaited: readonly string[]
}

/** What calls say of themselves; `explain` says more of a call that no rule names. */
export async function findingsOf(
  calls: readonly SeenCall[],
  explain: (call: SeenCall) => string | undefined | Promise<string | undefined>,
): Promise<Omit<Findings, 'notAwaited'>> {
  const line = ({ seq, method, path }: SeenCall): string => `#${seq} ${method} ${path}`
  const unmatched: string[] = []
  for (const call of calls.filter((one) => one.unmatched)) {
    const why = await explain(call)
    unmatched.push(why === undefined ? line(call) : `${line(call)}\n${why.trimEnd().replace(/^/gm, '  ')}`)
  }
  return {
    bugs: calls.flatMap((call) => (typeof call.bug === 'string' ? [`${line(call)}: ${call.bug}`] : [])),
    unmatched,
  }
}

/** What a test has to be told, each with what switches it off; empty when all is well. */
export function complaintsOf(
  { bugs, unmatched, notAwaited }: Findings,
  unused: readonly string[],
  failOn: FailOn,
): string[] {
  return [
    notAwaited.length > 0
      ? `An expectation did not hold, and the test did not wait for it (write \`await expect(sim)…\`: the simulator is on a server):\n${indented(notAwaited)}`
      : '',
    failOn.bugs !== false && bugs.length > 0
      ? `The simulator itself went wrong; please report it:\n${indented(bugs)}`
      : '',
    failOn.unmatched !== false && unmatched.length > 0
      ? `No rule names ${unmatched.length === 1 ? 'this call' : 'these calls'}, and strict refuses what no rule names:\n${indented(unmatched)}\n(a rule would answer; \`failOn: { unmatched: false }\` lets the test pass)`
      : '',
    failOn.unusedRules !== false && unused.length > 0
      ? `${unusedMessage(unused)}\n(a rule that answers nothing proves nothing; \`failOn: { unusedRules: false }\` lets the test pass)`
      : '',
  ].filter((complaint) => complaint !== '')
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/^/gm, '  ')).join('\n')
}
