/** Parses verification requests: a condition that can never match is an error, not a verdict. */
import * as z from 'zod'
import { parseDuration, parseTimestamp } from '../engine/duration.ts'
import { lazy } from '../engine/fields.ts'
import { maxDepth } from '../protocol/canonical.ts'
import { unusableNames } from '../protocol/client-names.ts'
import { safeParse } from '../protocol/expected-values.ts'
import { ConfigError, type Finding, type LocatedFinding } from '../protocol/findings.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { errorsIn } from '../protocol/value-errors.ts'
import { clip } from '../protocol/wording.ts'
import {
  checkPattern,
  type ParsedPattern,
  type PatternContext,
  type PatternFields,
  patternKeys,
  patternSchema,
  readPattern,
  unknownRules,
} from './read-pattern.ts'

/** A validated verification request. Times are virtual milliseconds. */
export interface ParsedRequest {
  readonly requests: ParsedPattern | undefined
  readonly atLeast: number
  readonly atMost: number
  /** The counts as text: `exactly twice`; undefined without counts. */
  readonly counts: string | undefined
  readonly from: number | undefined
  readonly until: number | undefined
  readonly span: number | undefined
  readonly inOrder: readonly ParsedPattern[] | undefined
  readonly noOthers: boolean
  /** The rules that must have answered a request. */
  readonly usedRules: readonly string[] | undefined
  /** Whether `usedRules` are all rules of the scenarios. */
  readonly isEveryRule: boolean
}

/** A request as written, after validation by the schema; texts in place of patterns are objects by then. */
type WrittenRequest = Omit<z.output<ReturnType<typeof requestSchema>>, 'requests' | 'inOrder'> & {
  readonly requests?: PatternFields
  readonly inOrder?: readonly PatternFields[]
}

/** The session that a request is about. */
export interface RequestContext {
  /** The virtual time at which it began. */
  readonly startedAt: number
  /** The ids of the rules of its scenarios. */
  readonly scenarioRules: readonly string[]
  /** The ids of everything that can have answered as a rule. */
  readonly rules: readonly string[]
}

function requestSchema(operations: readonly string[]) {
  const pattern = z.union([patternSchema(operations), z.string()])
  const count = z.int().min(0).optional()
  const time = z.union([z.string(), z.number()])
  const window = z.strictObject({ from: time.optional(), until: time.optional(), span: time.optional() })
  return z.strictObject({
    requests: pattern.optional(),
    times: count,
    atLeast: count,
    atMost: count,
    never: z.boolean().optional(),
    within: z.union([time, window]).optional(),
    inOrder: z.array(pattern).min(1).max(1000).optional(),
    noOthers: z.boolean().optional(),
    usedRules: z.union([z.literal(true), z.array(z.string()).min(1)]).optional(),
  })
}

/** Reads requests. Throws `ConfigError` with every error. */
export type ReadVerifyRequest = (written: unknown, context: RequestContext) => ParsedRequest

export function createRequestReader(vocabulary: Vocabulary): ReadVerifyRequest {
  const schema = lazy(() => requestSchema(vocabulary.operations))
  return (written, context) => {
    const request = plainShapes(withObjects(written))
    const parsed = safeParse(schema(), request)
    const issues = [...unusableNames(written, parsed.error?.issues), ...(parsed.error?.issues ?? [])]
    reject(
      errorsIn(issues, schema(), request).map(
        (error): Finding => ({
          field: error.field,
          message: messageOf(error),
        }),
      ),
    )
    return readParsed(parsed.data as WrittenRequest, context, vocabulary)
  }
}

/** Conditions are under `requests`, which is easy to forget. */
function messageOf({ path, message, unknown }: LocatedFinding): string {
  const name = String(path[0])
  const isCondition = unknown === true && path.length === 1 && patternKeys().includes(name)
  return isCondition ? `unknown key "${name}": write \`requests: { ${name}: … }\`` : message
}

