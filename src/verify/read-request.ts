/**
 * Parses verification requests and reports all their mistakes: a condition that can never match is a mistake,
 * not a verdict.
 */
import * as z from 'zod'
import { lazy } from '../engine/lazy.ts'
import { unusableNames } from '../protocol/client-names.ts'
import { ConfigError } from '../protocol/config-error.ts'
import type { Finding } from '../protocol/findings.ts'
import { mistakesIn } from '../protocol/mistakes.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { safeParse } from '../protocol/safe-parse.ts'
import { plainShapes } from './plain-shapes.ts'
import {
  checkPattern,
  type ParsedPattern,
  type PatternFields,
  patternSchema,
  readPattern,
} from './read-pattern.ts'
import { readWithin, type WrittenWindow } from './read-within.ts'

/** A request that has been checked. Times in virtual milliseconds. */
export interface ParsedRequest {
  readonly calls: ParsedPattern | undefined
  readonly atLeast: number
  readonly atMost: number
  /** The counts in words: `exactly twice`; undefined without counts. */
  readonly counts: string | undefined
  readonly from: number | undefined
  readonly until: number | undefined
  readonly span: number | undefined
  readonly inOrder: readonly ParsedPattern[] | undefined
  readonly noOthers: boolean
}

/** A request as written, after validation by the schema. */
interface WrittenRequest {
  readonly calls?: PatternFields
  readonly inOrder?: readonly PatternFields[]
  readonly within?: WrittenWindow
  readonly exactly?: number
  readonly atLeast?: number
  readonly atMost?: number
  readonly never?: boolean
  readonly noOthers?: boolean
}

const count = (description: string) => z.int().min(0).optional().describe(description)
const time = (description: string) => z.union([z.string(), z.number()]).describe(description)

/** The schema of a request about these operations. */
function requestSchema(operations: readonly string[]) {
  const pattern = z.union([patternSchema(operations), z.string()])
  return z.strictObject({
    calls: pattern.optional().describe('Which calls to count; all when left out. A text is an operation.'),
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
        [
          'A window of virtual time in which calls count (durations after the start, or instants),',
          'or a length: the highest number of calls in any window of it counts.',
        ].join(' '),
      ),
    inOrder: z
      .array(pattern)
      .min(1)
      .max(1000)
      .optional()
      .describe('These calls in this order; others may come in between.'),
    noOthers: z.boolean().optional().describe('True when there must be no other calls.'),
  })
}

/**
 * Reads requests. Throws `ConfigError` with every mistake; `startedAt` is the virtual instant at which the
 * session began.
 */
export type ReadVerifyRequest = (written: unknown, startedAt: number) => ParsedRequest

/** A parser of requests about these operations; its schema is built on first use. */
export function createRequestReader(vocabulary: Vocabulary): ReadVerifyRequest {
  const schema = lazy(() => requestSchema(vocabulary.operations))
  return (written, startedAt) => {
    const request = plainShapes(withObjects(written))
    const parsed = safeParse(schema(), request)
    const issues = [...unusableNames(written, parsed.error?.issues), ...(parsed.error?.issues ?? [])]
    if (issues.length > 0)
      refuse(
        mistakesIn(issues, schema(), request).map(
          ({ field, message, unknown }): Finding => ({
            field,
            message: unknown ? `there is no such key: ${message}` : message,
          }),
        ),
      )
    return readParsed(parsed.data as WrittenRequest, startedAt, vocabulary)
  }
}

function readParsed(written: WrittenRequest, startedAt: number, vocabulary: Vocabulary): ParsedRequest {
  const { calls, inOrder, within, noOthers = false } = written
  const countFields = countFieldsOf(written)
  const mistakes: Finding[] = [
    ...(calls === undefined ? [] : checkPattern(calls, ['calls'], vocabulary)),
    ...(inOrder ?? []).flatMap((one, index) => checkPattern(one, ['inOrder', index], vocabulary)),
    ...checkCounts(written, countFields),
  ]
  if (calls === undefined && inOrder === undefined && countFields.length === 0 && !noOthers)
    mistakes.push({
      field: '',
      message: [
        'says nothing that could fail: expected `calls`, a count (exactly, atLeast, atMost, never)',
        'or `inOrder`',
      ].join(' '),
    })
  const window = readWithin(within, startedAt, mistakes)
  refuse(mistakes)
  return {
    calls: calls === undefined ? undefined : readPattern(calls),
    ...readCounts(written, countFields),
    ...window,
    inOrder: inOrder?.map(readPattern),
    noOthers,
  }
}

type Counts = Pick<WrittenRequest, 'exactly' | 'atLeast' | 'atMost' | 'never'>

/** Which counts are given; `atLeast` and `atMost` are one. */
function countFieldsOf({ exactly, atLeast, atMost, never }: Counts): readonly string[] {
  return [
    exactly === undefined ? [] : ['exactly'],
    atLeast === undefined && atMost === undefined ? [] : ['atLeast and atMost'],
    never === true ? ['never'] : [],
  ].flat()
}

function checkCounts({ atLeast, atMost }: Counts, [first, second]: readonly string[]): Finding[] {
  const mistakes: Finding[] = []
  if (second !== undefined) {
    const other = first === 'exactly' ? '`exactly`' : '`atLeast` or `atMost`'
    mistakes.push({
      field: second === 'atLeast and atMost' ? (atLeast === undefined ? 'atMost' : 'atLeast') : second,
      message: `stands beside ${other}: keep one of them`,
    })
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost)
    mistakes.push({
      field: 'atMost',
      message: `expected at least ${atLeast}, which atLeast asks for, got ${atMost}`,
    })
  return mistakes
}

function readCounts(
  { calls, inOrder, exactly, atLeast, atMost, never }: WrittenRequest,
  countFields: readonly string[],
): Pick<ParsedRequest, 'atLeast' | 'atMost' | 'counts'> {
  // A pattern without a count means at least once.
  const isOnce = countFields.length === 0 && calls !== undefined && inOrder === undefined
  if (never === true) return { atLeast: 0, atMost: 0, counts: 'never' }
  return {
    atLeast: exactly ?? atLeast ?? (isOnce ? 1 : 0),
    atMost: exactly ?? atMost ?? Infinity,
    counts:
      countFields.length > 0 || isOnce
        ? inWords({ exactly, atLeast: isOnce ? 1 : atLeast, atMost })
        : undefined,
  }
}

// A text stands for an operation.
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

function inWords({
  exactly,
  atLeast,
  atMost,
}: { readonly [Name in keyof Counts]: Counts[Name] | undefined }): string {
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

function refuse(mistakes: readonly Finding[]): void {
  if (mistakes.length === 0) return
  throw new ConfigError('This cannot be verified', mistakes)
}
