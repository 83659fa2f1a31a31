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
import { type Condition, conditionsOf } from '../scenario/compile/conditions.ts'
import { type Difference, differences, rememberedPatterns } from '../scenario/compile/match-value.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import type { ConditionFacts } from '../scenario/condition-facts.ts'
import { type ParsedPattern, responseFields } from './read-pattern.ts'

export interface RecalledCall {
  readonly entry: JournalEntry
  /** The facts that rules match, except those of live calls only. */
  readonly facts: Omit<ConditionFacts, 'sandbox'>
  /** Why the body is unknown; undefined if the journal has all of it. */
  readonly unreadable: string | undefined
}

export function recall(entry: JournalEntry, router: Pick<Router, 'match'>): RecalledCall {
  const kept = detailsOf(entry)
  const { key, headers } = kept ?? { key: entry.key, headers: Object.fromEntries(entry.request.headers) }
  const [address = '', query = ''] = entry.request.url.split(/\?(.*)/s)
  const match = router.match(entry.request.method, address)
  const endpoint = match.kind === 'found' ? match.route.endpoint : undefined
  const params = match.kind === 'found' ? match.params : {}
  const text = entry.request.body?.text
  const payload = kept?.isCut === true ? undefined : parseJournalBody(text)
  const body: Payload = payload ?? { kind: 'none' }
  const { model, prompt } = readBodyFacts(body, endpoint)
  return {
    entry,
    facts: {
      key: endpoint?.open === true ? undefined : key,
      model: model ?? params['model'],
      prompt,
      payload: body,
      query,
      headers,
      params,
      job: undefined,
      now: entry.at,
    },
    unreadable:
      payload === undefined
        ? `a body truncated to ${text?.length ?? 0} characters in the journal`
        : undefined,
  }
}

export interface Comparison {
  readonly call: RecalledCall
  /** Whether it matches; undefined if that depends on a body that is not in the journal. */
  readonly matches: boolean | undefined
  /** The differences, the operation first; empty if it matches. */
  readonly differences: readonly RequestDifference[]
  readonly distance: number
}

export type Compare = (call: RecalledCall) => Comparison

const otherGroup = 10_000
const otherOperation = 5000

/** A comparison with a pattern; without one every call matches. */
export function comparerOf({ when, response }: ParsedPattern = { when: {}, response: {} }): Compare {
  const { operation, ...rest } = when
  const operations = operation === undefined ? undefined : [operation].flat()
  const groups = operations?.map((one) => one.split('.')[0])
  const conditions = conditionsOf(rest, {})
  const how = { pattern: rememberedPatterns() }
  return (call) => {
    const { entry, unreadable } = call
    // Requests cannot have the conditions that need the missing facts (states, chance).
    const facts = call.facts as ConditionFacts
    const differing: RequestDifference[] = []
    const uncertain: RequestDifference[] = []
    let farther = 0
    if (operations?.some((one) => isOf(entry, one)) === false) {
      differing.push({
        field: 'operation',
        expected: operations.map((pattern) => JSON.stringify(pattern)).join(' or '),
        got: operationText(entry),
      })
      farther = groups?.includes(entry.operation?.split('.')[0] ?? '') === true ? otherOperation : otherGroup
    }
    for (const condition of conditions) {
      if (unreadable !== undefined && readsBody(condition, call))
        uncertain.push({ field: condition.field, expected: 'a whole body', got: unreadable })
      else
        for (const difference of condition.differences(facts))
          differing.push(worded(condition.field, masked(condition, difference, entry)))
    }
    for (const [name, wanted] of Object.entries(response)) {
      const value = responseFields()[name]?.valueIn(entry)
      for (const difference of differences(wanted, value, { ...how, endings: name === 'rule' }))
        differing.push(worded(name, difference))
    }
    const unlessDiffering = uncertain.length > 0 ? undefined : true
    return {
      call,
      matches: differing.length > 0 ? false : unlessDiffering,
      differences: [...differing, ...uncertain],
      distance: differing.length + uncertain.length + farther,
    }
  }
}

const isOf = ({ operation }: JournalEntry, pattern: string): boolean =>
  operation !== undefined && matchesOperation(pattern, operation)

const operationText = ({ operation, request }: JournalEntry): string =>
  operation === undefined ? `no operation (${request.method} ${request.url})` : JSON.stringify(operation)

/** Of rules that answered none of the calls: why not, in the call that was closest. */
export function nearMissOfRule(rule: string, calls: readonly RecalledCall[]): NearRequest | undefined {
  const found = calls.flatMap((call): Comparison[] => {
    const { considered = [] } = call.entry.cause
    const trace = considered.find((one) => one.rule === rule)
    if (trace === undefined) return []
    const why = { field: 'rule', expected: rule, got: outcomeText(trace) }
    return [{ call, matches: false, differences: [why], distance: distance(trace) }]
  })
  return nearestOf(found)[0]
}

function readsBody({ field }: Condition, { facts }: RecalledCall): boolean {
  if (field === 'model') return facts.params['model'] === undefined
  return field === 'body' || field.startsWith('conversation.')
}

// Keys are compared as sent, but shown shortened, as in the journal.
function masked({ field }: Condition, difference: Difference, entry: JournalEntry): Difference {
  if (difference.got === undefined) return difference
  if (field === 'key') return { ...difference, got: entry.key }
  if (!field.startsWith('headers.')) return difference
  const name = field.slice('headers.'.length).toLowerCase()
  return { ...difference, got: headerIn(entry.request.headers, name) }
}

const maxShownLength = 120

function worded(field: string, { path, expected, got }: Difference): RequestDifference {
  const shown = got === undefined ? 'nothing' : (JSON.stringify(got) ?? String(got))
  return {
    field: fieldPath([field, ...path]),
    expected: clip(expected, maxShownLength),
    got: clip(shown, maxShownLength),
  }
}

const maxNearest = 3

/** The closest mismatches, at most three; other operations only if the right one has none. */
export function nearestOf(missed: readonly Comparison[]): NearRequest[] {
  const ranked = missed.toSorted((a, b) => a.distance - b.distance)
  const right = ranked.filter(({ distance }) => distance < otherOperation)
  const shown = right.length > 0 ? right : ranked
  return shown.slice(0, maxNearest).map(({ call: { entry }, differences }) => ({
    seq: entry.seq,
    requestId: entry.cause.requestId,
    operation: entry.operation ?? null,
    status: entry.response?.status ?? 0,
    differences,
  }))
}
