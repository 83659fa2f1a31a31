/**
 * Controls about the requests of a session: journal, explanations, verification, unused rules, client report.
 */

import * as z from 'zod'
import { explainRequest as explain, explanationSchema, findCall } from '../../exchange/explain-call.ts'
import { filterJournal, type JournalFilter, journalQuery } from '../../exchange/filter.ts'
import type { journalHar } from '../../exchange/journal-har.ts'
import { entryJson, entrySchema, plainEntry } from '../../exchange/plain.ts'
import type { Verdict } from '../../generated/control-types.ts'
import { clientReportSchema } from '../../judges/client-report.ts'
import { docsPage } from '../../protocol/docs-page.ts'
import { loaded } from '../../protocol/endpoint.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { json } from '../../protocol/response.ts'
import { clip } from '../../protocol/wording.ts'
import { answeredTimes } from '../../scenario/director.ts'
import { counted } from '../../text/printable.ts'
import { version } from '../../text/version.ts'
import { wrongField } from '../session-errors.ts'
import { defaultSession } from '../sessions.ts'
import type { ControlContext, ControlParts, Implementations } from './control.ts'
import { flag, int, text } from './fields.ts'
import { type controls, orThrow } from './table.ts'

/** The rules of the scenarios in use, and how many calls of the session each has answered. @internal */
function scenarioRules({
  session: { rules, sandbox },
}: ControlContext): { readonly id: string; readonly answered: number }[] {
  return [...rules.scenarios, ...[rules.shared ?? []].flat()]
    .flatMap(({ composed }) => composed.rules)
    .map(({ id }) => ({ id, answered: answeredTimes(sandbox, id) }))
}

/** @internal */
export const differenceSchema = () =>
  z.strictObject({
    field: text('The field, such as `body.messages[0].content`, `status` or `headers.x-a`.'),
    expected: text('The expectation as text, such as `a value containing "sunset"` or `at least 3`.'),
    got: text('The actual value, shortened. API keys are redacted.'),
  })

/** @internal */
export const nearSchema = () =>
  z.strictObject({
    seq: z.int(),
    requestId: z.string(),
    operation: z.string().nullable(),
    status: z.int(),
    differences: z.array(differenceSchema()).describe('All conditions that the request does not match.'),
  })

/** @internal */
export const verdictSchema = () =>
  z.strictObject({
    ok: flag('Whether the requests meet the expectation.'),
    decided: flag(
      'False if the verification failed but requests evicted from the journal might have met the ' +
        'expectation.',
    ),
    message: text(
      'The expected and the actual requests as text. For a failure, the text spans several lines.',
    ),
    count: int(
      'The number of matching requests. With `within`, the highest number in any period of ' + 'that length.',
    ),
    matched: z
      .array(z.int())
      .describe('The `seq` of each request that matches `requests` or is part of `inOrder`.'),
    nearest: z
      .array(nearSchema())
      .describe('The requests that nearly match, closest match first. Empty on success.'),
  })

const verdictOn = (context: ControlContext, request: unknown): Verdict => {
  const { sandbox, rules } = context.session
  const { journal, startedAt } = sandbox
  const evidence = {
    entries: journal.kept(),
    total: journal.total,
    startedAt,
    scenarioRules: scenarioRules(context),
    otherRules: rules.overrides.map(({ id }) => id),
  }
  const verdict = context.parts.verifier(evidence, request)
  const hint = verdict.ok || journal.total > 0 ? '' : strayText(context.parts)
  return hint === '' ? verdict : { ...verdict, message: `${verdict.message}\n${hint}` }
}

/** For a session without requests: where those of a client that names no session have gone. */
function strayText({ sessions }: ControlParts): string {
  const total = sessions.find(defaultSession)?.sandbox.journal.total ?? 0
  if (total === 0) return ''
  const received = `The session "${defaultSession}" has received ${counted(total, 'request')}`
  return `${received}: send, or let your server forward, the header x-sim-session.`
}

const pageSchema = () =>
  z.strictObject({
    total: int('The number of requests that the session has received.'),
    matching: int('The number of requests in the journal that match the query, on all pages.'),
    more: z.int(),
    nextCursor: z.int().optional(),
    entries: z.array(entrySchema()),
  })

