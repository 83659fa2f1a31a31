/** Compares requests with a pattern, lists the differences, and finds the closest mismatches. */

import { distance } from '../engine/rule-trace.ts'
import { headerIn, type JournalEntry } from '../exchange/exchange.ts'
import { detailsOf } from '../exchange/kept-exchange.ts'
import { outcomeText } from '../exchange/rule-reasons.ts'
import type { NearRequest, RequestDifference } from '../generated/control-types.ts'
import type { Payload } from '../protocol/call.ts'
import { parseJournalBody } from '../protocol/canonical.ts'
import type { Router } from '../protocol/router.ts'
import { readBodyFacts } from '../protocol/validate.ts'
import { clip, fieldPath } from '../protocol/wording.ts'
import type { RuleFacts } from '../scenario/asked-rules.ts'
import { type Condition, conditionsOf } from '../scenario/compile/conditions.ts'
import {
  type Comparing,
  type Difference,
  differences,
  rememberedPatterns,
} from '../scenario/compile/match-value.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import { bodyOf } from '../scenario/condition-facts.ts'
import { type ParsedPattern, responseConditions } from './read-pattern.ts'

/** The facts that rules match, except those of live calls only. */
export type CallFacts = Omit<RuleFacts, 'sandbox' | 'identity' | 'route' | 'nth' | 'considered'>

export interface RecalledCall {
  readonly entry: JournalEntry
  readonly facts: CallFacts
  readonly address: string
  /** Why the body is unknown; undefined if the journal has all of it. */
  readonly unreadable: string | undefined
}

export function recall(entry: JournalEntry, router: Pick<Router, 'match'>): RecalledCall {
  const kept = detailsOf(entry)
  const { key, headers } = kept ?? { key: entry.key, headers: Object.fromEntries(entry.request.headers) }
  const at = entry.request.url.indexOf('?')
  const address = at < 0 ? entry.request.url : entry.request.url.slice(0, at)
  const match = router.match(entry.request.method, address)
  const endpoint = match.kind === 'found' ? match.route.endpoint : undefined
  const params = match.kind === 'found' ? match.params : {}
  const payload = kept?.isCut === true ? undefined : parseJournalBody(entry.request.body?.text)
  const body: Payload = payload ?? { kind: 'none' }
  const { model, prompt } = readBodyFacts(body, endpoint)
  return {
    entry,
    address,
    facts: {
      operation: entry.operation ?? '',
      key: endpoint?.open === true ? undefined : key,
      model: model ?? params['model'],
      prompt,
      payload: body,
      query: at < 0 ? '' : entry.request.url.slice(at + 1),
      headers,
      params,
      job: undefined,
      now: entry.at,
    },
    unreadable: payload === undefined ? unreadableBody(entry) : undefined,
  }
}

function unreadableBody({ request }: JournalEntry): string {
  const text = request.body?.text
  if (text === undefined) return 'a body that is not in the journal'
  return `a body truncated to ${text.length} characters in the journal`
}

export interface Comparison {
  /** Whether it matches; undefined if that depends on a body that is not in the journal. */
  readonly matches: boolean | undefined
  /** The differences, the operation first; empty if it matches. */
  readonly differences: readonly RequestDifference[]
  readonly distance: number
}

export type Compare = (call: RecalledCall) => Comparison

const anyCall: ParsedPattern = { when: {}, address: undefined, response: {} }
/** Fields of a rule's `when` that are read from the body. */
const bodyFields = ['body', 'model', 'conversation']
const maxShownLength = 120

