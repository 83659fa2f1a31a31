/** Compares one call with a pattern, and names everything that differs. */
import type { JournalEntry } from '../engine/journal-entry.ts'
import { clip, fieldPath } from '../protocol/wording.ts'
import { matchesOperation } from '../scenario/check/reach.ts'
import { type Condition, conditionsOf } from '../scenario/compile/conditions.ts'
import {
  type Comparing,
  type Difference,
  differences,
  rememberedPatterns,
} from '../scenario/compile/match-shape.ts'
import { bodyOf } from '../scenario/condition-facts.ts'
import type { RuleFacts } from '../scenario/facts.ts'
import type { RecalledCall } from './call-facts.ts'
import type { ParsedPattern } from './read-pattern.ts'
import { replyFields } from './reply-fields.ts'
import type { CallDifference } from './request.ts'

/** How a call compares with a pattern. */
export interface Comparison {
  /** Whether it matches; undefined when that depends on a body that is not kept. */
  readonly matches: boolean | undefined
  /** What differs, the operation first; empty when it matches. */
  readonly differences: readonly CallDifference[]
}

export type Compare = (call: RecalledCall) => Comparison

const anyCall: ParsedPattern = { when: {}, address: undefined, reply: {} }
/** Fields of a rule's `when` that are read from the body. */
const bodyFields = ['body', 'model', 'conversation']
const maxShownLength = 120

/** A comparison with a pattern; without one every call matches. */
export function comparerOf({ when, address, reply }: ParsedPattern = anyCall): Compare {
  const { operation, body, ...rest } = when
  const operations = operation === undefined ? undefined : [operation].flat()
  const conditions = conditionsOf(rest, {})
  const plain: Comparing = { pattern: rememberedPatterns() }
  const replies = replyFields
    .filter(({ name }) => Object.hasOwn(reply, name))
    .map(({ name, how, value }) => ({ name, how: { ...plain, ...how }, value }))
  return (call) => {
    const { entry, unreadable } = call
    // Requests cannot have the conditions that need the missing facts (states, chance).
    const facts = call.facts as RuleFacts
    const differing: CallDifference[] = []
    let unknown = false
    if (
      operations !== undefined &&
      !operations.some(
        (pattern) => entry.operation !== undefined && matchesOperation(pattern, entry.operation),
      )
    ) {
      differing.push({
        field: 'operation',
        expected: operations.map((pattern) => JSON.stringify(pattern)).join(' or '),
        got:
          entry.operation === undefined
            ? `no operation (${entry.method} ${entry.path})`
            : JSON.stringify(entry.operation),
      })
    }
    if (address !== undefined)
      for (const difference of differences(address, call.address, { ...plain, endings: true }))
        differing.push(worded('path', difference))
    for (const condition of conditions) {
      const difference = condition.fails(facts)
      if (difference === undefined) continue
      if (unreadable !== undefined && readFromBody(condition, call)) {
        unknown = true
        differing.push({ ...worded(condition.field, difference), got: unreadable })
      } else differing.push(worded(condition.field, masked(condition, difference, entry)))
    }
    if (body !== undefined) {
      if (unreadable !== undefined) {
        unknown = true
        differing.push({ field: 'body', expected: shown(body), got: unreadable })
      } else
        for (const difference of differences(
          body,
          bodyOf(facts.payload),
          facts.payload.kind === 'form' ? { ...plain, texts: true } : plain,
        ))
          differing.push(worded('body', difference))
    }
    for (const { name, how, value } of replies)
      for (const difference of differences(reply[name], value(entry), how))
        differing.push(worded(name, difference))
    const certain = differing.filter(({ got }) => got !== unreadable || unreadable === undefined)
    return {
      matches: differing.length === 0 ? true : unknown && certain.length === 0 ? undefined : false,
      differences: differing,
    }
  }
}

function readFromBody({ field }: Condition, { facts }: RecalledCall): boolean {
  return (
    bodyFields.some((name) => field === name || field.startsWith(`${name}.`)) &&
    !(field === 'model' && facts.params['model'] !== undefined)
  )
}

// Keys are compared as sent, but shown shortened, as in the journal.
function masked({ field }: Condition, difference: Difference, entry: JournalEntry): Difference {
  if (field === 'key') return { ...difference, got: difference.got === undefined ? undefined : entry.key }
  return field.startsWith('headers.') && difference.got !== undefined
    ? { ...difference, got: entry.headers[field.slice('headers.'.length).toLowerCase()] }
    : difference
}

function worded(field: string, { path, expected, got }: Difference): CallDifference {
  const inside = fieldPath(path)
  return {
    field: inside === '' ? field : inside.startsWith('[') ? `${field}${inside}` : `${field}.${inside}`,
    expected: clip(expected, maxShownLength),
    got: shown(got),
  }
}

/** A value in a few words. */
function shown(value: unknown): string {
  return value === undefined ? 'nothing' : clip(JSON.stringify(value) ?? String(value), maxShownLength)
}
