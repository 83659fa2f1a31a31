/**
 * Reads what somebody wants verified, with every mistake named: what could never be met is a mistake, not a
 * verdict.
 */
import * as z from 'zod'
import { createServiceVocabulary } from '../endpoints/registry.ts'
import { parseDuration } from '../engine/duration.ts'
import { parseInstant } from '../engine/instant.ts'
import { lazy } from '../engine/lazy.ts'
import { ConfigError } from '../protocol/config-error.ts'
import type { Finding } from '../protocol/findings.ts'
import { mistakesIn } from '../protocol/mistakes.ts'
import { fieldPath } from '../protocol/wording.ts'
import { checkShape, type ScenarioMistake } from '../scenario/check/shape.ts'
import { checkWhen } from '../scenario/check/when.ts'
import { shape } from '../scenario/format/values.ts'
import { type WhenSpec, whenSchema } from '../scenario/format/when.ts'
import { plainShapes } from './plain-shapes.ts'
import { replyFields } from './reply-fields.ts'

/** Which calls are meant, checked. */
export interface ReadPattern {
  /** What `when` of a rule says as well. */
  readonly when: WhenSpec
  /** The path itself; undefined when it does not matter. */
  readonly address: string | undefined
  /** What is said of the reply and of how the call went, by the name of its field. */
  readonly reply: Readonly<Record<string, unknown>>
}

/** A request that has been checked. Times in virtual milliseconds. */
export interface ReadRequest {
  readonly calls: ReadPattern | undefined
  readonly atLeast: number
  readonly atMost: number
  /** The counts in words: `exactly 2 times`; undefined when nothing is counted. */
  readonly counts: string | undefined
  readonly from: number | undefined
  readonly until: number | undefined
  readonly span: number | undefined
  readonly inOrder: readonly ReadPattern[] | undefined
  readonly noOthers: boolean
}

const vocabulary = lazy(createServiceVocabulary)

const callsSchema = lazy(() =>
  whenSchema(vocabulary().operations)
    .omit({ state: true, during: true, nth: true, first: true, after: true, every: true, times: true })
    .extend({
      path: z
        .union([z.record(z.string(), shape('What it must be like.')), z.string()])
        .optional()
        .describe('Parameters of the path, or the path itself, which may end in `*`.'),
      ...Object.fromEntries(
        replyFields.map(({ name, description }) => [name, shape(description).optional()]),
      ),
    }),
)

/** What can be said of the calls that are meant. */
export const patternKeys = lazy((): readonly string[] => Object.keys(callsSchema().shape))
const count = (description: string) => z.int().min(0).optional().describe(description)
const time = (description: string) => z.union([z.string(), z.number()]).describe(description)

/** The shape of a request, for who exports or reads it. Made when it is first asked for. */
export const verifyRequestSchema = lazy(() => {
  const pattern = z.union([callsSchema(), z.string()])
  return z.strictObject({
    calls: pattern
      .optional()
      .describe('Which calls are looked at; all when left out. A text is an operation.'),
    exactly: count('How many there must be.'),
    atLeast: count('How many there must be at least.'),
    atMost: count('How many there may be at most.'),
    never: z.boolean().optional().describe('True when there must be none.'),
    within: z
      .union([
        time('A length.'),
        z.strictObject({
          from: time('From when on.').optional(),
          until: time('Until when.').optional(),
          span: time('A length.').optional(),
        }),
      ])
      .optional()
      .describe(
        'A window of virtual time in which calls count (durations after the start, or instants), or a length: the most calls in any stretch of it count.',
      ),
    inOrder: z
      .array(pattern)
      .min(1)
      .max(1000)
      .optional()
      .describe('These calls one after the other; others may stand between them.'),
    noOthers: z.boolean().optional().describe('True when there must be no other calls.'),
  })
})

/**
 * Throws `ConfigError` with every mistake. `startedAt` is the virtual instant at which the session began.
 */
