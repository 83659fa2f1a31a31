/**
 * The matchers of `expect(sim)`. `verify` provides verdicts and messages. Each returns a promise, for a
 * simulator in this process as for one on a server.
 */

import type { ClientReport, Verdict } from '../generated/control-types.ts'
import type { OperationPattern } from '../generated/scenario-types.ts'
import { clientReportText } from '../judges/client-report-text.ts'
import { findingCodes } from '../judges/codes.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import { patternKeys } from '../verify/read-pattern.ts'
import type { RequestPattern, VerifyRequest, Within } from '../verify/request.ts'

/** A property with the callback that receives every expectation of a test. */
export const watchesExpectations: unique symbol = Symbol('gateway-sim watches expectations')

/** The argument of the matchers: a simulator, or a session in this process or on a server. */
export interface Judged {
  safeVerify(request: VerifyRequest): Verdict | Promise<Verdict>
  clientReport(): ClientReport | Promise<ClientReport>
}

/** Which requests of the operation, and how often. Default: at least once. */
export interface ReceivedOptions extends Omit<RequestPattern, 'operation'> {
  /** The exact number of requests. */
  readonly times?: number | undefined
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  /** A window or a length of virtual time, as in `verify`. */
  readonly within?: Within | undefined
  /** Whether other requests are a failure. */
  readonly noOthers?: boolean | undefined
}

export interface OrderOptions {
  readonly noOthers?: boolean | undefined
}

export interface ClientReportOptions {
  /** Kinds of findings to ignore (node_modules/gateway-sim/docs/reference/findings.md). */
  readonly except?: readonly string[] | undefined
}