function readParsed(
  written: WrittenRequest,
  { startedAt, scenarioRules, rules }: RequestContext,
  vocabulary: Vocabulary,
): ParsedRequest {
  const { requests, inOrder, within, noOthers = false } = written
  const countFields = countFieldsOf(written)
  const context: PatternContext = { vocabulary, rules }
  const usedRules = written.usedRules === true ? scenarioRules : written.usedRules
  const errors: Finding[] = [
    ...(requests === undefined ? [] : checkPattern(requests, ['requests'], context)),
    ...(inOrder ?? []).flatMap((one, index) => checkPattern(one, ['inOrder', index], context)),
    ...checkCounts(written, countFields),
    ...(usedRules ?? []).flatMap((id, index) =>
      unknownRules(id, scenarioRules).map((message) => ({ field: `usedRules[${index}]`, message })),
    ),
  ]
  const isAny = requests === undefined && inOrder === undefined && countFields.length === 0
  if (noOthers && isAny)
    errors.push({
      field: 'noOthers',
      message: 'can never fail without `requests` or `inOrder`: add the expected `requests`',
    })
  if (isAny && !noOthers && usedRules === undefined)
    errors.push({
      field: '',
      message:
        'expected at least one of `requests`, `times`, `atLeast`, `atMost`, `never`, `inOrder`, `noOthers` ' +
        'and `usedRules`',
    })
  const window = readWithin(within, startedAt, errors)
  reject(errors)
  return {
    requests: requests === undefined ? undefined : readPattern(requests),
    ...readCounts(written, countFields),
    ...window,
    inOrder: inOrder?.map(readPattern),
    noOthers,
    usedRules,
    isEveryRule: written.usedRules === true,
  }
}

type Counts = Pick<WrittenRequest, 'times' | 'atLeast' | 'atMost' | 'never'>

function countFieldsOf({ times, atLeast, atMost, never }: Counts): readonly string[] {
  return [
    times === undefined ? [] : ['times'],
    atLeast === undefined && atMost === undefined ? [] : ['atLeast and atMost'],
    never === true ? ['never'] : [],
  ].flat()
}

function checkCounts({ atLeast, atMost }: Counts, [first, second]: readonly string[]): Finding[] {
  const errors: Finding[] = []
  if (second !== undefined) {
    const other = first === 'times' ? '`times`' : '`atLeast` or `atMost`'
    const given = atLeast === undefined ? 'atMost' : 'atLeast'
    errors.push({
      field: second === 'atLeast and atMost' ? given : second,
      message: `cannot be combined with ${other}: keep one of them`,
    })
  }
  if (atLeast === 0 && atMost === undefined)
    errors.push({
      field: 'atLeast',
      message: 'can never fail: write 1 or more, or add `atMost`',
    })
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost)
    errors.push({
      field: 'atMost',
      message: `expected at least ${atLeast} (the value of \`atLeast\`), got ${atMost}`,
    })
  return errors
}

function readCounts(
  { requests, inOrder, times, atLeast, atMost, never }: WrittenRequest,
  countFields: readonly string[],
): Pick<ParsedRequest, 'atLeast' | 'atMost' | 'counts'> {
  // A pattern without a count means at least once.
  const isOnce = countFields.length === 0 && requests !== undefined && inOrder === undefined
  if (never === true) return { atLeast: 0, atMost: 0, counts: 'never' }
  return {
    atLeast: times ?? atLeast ?? (isOnce ? 1 : 0),
    atMost: times ?? atMost ?? Infinity,
    counts:
      countFields.length > 0 || isOnce
        ? inWords({ times, atLeast: isOnce ? 1 : atLeast, atMost })
        : undefined,
  }
}

/** The window. Adds its errors to `errors`. */
function readWithin(
  within: WrittenRequest['within'],
  startedAt: number,
  errors: Finding[],
): Pick<ParsedRequest, 'from' | 'until' | 'span'> {
  const window = typeof within === 'object' ? within : { span: within }
  const span = parseDuration(window.span)
  const spanField = typeof within === 'object' ? 'within.span' : 'within'
  if (window.span !== undefined && span === undefined)
    errors.push({
      field: spanField,
      message:
        'expected a duration such as 5s, 350ms or 1h30m, or a number of milliseconds, ' +
        `got ${JSON.stringify(window.span)}`,
    })
  const timestamp = (name: 'from' | 'until'): number | undefined => {
    const written = window[name]
    if (written === undefined) return undefined
    const after = parseDuration(written)
    const at = after === undefined ? parseTimestamp(written) : startedAt + after
    if (at === undefined)
      errors.push({
        field: `within.${name}`,
        message:
          'expected the time since the start, such as 5s, or an ISO 8601 timestamp with a time zone, such ' +
          `as 2026-01-01T00:00:00Z, got ${JSON.stringify(written)}`,
      })
    return at
  }
  const from = timestamp('from')
  const until = timestamp('until')
  if (from !== undefined && until !== undefined && from >= until)
    errors.push({
      field: 'within.until',
      message: 'expected a time after `from`: this window is empty',
    })
  return { from, until, span }
}