export function readRequest(written: unknown, startedAt: number): ReadRequest {
  const request = plainShapes(withObjects(written))
  const schema = verifyRequestSchema()
  const parsed = schema.safeParse(request)
  if (!parsed.success)
    refuse(
      mistakesIn(parsed.error.issues, schema, request).map(
        ({ field, message, unknown }): Finding => ({
          field,
          message: unknown ? `there is no such key: ${message}` : message,
        }),
      ),
    )
  const { calls, inOrder, within, noOthers = false, exactly, atLeast, atMost, never } = parsed.data as Parsed
  const mistakes: Finding[] = [
    ...(calls === undefined ? [] : mistakesOf(calls, ['calls'])),
    ...(inOrder ?? []).flatMap((one, index) => mistakesOf(one, ['inOrder', index])),
  ]
  const said = [
    exactly === undefined ? [] : ['exactly'],
    atLeast === undefined && atMost === undefined ? [] : ['atLeast and atMost'],
    never === true ? ['never'] : [],
  ].flat()
  if (said.length > 1)
    mistakes.push({
      field:
        said[1] === 'atLeast and atMost'
          ? atLeast === undefined
            ? 'atMost'
            : 'atLeast'
          : (said[1] as string),
      message: `stands beside \`${said[0] === 'exactly' ? 'exactly' : 'atLeast` or `atMost'}\`: keep one of them`,
    })
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost)
    mistakes.push({
      field: 'atMost',
      message: `expected at least ${atLeast}, which atLeast asks for, got ${atMost}`,
    })
  if (calls === undefined && inOrder === undefined && said.length === 0 && !noOthers)
    mistakes.push({
      field: '',
      message:
        'says nothing that could fail: expected `calls`, a count (exactly, atLeast, atMost, never) or `inOrder`',
    })
  const times = readWithin(within, startedAt, mistakes)
  refuse(mistakes)
  const counted = said.length > 0 || (calls !== undefined && inOrder === undefined)
  return {
    calls: calls === undefined ? undefined : readPattern(calls),
    atLeast: never === true ? 0 : (exactly ?? atLeast ?? (said.length === 0 && counted ? 1 : 0)),
    atMost: never === true ? 0 : (exactly ?? atMost ?? Infinity),
    counts: counted
      ? inWords(
          never === true
            ? { exactly: 0 }
            : { exactly, atLeast: atLeast ?? (said.length === 0 ? 1 : undefined), atMost },
        )
      : undefined,
    ...times,
    inOrder: inOrder?.map(readPattern),
    noOthers,
  }
}

type Fields = Readonly<Record<string, unknown>>
interface Parsed {
  readonly calls?: Fields
  readonly inOrder?: readonly Fields[]
  readonly within?:
    | string
    | number
    | { readonly from?: string | number; readonly until?: string | number; readonly span?: string | number }
  readonly exactly?: number
  readonly atLeast?: number
  readonly atMost?: number
  readonly never?: boolean
  readonly noOthers?: boolean
}

// A text is an operation, wherever calls are meant.
function withObjects(written: unknown): unknown {
  if (typeof written === 'string') return { calls: { operation: written } }
  if (written === null || typeof written !== 'object' || Array.isArray(written)) return written
  const { calls, inOrder } = written as { calls?: unknown; inOrder?: unknown }
  const object = (one: unknown): unknown => (typeof one === 'string' ? { operation: one } : one)
  return {
    ...written,
    ...(calls === undefined ? {} : { calls: object(calls) }),
    ...(Array.isArray(inOrder) ? { inOrder: inOrder.map(object) } : {}),
  }
}

function readPattern({ path, ...fields }: Fields): ReadPattern {
  const names = new Set(replyFields.map(({ name }) => name))
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  const when = Object.fromEntries(entries.filter(([name]) => !names.has(name)))
  return {
    when: (typeof path === 'object' ? { ...when, path } : when) as WhenSpec,
    address: typeof path === 'string' ? path : undefined,
    reply: Object.fromEntries(
      entries
        .filter(([name]) => names.has(name))
        .map(([name, wanted]) => [name, name === 'status' ? hundred(wanted) : wanted]),
    ),
  }
}

