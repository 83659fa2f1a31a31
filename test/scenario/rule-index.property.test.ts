/**
 * A director that looks rules up answers as one would that asks each rule in its order: the same rules with
 * the same counts and flags, and the same explanations, also those that are worked out later from the
 * journal.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createServiceVocabulary } from '../../src/endpoints/registry.ts'
import { BoundedMap } from '../../src/engine/bounded-map.ts'
import { randomFrom } from '../../src/engine/random.ts'
import { addRuleTrace, type RuleTrace, summarizeValue } from '../../src/engine/rule-trace.ts'
import type { ThingCounts } from '../../src/engine/sandbox.ts'
import type { Payload } from '../../src/protocol/call.ts'
import { journalFormText } from '../../src/protocol/canonical.ts'
import type { Operation } from '../../src/protocol/operations.ts'
import { readBodyFacts } from '../../src/protocol/validate.ts'
import type { RuleFacts } from '../../src/scenario/asked-rules.ts'
import { createRuleBook, flagsAfter, type Rule, type RuleBook } from '../../src/scenario/compile/rules.ts'
import { createDirector, usageOf } from '../../src/scenario/director.ts'
import { runs } from '../_counts.ts'

const vocabulary = createServiceVocabulary()
const operation = 'chat.create'
const route = vocabulary.operation(operation) as Operation
const startedAt = 1_000_000

const text = fc.constantFrom('a', 'b', 'ab', '1', 'true', 'null', '')
const scalar = fc.oneof(text, fc.constantFrom<unknown>(1, 0, -0, true, null))
const shape = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.record({ equals: fc.oneof(scalar, fc.constant({ equals: 'a' })) }),
  fc.record({ startsWith: text }),
  fc.record({ startsWith: text, not: scalar }),
  fc.record({ anyOf: fc.array(fc.oneof(scalar, fc.record({ startsWith: text })), { maxLength: 3 }) }),
  fc.record({ anyOf: fc.tuple(text, fc.record({ exists: fc.constant(false) })) }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ contains: text }),
)
const ending = fc.oneof(
  shape,
  text.map((front) => `${front}*`),
  fc.record({ anyOf: fc.tuple(text, fc.constant('a*')) }),
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const fieldsOf = (value: fc.Arbitrary<unknown>) =>
  fc.record(
    {
      user: value,
      n: value,
      meta: fc.record({ a: value, b: value }, { requiredKeys: [] }),
      list: fc.array(value, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )

// Else hardly any call would meet all that a rule wants.
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
const when = fc.record({
  operation: fc.constantFrom(operation, 'chat.*', undefined, 'messages.create'),
  key: rarely(ending),
  model: rarely(ending),
  headers: rarely(fc.record({ 'X-A': shape })),
  query: rarely(fc.record({ q: shape })),
  path: rarely(fc.record({ id: shape })),
  conversation: rarely(fc.record({ lastUser: shape })),
  body: rarely(fieldsOf(shape)),
  flags: rarely(fc.record({ s: text })),
  nth: rarely(fc.constantFrom(1, 2, [1, 3])),
  everyNth: rarely(fc.constantFrom(1, 2)),
  times: rarely(fc.constantFrom(1, 2)),
  per: rarely(fc.constantFrom('key', 'body.user', 'headers.x-a')),
})
const then = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ text: 'x' }) },
  fc.record({ text: fc.constant('x'), setFlags: fc.record({ s: text }) }),
  fc.constant({ error: { status: 503, before: 'validation' } }),
  fc.constant({ sequence: [{ text: 'x' }, { text: 'y' }], end: 'pass' }),
)
// So many that need the same that they are told apart by what else they need.
const alike = fc.record({
  when: fc.record({
    times: fc.constantFrom(1, undefined),
    nth: fc.constantFrom(undefined, undefined, 2),
    body: fc.record({
      user: fc.constant('a'),
      n: fc.constantFrom(1, true),
      meta: fc.constantFrom({ a: 'a' }, { a: { exists: true } }),
    }),
  }),
  then: fc.constant({ text: 'x' }),
})
const rules = fc.oneof(
  fc.array(fc.record({ when, then }), { maxLength: 24 }),
  fc.array(alike, { minLength: 20, maxLength: 24 }),
)
const body = fc.oneof(fieldsOf(scalar), fc.constant<object>({ user: 'a', n: 1, meta: { a: 'a' } }))
const call = fc.record({
  key: maybe(text),
  model: maybe(text),
  header: maybe(text),
  query: maybe(text),
  params: fc.constantFrom<Record<string, string>>({}, { id: 'a' }, { id: '1' }),
  lastUser: text,
  body,
  form: fc.boolean(),
})
type Sent = typeof call extends fc.Arbitrary<infer Value> ? Value : never

const bookOf = (written: readonly object[], front: string): RuleBook =>
  createRuleBook({
    rules: written.map((rule, index) => ({ id: `${front}${index}`, ...rule })) as never,
    flags: { s: 'a' },
    vocabulary,
    readAnswer: () => 'no rule here is a function',
    hold: () => undefined,
  })

function payloadOf({ model, lastUser, body, form }: Sent): {
  readonly payload: Payload
  readonly kept: string
} {
  const value = { ...body, model, messages: [{ role: 'user', content: lastUser }] }
  if (form) {
    const fields = Object.entries(value).flatMap(([name, one]) =>
      typeof one === 'string' ? [{ name, value: one }] : [],
    )
    return { payload: { kind: 'form', fields }, kept: journalFormText(fields) }
  }
  const written = JSON.stringify(value)
  return { payload: { kind: 'json', value: JSON.parse(written) as unknown, text: written }, kept: written }
}

/** A sandbox as far as rules know it. */
const emptySandbox = () => ({
  ruleTotals: new Map<string, ThingCounts>(),
  ruleCounts: new BoundedMap<ThingCounts>({}),
  flags: new Map<string, string>(),
  startedAt,
  journal: { total: 0 },
})