// A string is an operation.
function withObjects(written: unknown): unknown {
  if (typeof written === 'string') return { requests: { operation: written } }
  if (written === null || typeof written !== 'object' || Array.isArray(written)) return written
  const { requests, inOrder } = written as { requests?: unknown; inOrder?: unknown }
  const object = (one: unknown): unknown => (typeof one === 'string' ? { operation: one } : one)
  return {
    ...written,
    ...(requests === undefined ? {} : { requests: object(requests) }),
    ...(Array.isArray(inOrder) ? { inOrder: inOrder.map(object) } : {}),
  }
}

function inWords({
  times,
  atLeast,
  atMost,
}: { readonly [Name in keyof Counts]: Counts[Name] | undefined }): string {
  if (times === 0 || atMost === 0) return 'never'
  if (times !== undefined) return `exactly ${timesText(times)}`
  return [
    atLeast === undefined ? [] : [`at least ${timesText(atLeast)}`],
    atMost === undefined ? [] : [`at most ${timesText(atMost)}`],
  ]
    .flat()
    .join(' and ')
}

export function timesText(number: number): string {
  const words: Readonly<Record<number, string>> = { 1: 'once', 2: 'twice' }
  return words[number] ?? `${number} times`
}

function reject(errors: readonly Finding[]): void {
  if (errors.length === 0) return
  throw new ConfigError('The verification is invalid', errors)
}

/**
 * Turns regular expressions into `{ regex }`. Throws `ConfigError` for other values that are not plain data.
 */
export function plainShapes(value: unknown, path = '', depth = 0): unknown {
  if (depth > maxDepth)
    throw rejected(path, `is nested more than ${maxDepth} levels deep: is the object circular?`)
  // Tests may run in another realm, whose Object and RegExp are not ours.
  if (isRegExp(value)) return { regex: sourceOf(value, path) }
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw rejected(path, `expected plain data or a regular expression, got a ${typeof value}`)
  if (value === null || typeof value !== 'object') return value
  if (typeof (value as { asymmetricMatch?: unknown }).asymmetricMatch === 'function') {
    throw rejected(
      path,
      'test-runner matchers are not supported: write { contains: … }, { startsWith: … }, ' +
        '{ exists: true }, or part of the object',
    )
  }
  const prototype = Object.getPrototypeOf(value) as {
    readonly constructor?: { readonly name?: string }
  } | null
  // A class instance may have no own fields, and would then match anything.
  if (!Array.isArray(value) && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw rejected(
      path,
      `expected plain data or a regular expression, got a ${prototype.constructor?.name ?? 'class'}`,
    )
  if (Array.isArray(value))
    return value.map((item, index) => plainShapes(item, `${path}[${index}]`, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      plainShapes(item, path === '' ? name : `${path}.${name}`, depth + 1),
    ]),
  )
}

function isRegExp(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === '[object RegExp]'
}

function sourceOf({ source, flags }: RegExp, path: string): string {
  // Flags that only change positions do not matter.
  const rest = flags.replace(/[dgu]/g, '')
  if (rest === '') return source
  throw rejected(
    path,
    `expected a regular expression without the ${rest} flag${rest.length === 1 ? '' : 's'}, got ` +
      `/${source}/${flags}: rewrite the pattern, for example as [Ff]ox`,
  )
}

function rejected(at: string, message: string): ConfigError {
  const path = clip(at, 200)
  return new ConfigError('The verification is invalid', [{ field: path, message }])
}
