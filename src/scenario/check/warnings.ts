/** Warnings about valid scenarios: rules that no call reaches, durations without a unit, typos. */
import * as z from 'zod'
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { isListed } from '../../protocol/auth.ts'
import { rejections } from '../../protocol/errors.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-value.ts'
import { answersOf, selectedOperations } from '../compile/select.ts'
import type { AnswerSpec } from '../format/rule.ts'
import type { AccountSpec, RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import { templateSources, textsIn } from '../templates.ts'
import { type FileError, type Path, suggestion, wrongKey, wrongValue } from './forms.ts'
import { unknownFields } from './steps.ts'

export type ScenarioWarning = FileError & {
  readonly from: number
  /** True for a rule that never responds. */
  readonly unreachable?: true
}

/** Warnings about scenarios that are used together, in this order; `names` are their names. */
export function warningsOf(
  scenarios: readonly ScenarioSpec[],
  names: readonly string[],
  vocabulary: Vocabulary,
): ScenarioWarning[] {
  const rules = scenarios.flatMap(({ rules: own = [] }, from) =>
    own.map((rule, index) => placed(rule, from, index, vocabulary)),
  )
  // Rules that reject early are evaluated before all others, wherever they are.
  const asked = [...rules.filter(({ early }) => early), ...rules.filter(({ early }) => !early)]
  const wider = new WiderRules(asked)
  const unreachable = asked.flatMap((rule): ScenarioWarning[] => {
    const takers = rule.operations.map((operation) => {
      const taker = wider.find(rule, operation)
      // A rule that covers this rule also covers every rule that this one covers.
      if (taker === undefined && rule.always) wider.add(rule, operation)
      return taker
    })
    if (takers.length === 0 || takers.includes(undefined)) return []
    const by = [...new Set(takers)].map((taker) => calledRule(taker as PlacedRule, rule.from, names))
    const match = `${by.join(' and ')} match${by.length === 1 ? 'es' : ''}`
    return [
      {
        path: ['rules', rule.index],
        key: false,
        from: rule.from,
        unreachable: true,
        message: `no request ever reaches this rule: ${match} all of its requests first`,
      },
    ]
  })
  return [
    ...unreachable,
    ...scenarios.flatMap((scenario, from) =>
      [...slipsOf(scenario, vocabulary)].map((one) => ({ ...one, from })),
    ),
  ]
}

interface PlacedRule {
  readonly rule: RuleSpec
  readonly from: number
  readonly index: number
  readonly operations: readonly string[]
  /** The values of its conditions, with their places. */
  readonly parts: readonly string[]
  readonly early: boolean
  /** Whether it responds to every call that matches its conditions. */
  readonly always: boolean
}

function placed(rule: RuleSpec, from: number, index: number, vocabulary: Vocabulary): PlacedRule {
  const { operation: _, per: __, ...conditions } = rule.when ?? {}
  const { nth, first, skip, everyNth, times } = conditions
  return {
    rule,
    from,
    index,
    operations: selectedOperations(rule.when, rule.then, vocabulary),
    parts: partsIn(conditions, ''),
    early: answersOf(rule.then).some(({ answer }) => answer.error?.before !== undefined),
    always:
      [nth, first, skip, everyNth, times].every((count) => count === undefined) &&
      rule.then.end !== 'pass' &&
      rule.ask === undefined,
  }
}

function calledRule({ rule, from, index }: PlacedRule, seenFrom: number, names: readonly string[]): string {
  const called = rule.id === undefined ? `rule ${index + 1}` : JSON.stringify(rule.id)
  return from === seenFrom ? called : `${called} in ${names[from]}`
}

/** Finds the earlier rule that matches every call of a later one, without comparing all pairs. */
class WiderRules {
  /** How often each part occurs: a rule that covers another one is found by its rarest part. */
  readonly #counts = new Map<string, number>()
  readonly #byPart = new Map<string, PlacedRule[]>()
  readonly #order: ReadonlyMap<PlacedRule, number>

  constructor(all: readonly PlacedRule[]) {
    this.#order = new Map(all.map((rule, index) => [rule, index]))
    for (const part of all.flatMap(({ parts }) => parts)) this.#counts.set(part, this.#count(part) + 1)
  }

  add(rule: PlacedRule, operation: string): void {
    const [rarest = ''] = [...rule.parts].sort((a, b) => this.#count(a) - this.#count(b))
    const place = `${operation} ${rarest}`
    const list = this.#byPart.get(place)
    if (list === undefined) this.#byPart.set(place, [rule])
    else list.push(rule)
  }

  /** The first rule that responds to every call of an operation that matches these conditions. */
  find({ parts }: PlacedRule, operation: string): PlacedRule | undefined {
    const own = new Set(parts)
    const found = ['', ...parts].flatMap(
      (part) =>
        this.#byPart.get(`${operation} ${part}`)?.find((rule) => rule.parts.every((one) => own.has(one))) ??
        [],
    )
    return found.sort((a, b) => this.#at(a) - this.#at(b))[0]
  }

  #count(part: string): number {
    return this.#counts.get(part) ?? 0
  }

  #at(rule: PlacedRule): number {
    return this.#order.get(rule) ?? 0
  }
}

function partsIn(shape: unknown, place: string): string[] {
  // A field of `when` without conditions (`headers: {}`) matches every call. A window is not a matcher.
  if (isFields(shape) && Object.keys(shape).length === 0 && place.lastIndexOf('.') <= 0) return []
  if (!isFields(shape) || isOperators(shape) || place === '.during' || Object.keys(shape).length === 0)
    return [`${place}=${JSON.stringify(shape)}`]
  return Object.entries(shape).flatMap(([name, inner]) => partsIn(inner, `${place}.${name}`))
}

/** Larger numbers can only be milliseconds. */
const leastPlain = 100

/** Takes the value as written, and a schema whose durations are marked. */
export function bareDurations(written: unknown, schema: z.ZodType): FileError[] {
  const found = new Map<string, FileError>()
  search(schema, written, [], (path, value) =>
    found.set(
      JSON.stringify(path),
      wrongValue(path, `${value} means ${value} milliseconds: write ${value}ms, or ${value}s for seconds`),
    ),
  )
  return [...found.values()]
}

type Found = (path: Path, value: number) => void

function search(schema: unknown, value: unknown, path: Path, found: Found): void {
  if (value === undefined || value === null || typeof value === 'string') return
  if (!(schema instanceof z.ZodType)) return
  if (schema.meta()?.['$comment'] === 'duration') {
    if (typeof value === 'number' && value > 0 && value < leastPlain) found(path, value)
  } else if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodLazy
  )
    search(schema.unwrap(), value, path, found)
  else if (schema instanceof z.ZodPipe) search(schema.in, value, path, found)
  else if (schema instanceof z.ZodUnion)
    for (const option of schema.options) search(option, value, path, found)
  else if (schema instanceof z.ZodArray && Array.isArray(value))
    for (const [index, item] of value.entries()) search(schema.element, item, [...path, index], found)
  else if (schema instanceof z.ZodObject && isFields(value))
    for (const [name, part] of Object.entries(value)) search(schema.shape[name], part, [...path, name], found)
}