function factsOf(sent: Sent, payload: Payload, sandbox: object): RuleFacts {
  const { model, prompt } = readBodyFacts(payload, route.endpoint)
  return {
    operation,
    route,
    key: sent.key,
    model: model ?? sent.params['model'],
    prompt,
    payload,
    query: sent.query === undefined ? '' : new URLSearchParams({ q: sent.query }).toString(),
    headers: sent.header === undefined ? {} : { 'x-a': sent.header },
    params: sent.params,
    now: startedAt,
    identity: randomFrom('rules', [1, 2, 3, 4]),
    sandbox,
    nth: 1,
    considered: undefined,
  } as unknown as RuleFacts
}

/** Asks each rule in its order. */
class Naive {
  readonly sandbox = emptySandbox()
  /** The flags before the response. */
  before: ReadonlyMap<string, string> = new Map()
  readonly matched = new Map<string, number>()
  readonly answered = new Map<string, number>()
  /** The same for each thing that a rule counts by itself. */
  readonly matchedFor = new Map<string, number>()
  readonly answeredFor = new Map<string, number>()

  ask(list: readonly Rule[], moment: Rule['moment'], facts: RuleFacts, before: boolean, traces: RuleTrace[]) {
    let answeredBy: string | undefined
    for (const rule of list.filter((one) => one.moment === moment)) {
      const decided = before || answeredBy !== undefined
      if (decided && rule.counts === undefined) {
        this.#tell(rule, facts, traces)
        continue
      }
      if (this.#answers(rule, facts, decided, traces)) answeredBy = rule.id
    }
    return answeredBy
  }

  #answers(rule: Rule, facts: RuleFacts, decided: boolean, traces: RuleTrace[]): boolean {
    const { id, conditions, times, counts } = rule
    const of = conditions.length
    const add = (outcome: RuleTrace['outcome'], held = of, more: object = {}): false => {
      addRuleTrace(traces, { rule: id, outcome, held, of, ...more })
      return false
    }
    if (conditions.some((condition) => condition.fails(facts) !== undefined)) {
      this.#tell(rule, facts, traces)
      return false
    }
    this.matched.set(id, (this.matched.get(id) ?? 0) + 1)
    const thing = `${id} ${rule.thing?.(facts).name ?? 'in all'}`
    const matched = (this.matchedFor.get(thing) ?? 0) + 1
    this.matchedFor.set(thing, matched)
    if (counts?.(matched) === false) return add('count')
    if (decided) return add('behind')
    const answered = this.answeredFor.get(thing) ?? 0
    if (times !== undefined && answered >= times) return add('times')
    const answer = rule.answer({ matched, answered }, facts)
    if (answer === undefined) return add('ended')
    this.answered.set(id, (this.answered.get(id) ?? 0) + 1)
    this.answeredFor.set(thing, answered + 1)
    add('answered')
    this.sandbox.flags = new Map([...this.sandbox.flags, ...flagsAfter(answer, facts)])
    return true
  }

