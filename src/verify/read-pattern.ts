/** Parses a call pattern: the conditions of a rule's `when`, and conditions on the reply. */
import * as z from 'zod'
import { lazy } from '../engine/lazy.ts'
import type { Finding } from '../protocol/findings.ts'
import type { Vocabulary } from '../protocol/operations.ts'
import { fieldPath } from '../protocol/wording.ts'
import { checkShape, type ScenarioMistake } from '../scenario/check/shape.ts'
import { checkWhen } from '../scenario/check/when.ts'
import { shape } from '../scenario/format/values.ts'
import { type WhenSpec, whenSchema } from '../scenario/format/when.ts'
import { replyFields } from './reply-fields.ts'

/** A checked call pattern. */
export interface ParsedPattern {
  /** The conditions that `when` of a rule has, too. */
  readonly when: WhenSpec
  /** The path itself; undefined when it does not matter. */
  readonly address: string | undefined
  /** Conditions on the reply and on how the call went, by field. */
  readonly reply: Readonly<Record<string, unknown>>
}

/** The fields of a pattern as written. */
export type PatternFields = Readonly<Record<string, unknown>>

/** The schema of a pattern over these operations. */
export function patternSchema(operations: readonly string[]) {
  return whenSchema(operations)
    .omit({ state: true, during: true, nth: true, first: true, after: true, every: true, times: true })
    .extend({
      path: z
        .union([z.record(z.string(), shape('What it must be like.')), z.string()])
        .optional()
        .describe('Parameters of the path, or the path itself, which may end in `*`.'),
      ...Object.fromEntries(
        replyFields.map(({ name, description }) => [name, shape(description).optional()]),
      ),
    })
}

/** The names of its fields. */
export const patternKeys = lazy((): readonly string[] => Object.keys(patternSchema([]).shape))

/** The pattern of its fields. */
export function readPattern({ path, ...fields }: PatternFields): ParsedPattern {
  const names = new Set(replyFields.map(({ name }) => name))
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  const when = Object.fromEntries(entries.filter(([name]) => !names.has(name)))
  return {
    when: (typeof path === 'object' ? { ...when, path } : when) as WhenSpec,
    address: typeof path === 'string' ? path : undefined,
    reply: Object.fromEntries(
      entries
        .filter(([name]) => names.has(name))
        .map(([name, wanted]) => [name, name === 'status' ? statusRange(wanted) : wanted]),
    ),
  }
}

function statusRange(wanted: unknown): unknown {
  const digit = typeof wanted === 'string' ? /^([1-5])xx$/.exec(wanted)?.[1] : undefined
  return digit === undefined ? wanted : { gte: Number(digit) * 100, lt: (Number(digit) + 1) * 100 }
}

/** Conditions that can never match, and unknown names. */
export function checkPattern(
  calls: PatternFields,
  at: readonly PropertyKey[],
  vocabulary: Vocabulary,
): Finding[] {
  const { endpoint, operations } = vocabulary
  const { when, reply } = readPattern(calls)
  const named = when.operation
  // Calls of unknown paths have no schema.
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
  const mistakes: ScenarioMistake[] = [
    ...checkWhen(when, {
      path: at,
      written: calls,
      endpoints: meant.flatMap((operation) => endpoint(operation) ?? []),
      vocabulary,
      states: new Map(),
    }),
  ]
  for (const [name, wanted] of Object.entries(reply)) mistakes.push(...checkShape(wanted, [...at, name], []))
  return mistakes.map(({ path, message }) => ({
    field: fieldPath(path),
    message: message.startsWith('no request has a field')
      ? `${message} (a field that the contract does not know is looked for with \`ignored\`)`
      : message,
  }))
}
