/** The matchers of `expect(sim)`. `verify` provides verdicts and messages; knows no fixtures. */

import type { ClientReport } from '../client-report/client-report.ts'
import { findingKinds } from '../client-report/findings/all.ts'
import { clientReportText } from '../client-report/report.ts'
import type { OperationPattern } from '../generated/scenario-input.ts'
import { nearestWord } from '../protocol/nearest-word.ts'
import { patternKeys } from '../verify/read-pattern.ts'
import type { CallPattern, Verdict, VerifyRequest, Within } from '../verify/request.ts'

/** A property with the synchronous object that matchers ask instead of the received one. */
export const judgedAtOnce: unique symbol = Symbol('gateway-sim judged at once')

/** A property with the callback that receives the results of asynchronous matchers. */
export const askedLater: unique symbol = Symbol('gateway-sim asked later')

/** What matchers accept: a simulator, a local session, or a remote session, which answers asynchronously. */
export interface Judged {
  safeVerify(request: VerifyRequest): Verdict | Promise<Verdict>
  unusedRules(): readonly string[] | Promise<readonly string[]>
  clientReport(): ClientReport | Promise<ClientReport>
}

/** Which calls of the operation, and how often. Default: at least once. */
export interface ReceivedOptions extends Omit<CallPattern, 'operation'> {
  /** The exact number of calls. */
  readonly times?: number | undefined
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  /** A window or a length of virtual time, as in `verify`. */
  readonly within?: Within | undefined
  /** True when no other calls may have been made. */
  readonly noOthers?: boolean | undefined
}

export interface OrderOptions {
  readonly within?: Within | undefined
  readonly noOthers?: boolean | undefined
}

export interface ClientReportOptions {
  /** Kinds of findings to ignore (docs/client-report.md). */
  readonly except?: readonly string[] | undefined
}

/** The result of a matcher. */
export interface Told {
  readonly pass: boolean
  message(): string
}

/** The result of an asynchronous matcher, which the test may not have awaited. */
export interface LaterTold {
  readonly held: boolean
  message(): string
}

/** What vitest passes to a matcher as `this`. */
interface MatcherState {
  readonly isNot?: boolean
}

type Called = OperationPattern | CallPattern
type Answer = Told | Promise<Told>

export const matchers = {
  toHaveReceived(
    this: MatcherState,
    received: unknown,
    calls: Called,
    options: ReceivedOptions = {},
  ): Answer {
    const { times, atLeast, atMost, within, noOthers, ...more } = options
    checkNames('toHaveReceived', Object.keys(more), patternKeys, [
      'times',
      'atLeast',
      'atMost',
      'within',
      'noOthers',
    ])
    const pattern: CallPattern = { ...(typeof calls === 'string' ? { operation: calls } : calls), ...more }
    const shared = { calls: pattern, ...(within === undefined ? {} : { within }) }
    const judged = judgedBy(received, 'toHaveReceived')
    if (this.isNot === true) {
      const counted = Object.entries({ times, atLeast, atMost, noOthers }).find(
        ([, value]) => value !== undefined,
      )
      if (counted !== undefined)
        throw new TypeError(
          [
            `not.toHaveReceived means that there was no such call: leave \`${counted[0]}\` out, or`,
            'leave out `not` and say how often',
          ].join(' '),
        )
      return later(this, received, judged.safeVerify({ ...shared, never: true }), ({ ok, message }) => ({
        pass: !ok,
        message: () => message,
      }))
    }
    const counts = {
      ...(times === undefined ? {} : { exactly: times }),
      ...(atLeast === undefined ? {} : { atLeast }),
      ...(atMost === undefined ? {} : { atMost }),
    }
    return later(
      this,
      received,
      judged.safeVerify({
        ...shared,
        ...(Object.keys(counts).length === 0 ? { atLeast: 1 } : counts),
        ...(noOthers === undefined ? {} : { noOthers }),
      }),
      told,
    )
  },

  toHaveReceivedInOrder(
    this: MatcherState,
    received: unknown,
    inOrder: readonly Called[],
    { within, noOthers }: OrderOptions = {},
  ): Answer {
    const judged = judgedBy(received, 'toHaveReceivedInOrder')
    const request = {
      inOrder,
      ...(within === undefined ? {} : { within }),
      ...(noOthers === undefined ? {} : { noOthers }),
    }
    return later(this, received, judged.safeVerify(request), (verdict) => {
      // A verdict that cannot be decided does not prove that it did not happen.
      if (this.isNot === true && !verdict.ok && !verdict.decided)
        return { pass: true, message: () => verdict.message }
      return {
        pass: verdict.ok,
        message: () => (this.isNot === true ? `Expected no such calls: ${verdict.message}` : verdict.message),
      }
    })
  },

  toHaveUsedAllRules(this: MatcherState, received: unknown): Answer {
    const judged = judgedBy(received, 'toHaveUsedAllRules')
    return later(this, received, judged.unusedRules(), (unused) => ({
      pass: unused.length === 0,
      message: () =>
        unused.length === 0
          ? 'Expected an unused rule, but all rules have answered calls.'
          : unusedMessage(unused),
    }))
  },

  toBeWellBehaved(this: MatcherState, received: unknown, { except = [] }: ClientReportOptions = {}): Answer {
    const ids = findingKinds.map(({ id }) => id)
    const unknown = except.find((id) => !ids.includes(id))
    if (unknown !== undefined) {
      const nearest = nearestWord(unknown, ids)
      const hint = nearest === undefined ? `expected one of ${ids.join(', ')}` : `did you mean ${nearest}?`
      const name = JSON.stringify(unknown)
      throw new TypeError(`toBeWellBehaved: \`except\`: there is no finding ${name}: ${hint}`)
    }
    return later(this, received, judgedBy(received, 'toBeWellBehaved').clientReport(), (report) => {
      const left = without(report, except)
      return {
        pass: left.ok,
        message: () =>
          left.ok
            ? 'Expected an error or a warning about the client, but there is none.'
            : clientReportText(left).trimEnd(),
      }
    })
  },
}