function hundred(wanted: unknown): unknown {
  const digit = typeof wanted === 'string' ? /^([1-5])xx$/.exec(wanted)?.[1] : undefined
  return digit === undefined ? wanted : { gte: Number(digit) * 100, lt: (Number(digit) + 1) * 100 }
}

function mistakesOf(calls: Fields, at: readonly PropertyKey[]): Finding[] {
  const { when, reply } = readPattern(calls)
  const { all, endpoint, operations } = vocabulary()
  const named = when.operation
  // Calls of paths that nobody owns have no schema to be held against.
  const meant =
    named === undefined
      ? []
      : operations.filter((operation) =>
          [named]
            .flat()
            .some(
              (pattern) =>
                pattern === '*' ||
                pattern === operation ||
                (pattern.endsWith('.*') && operation.startsWith(pattern.slice(0, -1))),
            ),
        )
  const found: ScenarioMistake[] = [
    ...checkWhen(when, {
      path: at,
      written: calls,
      endpoints: meant.flatMap((operation) => endpoint(operation) ?? []),
      all,
      states: new Map(),
    }),
  ]
  for (const [name, wanted] of Object.entries(reply)) found.push(...checkShape(wanted, [...at, name], []))
  return found.map(({ path, message }) => ({
    field: fieldPath(path),
    message: message.startsWith('no request has a field')
      ? `${message} (a field that the contract does not know is looked for with \`ignored\`)`
      : message,
  }))
}

function readWithin(
  within: Parsed['within'],
  startedAt: number,
  mistakes: Finding[],
): {
  readonly from: number | undefined
  readonly until: number | undefined
  readonly span: number | undefined
} {
  const window: Exclude<Parsed['within'], string | number | undefined> =
    within === undefined ? {} : typeof within === 'object' ? within : { span: within }
  const span = parseDuration(window.span)
  const spanField = typeof within === 'object' ? 'within.span' : 'within'
  if (window.span !== undefined && span === undefined)
    mistakes.push({
      field: spanField,
      message: `expected a duration such as 5s, 350ms or 1h30m, or milliseconds, got ${JSON.stringify(window.span)}`,
    })
  const instant = (name: 'from' | 'until'): number | undefined => {
    const written = window[name]
    if (written === undefined) return undefined
    const after = parseDuration(written)
    const at = after === undefined ? parseInstant(written) : startedAt + after
    if (at === undefined)
      mistakes.push({
        field: `within.${name}`,
        message: `expected a duration after the start such as 5s, or an ISO 8601 instant with its zone such as 2026-01-01T00:00:00Z, got ${JSON.stringify(written)}`,
      })
    return at
  }
  const from = instant('from')
  const until = instant('until')
  if (from !== undefined && until !== undefined && from >= until)
    mistakes.push({
      field: 'within.until',
      message: 'expected an instant after `from`: no call could stand in this window',
    })
  return { from, until, span }
}

function inWords({
  exactly,
  atLeast,
  atMost,
}: {
  readonly exactly?: number | undefined
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
}): string {
  if (exactly === 0 || atMost === 0) return 'never'
  if (exactly !== undefined) return `exactly ${times(exactly)}`
  return [
    atLeast === undefined ? [] : [`at least ${times(atLeast)}`],
    atMost === undefined ? [] : [`at most ${times(atMost)}`],
  ]
    .flat()
    .join(' and ')
}

/** A number of times in words. */
export function times(number: number): string {
  return number === 1 ? 'once' : number === 2 ? 'twice' : `${number} times`
}

function refuse(found: readonly Finding[]): void {
  if (found.length === 0) return
  throw new ConfigError('This cannot be verified', found)
}
