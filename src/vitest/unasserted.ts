/**
 * What a test must not miss silently: bugs of the simulator, calls without a rule in strict mode, rules that
 * answered nothing.
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
  /** Messages of failed expectations that the test did not await. */
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

/** The messages of a test, each with how to turn it off; empty when all is well. */
export function complaintsOf(
  { bugs, unmatched, notAwaited }: Findings,
  unused: readonly string[],
  failOn: FailOn,
): string[] {
  const calls = unmatched.length === 1 ? 'this call' : 'these calls'
  return [
    notAwaited.length > 0
      ? [
          'An expectation did not hold, and the test did not await it (write `await expect(sim)…`: the',
          `simulator is on a server):\n${indented(notAwaited)}`,
        ].join(' ')
      : '',
    failOn.bugs !== false && bugs.length > 0
      ? `The simulator itself went wrong; please report it:\n${indented(bugs)}`
      : '',
    failOn.unmatched !== false && unmatched.length > 0
      ? [
          `No rule matches ${calls}, and \`strict\` refuses calls without a rule:\n${indented(unmatched)}\n`,
          '(add a rule, or let the test pass with `failOn: { unmatched: false }`)',
        ].join('')
      : '',
    failOn.unusedRules !== false && unused.length > 0
      ? [
          `${unusedMessage(unused)}\n(a rule that answers nothing proves nothing; let the test pass with`,
          '`failOn: { unusedRules: false }`)',
        ].join(' ')
      : '',
  ].filter((complaint) => complaint !== '')
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/^/gm, '  ')).join('\n')
}