function journalPage({ session, parts }: ControlContext, filter: JournalFilter) {
  const page = filterJournal(session.sandbox.journal.kept(), filter)
  // An empty page would suggest that there was no such request.
  if (page.matching === 0 && filter.operation !== undefined) rejectUnknown(filter.operation, parts)
  return page
}

/** Rejects an operation, or a group of operations, that does not exist. @internal */
export function rejectUnknown(operation: string, { vocabulary }: ControlParts): void {
  const known = vocabulary.operations
  if (
    known.some((id) => (operation.endsWith('*') ? id.startsWith(operation.slice(0, -1)) : id === operation))
  )
    return
  const nearest = nearestWord(operation, known)
  const hint =
    nearest === undefined
      ? `: expected one of ${known.join(', ')}, or a group such as videos.*`
      : `; did you mean ${nearest}?`
  throw wrongField('operation', `unknown operation ${JSON.stringify(clip(operation, 80))}${hint}`)
}

type CallControl =
  | 'journal'
  | 'explainRequest'
  | 'verify'
  | 'safeVerify'
  | 'unusedRules'
  | 'clientReport'
  | 'settled'

/** @internal */
export const calls: Implementations<Pick<typeof controls, CallControl>> = {
  journal: {
    act: (context, filter) => journalPage(context, { limit: Infinity, ...filter }).entries.map(plainEntry),
    endpoint: {
      operation: 'sim.journal',
      summary: 'List the requests of the session, oldest first',
      query: journalQuery,
      response: pageSchema,
      needs: () => ['har'],
      serve(context, { query }, facilities) {
        const { format, ...filter } = query as JournalFilter & { readonly format?: 'json' | 'har' }
        const { journal } = context.session.sandbox
        const page = journalPage(context, format === 'har' ? { limit: Infinity, ...filter } : filter)
        if (format === 'har')
          return {
            status: 200,
            headers: { 'content-type': 'application/json' },
            body: {
              kind: 'text',
              text: (loaded(facilities, 'har') as typeof journalHar)(page.entries, version),
            },
          }
        const { matching, more, nextCursor } = page
        return json({
          total: journal.total,
          matching,
          more,
          nextCursor,
          entries: page.entries.map(entryJson),
        })
      },
    },
  },
  explainRequest: {
    act({ session, parts }, id) {
      const entry = findCall(id, session.sandbox, (tag) => parts.sessions.findByTag(tag))
      return explain(entry, parts.breakpoints.holding(entry))
    },
    endpoint: {
      operation: 'sim.explainRequest',
      unknownSession: () => 'reject',
      summary: 'Explain the response to a request, by request id, by `seq`, or the latest one by `last`',
      response: explanationSchema,
    },
  },
  verify: {
    act: (context, request) => orThrow(verdictOn(context, request)),
  },
  safeVerify: {
    act: verdictOn,
    endpoint: {
      operation: 'sim.verify',
      summary: 'Verify the requests of the session so far: counts, order and rates',
      body: () =>
        z
          .looseObject({})
          .describe(
            'The expectations: `requests`, `times`, `atLeast`, `atMost`, `never`, `within`, `inOrder`, ' +
              `\`noOthers\`, \`usedRules\`, as in \`sim.verify\` (${docsPage('control-api')}).`,
          ),
      response: verdictSchema,
    },
  },
  unusedRules: {
    act: (context) => scenarioRules(context).flatMap(({ id, answered }) => (answered === 0 ? id : [])),
    endpoint: {
      operation: 'sim.unusedRules',
      summary: 'List the rules that have not yet matched a request in the session',
      response: () => z.strictObject({ rules: z.array(z.string()).describe('The ids of the rules.') }),
    },
  },
  clientReport: {
    act: ({ session, parts }) => parts.clientReportOf(session.sandbox),
    endpoint: {
      operation: 'sim.clientReport',
      summary: 'Get the current client report of the session',
      response: clientReportSchema,
    },
  },
  settled: {
    act: ({ parts, session }) => parts.settled(session.sandbox.name),
    endpoint: {
      operation: 'sim.settled',
      summary: 'Wait until every pending request in the session has finished or is waiting for the clock',
      response: () =>
        z.strictObject({
          settled: z
            .literal(true)
            .describe('Always true: the response is sent once every request has settled.'),
        }),
      serve: () => json({ settled: true }),
    },
  },
}