/** The promise of a matcher. It records whether the test awaits it, also through `catch` or `rejects`. */
export class Expectation extends Promise<undefined> {
  isAwaited = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  override then<Held = undefined, Failed = never>(
    held?: ((value: undefined) => Held | PromiseLike<Held>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Held | Failed> {
    this.isAwaited = true
    return super.then(held, failed)
  }

  /** Its message once it has failed, without counting as awaited. */
  get failure(): Promise<string | undefined> {
    return super.then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  }
}

/** The result of a matcher. */
interface MatcherResult {
  readonly pass: boolean
  message(): string
}

/** What vitest passes to a matcher as `this`. */
interface MatcherState {
  readonly isNot?: boolean
}

type Called = OperationPattern | RequestPattern

/** Options that other matchers have, or that `verify` has. */
const meantOptions: Readonly<Record<string, string>> = {
  exactly: 'write `times`',
  count: 'write `times`',
  never: 'write `expect(sim).not.toHaveReceived(…)`',
  inOrder: 'write `expect(sim).toHaveReceivedInOrder([…])`',
}
const ownOptions = ['times', 'atLeast', 'atMost', 'within', 'noOthers']

export const matchers = {
  toHaveReceived(this: MatcherState, received: unknown, calls: Called, options: ReceivedOptions = {}) {
    return expectation(received, async () => {
      const { times, atLeast, atMost, within, noOthers, ...more } = options
      checkNames('toHaveReceived', Object.keys(more))
      const pattern: RequestPattern = {
        ...(typeof calls === 'string' ? { operation: calls } : calls),
        ...more,
      }
      const judged = judgedBy(received, 'toHaveReceived')
      if (this.isNot === true) {
        const counted = Object.entries({ times, atLeast, atMost, noOthers }).find(
          ([, value]) => value !== undefined,
        )
        if (counted !== undefined)
          throw new TypeError(
            `not.toHaveReceived expects no matching request: omit \`${counted[0]}\`, or ` +
              'omit `not` and give a count',
          )
        const { ok, message } = await judged.safeVerify({ requests: pattern, within, never: true })
        return { pass: !ok, message: () => message }
      }
      const isCounted = times !== undefined || atLeast !== undefined || atMost !== undefined
      const counts = isCounted ? { times, atLeast, atMost } : { atLeast: 1 }
      return resultOf(await judged.safeVerify({ requests: pattern, within, noOthers, ...counts }))
    })
  },

  toHaveReceivedInOrder(
    this: MatcherState,
    received: unknown,
    inOrder: readonly Called[],
    { noOthers }: OrderOptions = {},
  ) {
    return expectation(received, async () => {
      const judged = judgedBy(received, 'toHaveReceivedInOrder')
      const verdict = await judged.safeVerify({ inOrder, noOthers })
      // An undecided verdict does not prove that there was no request.
      if (this.isNot === true && !verdict.ok && !verdict.decided)
        return { pass: true, message: () => verdict.message }
      const numbers = verdict.matched.map((seq) => `#${seq}`).join(', ')
      return this.isNot === true
        ? { pass: verdict.ok, message: () => `Expected no requests in this order, got ${numbers}.` }
        : resultOf(verdict)
    })
  },

  toHaveUsedAllRules(this: MatcherState, received: unknown) {
    return expectation(received, async () => {
      const verdict = await judgedBy(received, 'toHaveUsedAllRules').safeVerify({ usedRules: true })
      return verdict.ok
        ? { pass: true, message: () => 'Expected an unused rule, but every rule has responded to a request.' }
        : resultOf(verdict)
    })
  },

  toBeWellBehaved(this: MatcherState, received: unknown, { except = [] }: ClientReportOptions = {}) {
    return expectation(received, judgeReport, true)
    async function judgeReport(): Promise<MatcherResult> {
      const ids: readonly string[] = findingCodes
      const unknown = except.find((id) => !ids.includes(id))
      if (unknown !== undefined) {
        const hint = didYouMean(unknown, ids)
        const name = JSON.stringify(unknown)
        throw new TypeError(`toBeWellBehaved: unknown finding ${name} in \`except\`: ${hint}`)
      }
      const left = without(await judgedBy(received, 'toBeWellBehaved').clientReport(), except)
      return {
        pass: left.ok,
        message: () =>
          left.ok
            ? 'Expected an error or a warning in the client report, but there is none.'
            : clientReportText(left).trimEnd(),
      }
    }
  },
}

/**
 * The result for vitest, which compares it with the expectation and returns a promise to the test. A failure
 * that the test does not await is reported by the watched session.
 */
function expectation(
  received: unknown,
  judge: () => Promise<MatcherResult>,
  showsReport = false,
): Promise<MatcherResult> {
  const judged = judge()
  const answer: PromiseLike<MatcherResult> = {
    then(...settle) {
      const call: { stack?: string } = {}
      Error.captureStackTrace(call, answer.then)
      const settled = new Expectation((held, failed) => {
        judged.then(...settle).then(
          () => held(undefined),
          (error: unknown) => failed(withFrames(error, call.stack)),
        )
      })
      const { [watchesExpectations]: watch } = Object(received) as {
        [watchesExpectations]?: (one: Expectation, showsReport: boolean) => void
      }
      watch?.(settled, showsReport)
      return settled as never
    },
  }
  return answer as Promise<MatcherResult>
}

/** The same error with the frames of the test. A stack does not cross a thenable that is not a promise. */
function withFrames(error: unknown, stack = ''): unknown {
  if (error instanceof Error) error.stack += stack.slice(stack.indexOf('\n'))
  return error
}

// Without this check an unknown option would count as a field of a request.
function checkNames(matcher: string, names: readonly string[]): void {
  const keys = patternKeys()
  const unknown = names.find((name) => !keys.includes(name))
  if (unknown === undefined) return
  const all = `expected ${ownOptions.join(', ')}, or a field of a request: ${keys.join(', ')}`
  const hint = meantOptions[unknown] ?? didYouMean(unknown, [...ownOptions, ...keys], all)
  throw new TypeError(`${matcher}: unknown option ${JSON.stringify(unknown)}: ${hint}`)
}

/** The report without some kinds of findings. */
function without(report: ClientReport, except: readonly string[]): ClientReport {
  if (except.length === 0) return report
  const findings = report.findings.filter(({ code }) => !except.includes(code))
  const count = (wanted: string): number => findings.filter(({ severity }) => severity === wanted).length
  const [errors, warnings, hints] = [count('error'), count('warning'), count('hint')]
  return { ...report, findings, errors, warnings, hints, ok: errors + warnings + report.more === 0 }
}

const resultOf = ({ ok, message }: Verdict): MatcherResult => ({ pass: ok, message: () => message })

function judgedBy(received: unknown, matcher: string): Judged {
  const judged = Object(received) as Partial<Judged>
  if (typeof judged.safeVerify !== 'function' || typeof judged.clientReport !== 'function')
    throw new TypeError(
      `${matcher} checks the requests of a simulator: expected the test's \`sim\`, a session or a ` +
        `simulator, got ${received === null ? 'null' : typeof received}`,
    )
  return judged as Judged
}

/** The matchers of `gateway-sim/vitest`. */
export interface GatewayMatchers {
  /**
   * Expects matching requests of an operation: at least one, or as many as `times`, `atLeast` and `atMost`
   * require.
   */
  toHaveReceived(calls: OperationPattern | RequestPattern, options?: ReceivedOptions): Promise<void>
  /** Expects these requests in this order, possibly with others between them. */
  toHaveReceivedInOrder(
    inOrder: readonly (OperationPattern | RequestPattern)[],
    options?: OrderOptions,
  ): Promise<void>
  /** Expects every rule of the scenarios in use to have answered a request. */
  toHaveUsedAllRules(): Promise<void>
  /**
   * Expects a client report without errors and warnings. Hints are allowed. All findings:
   * node_modules/gateway-sim/docs/reference/findings.md.
   */
  toBeWellBehaved(options?: ClientReportOptions): Promise<void>
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares it with this parameter and default
  interface Matchers<T = any> extends GatewayMatchers {}
}