  /** What differs from the call as it was before the response, unless no call gets this response any more. */
  #tell({ id, conditions, times, thing }: Rule, facts: RuleFacts, traces: RuleTrace[]): void {
    const of = conditions.length
    const isUsedUp = thing === undefined && times !== undefined && (this.answered.get(id) ?? 0) >= times
    const before = { ...facts, sandbox: { ...facts.sandbox, flags: this.before } }
    for (const [held, condition] of conditions.entries()) {
      const found = condition.fails(before)
      if (found === undefined) continue
      const { path, expected, got } = found
      const more = { field: condition.field, path, expected, got: summarizeValue(got) }
      if (isUsedUp) addRuleTrace(traces, { rule: id, outcome: 'times', held, of })
      else addRuleTrace(traces, { rule: id, outcome: 'differs', held, of, ...more })
      return
    }
    addRuleTrace(traces, { rule: id, outcome: 'behind', held: of, of })
  }
}

const brief = (traces: readonly RuleTrace[]) =>
  traces.map(({ rule, outcome, held, of, field, path, expected, got }) => ({
    rule,
    outcome,
    held,
    of,
    ...(outcome === 'differs' ? { field, path, expected, got } : {}),
  }))

it('responds, counts and explains like a loop over all rules', () => {
  fc.assert(
    fc.property(rules, rules, fc.array(call, { maxLength: 8 }), (armed, own, calls) => {
      const books = [bookOf(armed, 'armed '), bookOf(own, 'own ')]
      const all = books.flatMap((book) => book.rules(operation))
      const naive = new Naive()
      const sandbox = emptySandbox()
      const director = createDirector({ ignored: () => {}, wrong: () => {}, evaluated: 0 }, books)
      for (const [index, sent] of calls.entries()) {
        const { payload, kept } = payloadOf(sent)
        const traces: RuleTrace[] = []
        const theirs = factsOf(sent, payload, naive.sandbox)
        naive.before = naive.sandbox.flags
        const early = naive.ask(all, 'early', theirs, false, traces)
        const valid = naive.ask(all, 'valid', theirs, early !== undefined, traces)

        const facts = factsOf(sent, payload, sandbox)
        const planned = director.plan(facts)
        expect(planned.rule).toBe(early)
        expect(director.ruled(planned, facts).rule).toBe(early ?? valid)
        expect(sandbox.flags).toEqual(naive.sandbox.flags)
        for (const { id } of all)
          expect([id, usageOf(sandbox as never, id)]).toEqual([
            id,
            { matched: naive.matched.get(id) ?? 0, answered: naive.answered.get(id) ?? 0 },
          ])
        // Now and then while the call is there; else from what the journal keeps.
        if (index % 3 === 0) facts.considered?.settle()
        facts.considered?.release(true)
        expect(brief(facts.considered?.traces(kept, -1) ?? [])).toEqual(brief(traces))
      }
    }),
    runs(150),
  )
})