function* slipsOf(
  { rules = [], steps = [], models }: ScenarioSpec,
  vocabulary: Vocabulary,
): Generator<FileError> {
  for (const [index, rule] of rules.entries()) {
    yield* missingModel(rule, ['rules', index, 'when', 'model'], models, vocabulary)
    for (const { answer, path } of answersOf(rule.then)) {
      const here = ['rules', index, 'then', ...path]
      yield* strayImages(answer, rule, here)
      yield* misspeltType(answer, [...here, 'error', 'type'])
      yield* literalNames(answer, here, nameOfRequest)
    }
  }
  const all = [...placedSteps(steps, ['steps'])]
  const saved = all.flatMap(({ step }) => Object.keys(step['save'] ?? {}))
  const nameOfSaved = (name: string) => (saved.includes(name.split(/[.[]/)[0] ?? '') ? name : undefined)
  yield* literalNames(steps, ['steps'], nameOfSaved)
  // The service ignores fields that it does not know.
  for (const { step, path } of all)
    for (const { name, operation, nearest } of unknownFields(step, vocabulary.endpoint))
      if (nearest === undefined)
        yield wrongKey(
          [...path, 'with', name],
          `${operation} has no field ${show(name)}: the service will ignore it`,
        )
  if (steps.length > 0 && all.every(({ step }) => (step['expect'] ?? step['waitFor']) === undefined))
    yield wrongKey(['steps'], 'no step has expectations: a replay checks only that every request succeeds')
}

/** All steps, also those inside `parallel`. */
function* placedSteps(steps: unknown, path: Path): Generator<{ readonly step: Fields; readonly path: Path }> {
  for (const [index, step] of listOf(steps).entries()) {
    if (!isFields(step)) continue
    const here = [...path, index]
    yield { step, path: here }
    yield* placedSteps(step['parallel'], [...here, 'parallel'])
  }
}

/** A model that `models` does not list: its calls get a 404, unless the rule defines the whole response. */
function* missingModel(
  { when, then }: RuleSpec,
  path: Path,
  models: AccountSpec['models'],
  vocabulary: Vocabulary,
): Generator<FileError> {
  const model = when?.model
  if (models === undefined || typeof model !== 'string' || /^sim-|\*$/.test(model)) return
  if (answersOf(then).some(({ answer: { error, response, fault } }) => error ?? response ?? fault)) return
  const lists = selectedOperations(when, then, vocabulary).map((operation) => {
    const catalog = vocabulary.catalog(operation)
    return (models as Readonly<Record<string, readonly string[] | undefined>>)[catalog ?? '']
  })
  const known = lists.flatMap((list) => list ?? [])
  if (lists.includes(undefined) || isListed(model, known)) return
  const message = `requests with the model ${show(model)} get a 404, because \`models\` does not list it`
  yield wrongValue(path, `${message}${suggestion(model, [...new Set(known)])}`)
}

/** Images of a script that the call does not ask for, or whose predecessors are missing. */
function* strayImages({ stream }: AnswerSpec, { when }: RuleSpec, path: Path): Generator<FileError> {
  const n = isFields(when?.body) ? when.body['n'] : undefined
  const named = (stream?.script ?? []).map((item) =>
    'partial' in item ? item.partial : 'image' in item ? item.image : undefined,
  )
  let missing = 0
  while (named.includes(missing)) missing++
  for (const [index, image = 0] of named.entries()) {
    const isMore = typeof n === 'number' && image >= n
    if (!isMore && image <= missing) continue
    const message = isMore
      ? `image ${image}: the request asks for ${n === 1 ? '1 image' : `${n} images`}, numbered from 0`
      : `image ${image}: the script has no image ${missing} (numbers start at 0)`
    yield wrongValue([...path, 'stream', 'script', index], message)
  }
}

/** A type next to a status may be any string, even a misspelt type. */
function* misspeltType({ error: { type, status } = {} }: AnswerSpec, path: Path): Generator<FileError> {
  if (type === undefined || status === undefined || Object.hasOwn(rejections, type)) return
  const nearest = nearestWord(type, Object.keys(rejections))
  if (nearest !== undefined)
    yield wrongValue(path, `${show(type)} is sent unchanged: did you mean ${nearest}?`)
}

/** A name in the template syntax of other tools. */
const foreignName = /\{\{\s*([\w.[\]]+)\s*\}\}|^\$(\w+)$|^\{(\w+)\}$/g

/** Strings that are sent unchanged although they name a value; `meant` returns its name here. */
function* literalNames(
  value: unknown,
  path: Path,
  meant: (name: string) => string | undefined,
): Generator<FileError> {
  for (const { text, at } of textsIn(value, path))
    for (const [written, ...names] of text.matchAll(foreignName)) {
      const name = meant(names.find((one) => one !== undefined) ?? '')
      if (name !== undefined)
        yield wrongValue(at, `${show(written)} is sent unchanged: to insert the value, write "\${${name}}"`)
    }
}

function nameOfRequest(written: string): string | undefined {
  const name = written.replace(/^(?:request|req)\./, '')
  return templateSources.includes(name.split(/[.[]/)[0] ?? '') ? name : undefined
}