// Without this check an unknown option would be taken for a field of a call.
function checkNames(
  matcher: string,
  names: readonly string[],
  patternKeys: () => readonly string[],
  own: readonly string[],
): void {
  if (names.length === 0) return
  const keys = patternKeys()
  const unknown = names.find((name) => !keys.includes(name))
  if (unknown === undefined) return
  const nearest = nearestWord(unknown, [...own, ...keys])
  const hint =
    nearest === undefined
      ? `expected ${own.join(', ')}, or a field of a call: ${keys.join(', ')}`
      : `did you mean ${nearest}?`
  throw new TypeError(`${matcher}: unknown option ${JSON.stringify(unknown)}: ${hint}`)
}

/** The report without some kinds of findings. */
function without(report: ClientReport, except: readonly string[]): ClientReport {
  if (except.length === 0) return report
  const findings = report.findings.filter(({ id }) => !except.includes(id))
  const count = (wanted: string): number => findings.filter(({ severity }) => severity === wanted).length
  const [errors, warnings, hints] = [count('error'), count('warning'), count('hint')]
  return { ...report, findings, errors, warnings, hints, ok: errors + warnings + report.more === 0 }
}

/** The message about rules that have answered no call. */
export function unusedMessage(unused: readonly string[]): string {
  const have = unused.length === 1 ? 'A rule has' : `${unused.length} rules have`
  return `${have} answered no call: ${unused.join(', ')}.`
}

const told = ({ ok, message }: Verdict): Told => ({ pass: ok, message: () => message })

function judgedBy(received: unknown, matcher: string): Judged {
  const judged = ((received as { [judgedAtOnce]?: Judged } | null | undefined)?.[judgedAtOnce] ?? received) as
    | Partial<Judged>
    | null
    | undefined
  if (
    typeof judged?.safeVerify !== 'function' ||
    typeof judged.unusedRules !== 'function' ||
    typeof judged.clientReport !== 'function'
  )
    throw new TypeError(
      [
        `${matcher} checks the calls of a simulator: expected \`sim\` of the test, a session or`,
        `what createSimulator() returns, got ${received === null ? 'null' : typeof received}`,
      ].join(' '),
    )
  return judged as Judged
}

function later<Value>(
  { isNot = false }: MatcherState,
  received: unknown,
  value: Value | Promise<Value>,
  then: (value: Value) => Told,
): Answer {
  if (!(value instanceof Promise)) return then(value)
  const answer = value.then(then)
  ;(received as { [askedLater]?: (said: Promise<LaterTold>) => void })[askedLater]?.(
    answer.then(({ pass, message }) => ({ held: pass !== isNot, message })),
  )
  return answer
}
