/** Finds the journal entry of a request, and explains why the request got its response. */

import * as z from 'zod'
import { formatDuration } from '../engine/duration.ts'
import { tagIn } from '../engine/random.ts'
import type { RuleTrace } from '../engine/rule-trace.ts'
import type { ExplainedRule, RequestExplanation } from '../generated/control-types.ts'
import { ApiError } from '../protocol/errors.ts'
import { decisionText } from '../protocol/plan.ts'
import { clip, errorMessage, show } from '../protocol/wording.ts'
import { counted } from '../text/printable.ts'
import { type Cause, isStream, type JournalEntry, type SessionNaming } from './exchange.ts'
import { type Holding, holdingText } from './holding.ts'
import type { JournaledSandbox } from './journal.ts'
import { detailsOf, type KeptExchange } from './kept-exchange.ts'
import { conditionField, gotText, nearestFirst, ruleSentence } from './rule-reasons.ts'

/** @internal */
export const explainedRuleSchema = () =>
  z.strictObject({
    rule: z.string().describe('The id of the rule.'),
    outcome: z
      .enum(['differs', 'count', 'times', 'ended', 'passed', 'behind', 'off', 'answered'])
      .describe('The result of its evaluation.'),
    sentence: z.string().describe('The result as a sentence.'),
    field: z.string().optional().describe('The path under `when` of the first condition that failed.'),
    expected: z.string().optional().describe('The expected value.'),
    got: z.string().optional().describe('The value in the request.'),
  })

/** An explanation as JSON. @internal */
export const explanationSchema = () =>
  z.strictObject({
    seq: z.int().describe('The number of the request in its session.'),
    requestId: z.string().describe('The request id of the response.'),
    session: z.string().describe('The session of the request.'),
    rule: z.string().optional().describe('The rule that answered.'),
    because: z.string().describe('The reason for the response, in one sentence.'),
    rules: z
      .array(explainedRuleSchema())
      .describe('At most 50 rules for the operation, closest match first.'),
    waitsFor: z
      .string()
      .optional()
      .describe(
        'How far the clock must advance after the request until the response ends, such as 350ms, if ' +
          'the response waits for the clock or the client aborted it while it waited.',
      ),
    text: z.string().describe('The whole explanation as lines of text.'),
  })

const named: Readonly<Record<SessionNaming, string>> = {
  prefix: 'by the base-URL prefix /s/<name>',
  header: 'by the header x-sim-session',
  key: 'by its API key sk-sim-<session>-…',
  id: 'by the id of one of its resources',
  default: 'by default: the request names no session',
}

export function explainRequest(entry: KeptExchange, holding?: Holding): RequestExplanation {
  const { cause, request } = entry
  const { requestId, rule, rulesTried = 0 } = cause
  const status = entry.response?.status ?? 0
  const near = nearestFirst(cause.considered ?? [])
  const rules = near.map(
    (found): ExplainedRule => ({
      rule: found.rule,
      outcome: found.outcome,
      sentence: ruleSentence(found),
      ...(found.outcome === 'differs'
        ? { field: conditionField(found), expected: found.expected ?? '', got: gotText(found) }
        : {}),
    }),
  )
  const because = `${reasonOf(entry, near)}${messageOf(entry)}`
  const waitsFor = waitOf(entry)
  const shownId = requestId === '' ? '' : `, ${requestId}`
  const title =
    `${request.method} ${request.url} (${entry.operation ?? 'no operation'}, seq ${entry.seq}${shownId}) ` +
    `got ${status === 0 ? 'no response' : status}.`
  const more = rulesTried - rules.length
  const others = rules.filter(({ outcome }) => outcome !== 'answered')
  const text = [
    title,
    because,
    ...(holding === undefined ? [] : [holdingText(holding)]),
    ...endOf(entry),
    ...(waitsFor === undefined ? [] : [waitText(entry, waitsFor)]),
    ...(others.length === 0
      ? []
      : [
          rule === undefined ? 'Rules, closest match first:' : 'Other rules, closest match first:',
          ...others.map(({ sentence }) => `  - ${sentence}`),
          ...(more > 0 ? [`  - and ${more} more`] : []),
        ]),
    ...(cause.notes ?? []),
    `Session "${entry.session}", selected ${named[cause.namedBy]}.`,
  ].join('\n')
  return { seq: entry.seq, requestId, session: entry.session, rule, because, rules, waitsFor, text }
}