/** A comparison with a pattern; without one every call matches. */
export function comparerOf(pattern: ParsedPattern = anyCall): Compare {
  const { when, address } = pattern
  const { operation, body, ...rest } = when
  const operations = operation === undefined ? undefined : [operation].flat()
  const conditions = conditionsOf(rest, {})
  const plain: Comparing = { pattern: rememberedPatterns() }
  const responses = responseConditions(pattern)
  return (call) => {
    const { entry, unreadable } = call
    // Requests cannot have the conditions that need the missing facts (states, chance).
    const facts = call.facts as RuleFacts
    const differing: RequestDifference[] = []
    const uncertain: RequestDifference[] = []
    let farther = 0
    if (operations !== undefined && !operations.some((one) => isOf(entry, one)))
      differing.push(otherOperation(operations, entry))
    if (address !== undefined)
      for (const difference of differences(address, call.address, { ...plain, endings: true }))
        differing.push(worded('path', difference))
    for (const condition of conditions) {
      const difference = condition.fails(facts)
      if (difference === undefined) continue
      if (unreadable !== undefined && readFromBody(condition, call))
        uncertain.push({ ...worded(condition.field, difference), got: unreadable })
      else differing.push(worded(condition.field, masked(condition, difference, entry)))
    }
    if (body !== undefined && unreadable !== undefined)
      uncertain.push({ field: 'body', expected: shown(body), got: unreadable })
    else if (body !== undefined)
      for (const difference of differences(
        body,
        bodyOf(facts.payload),
        facts.payload.kind === 'form' ? { ...plain, texts: true } : plain,
      ))
        differing.push(worded('body', difference))
    for (const { name, wanted, how, value } of responses)
      for (const difference of differences(wanted, value(entry), { ...plain, ...how })) {
        const one = worded(name, difference)
        if (name !== 'rule') {
          differing.push(one)
          continue
        }
        const near = nearMissOfRule(wanted, entry)
        farther += near?.distance ?? untried
        differing.push(near === undefined ? one : { ...one, got: `${one.got} (${near.why})` })
      }
    const unlessDiffering = uncertain.length > 0 ? undefined : true
    return {
      matches: differing.length > 0 ? false : unlessDiffering,
      differences: [...differing, ...uncertain],
      distance: differing.length + uncertain.length + farther,
    }
  }
}

const isOf = ({ operation }: JournalEntry, pattern: string): boolean =>
  operation !== undefined && matchesOperation(pattern, operation)

function otherOperation(
  operations: readonly string[],
  { operation, request }: JournalEntry,
): RequestDifference {
  return {
    field: 'operation',
    expected: operations.map((pattern) => JSON.stringify(pattern)).join(' or '),
    got:
      operation === undefined ? `no operation (${request.method} ${request.url})` : JSON.stringify(operation),
  }
}

const untried = 1000

/** Why a rule did not answer a request, and how close it was; undefined if it was not tried. */
export function nearMissOfRule(
  rule: unknown,
  { cause }: JournalEntry,
): { readonly distance: number; readonly why: string } | undefined {
  const trace = (cause.considered ?? []).find((one) => one.rule === rule)
  return trace === undefined ? undefined : { distance: distance(trace), why: outcomeText(trace) }
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
    ? { ...difference, got: headerIn(entry.request.headers, field.slice('headers.'.length).toLowerCase()) }
    : difference
}

function worded(field: string, { path, expected, got }: Difference): RequestDifference {
  const inside = fieldPath(path)
  const separator = inside === '' || inside.startsWith('[') ? '' : '.'
  return {
    field: `${field}${separator}${inside}`,
    expected: clip(expected, maxShownLength),
    got: shown(got),
  }
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : clip(JSON.stringify(value) ?? String(value), maxShownLength)
}

export interface NearMiss {
  readonly call: RecalledCall
  readonly comparison: Pick<Comparison, 'differences' | 'distance'>
}

const maxNearest = 3
const otherGroup = 10_000
const sameGroup = 5000

/** The closest mismatches, at most three; other operations only if the right one has none. */
export function nearestOf(
  missed: readonly NearMiss[],
  operations: readonly string[] | undefined,
): NearRequest[] {
  const groups = new Set(operations?.map((operation) => operation.split('.')[0]))
  const distanceOf = ({ call, comparison: { differences, distance } }: NearMiss): number => {
    if (differences[0]?.field !== 'operation') return distance
    const isSameGroup = groups.has(call.entry.operation?.split('.')[0] as string)
    return distance + (isSameGroup ? sameGroup : otherGroup)
  }
  const ranked = missed
    .map((one) => ({ one, distance: distanceOf(one) }))
    .sort((a, b) => a.distance - b.distance || a.one.call.entry.seq - b.one.call.entry.seq)
  const right = ranked.filter(({ distance }) => distance < sameGroup)
  return (right.length > 0 ? right : ranked).slice(0, maxNearest).map(({ one: { call, comparison } }) => {
    const { seq, operation = null, cause, response } = call.entry
    return {
      seq,
      requestId: cause.requestId,
      operation,
      status: response?.status ?? 0,
      differences: comparison.differences,
    }
  })
}