/** A short form for a header: printable ASCII, at most 500 characters. */
export function explainShort(entry: JournalEntry): string {
  const { rule, considered = [] } = entry.cause
  const near = rule === undefined ? nearestFirst(considered)[0] : undefined
  const nearest = near === undefined ? '' : ` Closest: ${ruleSentence(near)}`
  const line = `${reasonOf(entry, [])}${nearest} Session "${entry.session}".`.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  )
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 3)}...`
}

const maxLineLength = 500

function reasonOf(entry: JournalEntry, near: readonly RuleTrace[]): string {
  const { cause } = entry
  const { rule, decidedBy, rejection, violations, bug, rulesTried = 0, faults } = cause
  if (bug !== undefined)
    return 'Internal error in gateway-sim, not an error in the request: please report it.'
  if (cause.unmatched) return 'strict: no rule matches this request.'
  const [answered, content] = near.filter(({ outcome }) => outcome === 'answered')
  const rest = content === undefined ? '' : ` The rest of the response is from rule ${content.rule}.`
  const applied =
    faults.length === 0 ? '' : ` Applied ${faults.length === 1 ? 'fault' : 'faults'}: ${faults.join(', ')}.`
  const changed = 'The response was changed at a breakpoint.'
  const isChanged = decidedBy?.kind === 'breakpoint'
  if (rule !== undefined)
    return [
      answered === undefined ? `Rule ${rule} answered.` : capital(ruleSentence(answered)),
      applied,
      rest,
      isChanged ? ` ${changed}` : '',
    ].join('')
  if (isChanged) return `${changed}${applied}`
  if (decidedBy !== undefined) {
    const effect = detailsOf(entry)?.reservedEffect
    return `Decided by ${decisionText(decidedBy)}${effect === undefined ? '' : `: ${effect}`}.${applied}`
  }
  if (rejection !== undefined && cause.rulesAsked !== true) {
    const place = violations.length === 0 ? aboutParam(rejection.param) : `: ${violationsText(violations)}`
    return `Rejected before rules were evaluated (${rejection.type}${place}).`
  }
  const none = rulesTried === 0 ? 'No rule for this operation' : `No rule matched (${rulesTried} evaluated)`
  if (rejection !== undefined)
    return `${none}. Rejected by default (${rejection.type}${aboutParam(rejection.param)}).`
  return `${none}. Default response sent.${applied}`
}

const maxMessageLength = 300

/** The message of a default rejection, unless the reason lists its violations. */
function messageOf(entry: JournalEntry): string {
  const { rejection, decidedBy, unmatched, violations, rulesAsked } = entry.cause
  const isListed = rulesAsked !== true && violations.length > 0
  if (rejection === undefined || decidedBy !== undefined || unmatched || isListed) return ''
  const message = clip(errorMessage(entry.response?.body?.text ?? ''), maxMessageLength)
  return message === '' ? '' : ` Error message: ${message}`
}

const maxViolations = 5

function violationsText(violations: Cause['violations']): string {
  const shown = violations.slice(0, maxViolations).map(({ message }) => message)
  const more = violations.length - shown.length
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

// A complete response needs no remark.
function endOf({ ended, response }: JournalEntry): string[] {
  if (response === undefined || ended === 'completed') return []
  const { eventCount = 0 } = response
  const count = counted(eventCount, 'event')
  if (ended === 'open')
    return [`The response has not ended${isStream({ response }) ? `: ${count} sent so far` : ''}.`]
  const after = eventCount > 0 ? ` after ${count}` : ''
  if (ended === 'aborted') return [`The client aborted the response${after}.`]
  return [`The server cut the connection${after}.`]
}

function waitOf(entry: KeptExchange): string | undefined {
  const until = entry.ended === 'completed' ? undefined : entry.waitsUntil
  return until === undefined ? undefined : formatDuration(until - entry.at)
}

const waitText = ({ ended }: JournalEntry, waitsFor: string): string =>
  `The response ${ended === 'open' ? 'waits' : 'was waiting'} for the virtual clock, which moves only when ` +
  `it is advanced: the response ends ${waitsFor} after the request.`

const aboutParam = (param: string | undefined): string => (param === undefined ? '' : `, about \`${param}\``)

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/**
 * The entry with a request id in any session, or with a `seq` in this one; `last` or -1 is the latest.
 * Throws `ApiError` (404).
 */
export function findCall(
  id: string | number,
  sandbox: JournaledSandbox,
  byTag: (tag: string) => { readonly sandbox: JournaledSandbox } | undefined,
): KeptExchange {
  const named = id === 'last' ? '-1' : String(id)
  const given = /^-?\d{1,15}$/.test(named) ? Number(named) : undefined
  const seq = given !== undefined && given < 0 ? sandbox.journal.total + given : given
  const tag = typeof id === 'string' && seq === undefined ? tagIn(id) : undefined
  const home = (tag === undefined ? undefined : byTag(tag)?.sandbox) ?? sandbox
  const found = home.journal.entryOf(seq ?? id)
  if (found !== undefined) return found
  const { total, count } = home.journal
  throw new ApiError(
    'not_found_error',
    `There is no request ${show(id)} in the journal of the session "${home.name}": expected a request ` +
      `id, a seq or last. The journal holds ${count} of ${counted(total, 'request')}.`,
    { param: 'id' },
  )
}
