/** The scenarios of one simulator, composed: settings, rules, and the resources at the start of a session. */

import { everyKey } from '../../behaviours/jobs/job.ts'
import { defined, type Fields, isFields, mapTexts } from '../../engine/fields.ts'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import type { SettingsInput } from '../../generated/settings-types.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import type { Settings } from '../../protocol/settings.ts'
import { fieldPath, notData, show } from '../../protocol/wording.ts'
import { type Path, type PlacedError, wrongKey, wrongValue } from '../check/file-error.ts'
import { checkScenario } from '../check/scenario.ts'
import { type ResponseSpec, timelineOf } from '../compile/compile.ts'
import { createRuleBook, isEarly, type ReadAnswer, type RuleBook } from '../compile/rules.ts'
import type { GivenResourceSpec } from '../format/given.ts'
import type { AccountSpec, RuleSpec, ScenarioSpec } from '../format/scenario.ts'
import { ScenarioError, type ScenarioFieldError } from '../scenario-error.ts'
import { contentOfResponse, errorsOfFiles, readOwnBytes } from './given-files.ts'
import { tooMuchIn } from './read-yaml.ts'
import {
  Scenario,
  type ScenarioReader,
  scenarioError,
  scenarioOfFile,
  scenarioOfObject,
  withoutFunctions,
  wordsOf,
} from './scenario.ts'

/** A scenario to use: a path, a result of `loadScenario`, or an object of the scenario format. */
export type ScenarioSource = string | Scenario | ScenarioInput

/** Scenarios that are used together. @internal */
export interface ScenarioSet {
  readonly scenarios: readonly Scenario[]
  readonly composed: Composed
  readonly book: RuleBook
  /**
   * Throws `ScenarioError` for given resources that the settings do not allow: files of an unknown provider,
   * files that are too large, or more resources than a session keeps.
   */
  checkAgainst(settings: Settings): void
  /** Adds the given resources to a new sandbox. */
  begin(sandbox: Sandbox, settings: Settings): void
}

/** The default API key of clients. @internal */
export const defaultKey = 'sk-scenario'

/** Reads and composes scenarios. Throws `ScenarioError` with all errors of all scenarios. @internal */
export function createScenarioSet(sources: readonly ScenarioSource[], reader: ScenarioReader): ScenarioSet {
  const found: ScenarioFieldError[] = []
  const scenarios = sources.flatMap((source, index) => {
    try {
      if (source instanceof Scenario) return [source]
      return typeof source === 'string'
        ? [scenarioOfFile(source, reader)]
        : [scenarioOfObject(source, `scenario ${index + 1}`, reader)]
    } catch (error) {
      // An error without a list is not about the content.
      if (!(error instanceof ScenarioError) || sources.length === 1 || error.errors.length === 0) throw error
      found.push(...error.errors)
      return []
    }
  })
  if (found.length > 0) throw scenarioError(found)

  const composed = compose(
    scenarios.map(({ spec }) => spec),
    labelsOf(scenarios),
  )
  const own = readOwnBytes(scenarios, reader)
  const reject = (errors: readonly PlacedError[]): void => {
    if (errors.length > 0)
      throw scenarioError(
        scenarios.flatMap((scenario, from) => scenario.place(errors.filter((error) => error.from === from))),
      )
  }
  reject([...composed.errors, ...own.errors])
  const { vocabulary } = reader
  const { givenFiles } = vocabulary
  const book = createRuleBook({
    rules: composed.rules,
    flags: composed.flags,
    vocabulary,
    readAnswer: answerReader(reader, composed.flags),
    hold: (response) => own.of.get(response) ?? heldResponse(response, reader),
  })
  const firstKey = Object.keys(composed.keys ?? {})[0] ?? everyKey

  return {
    scenarios,
    composed,
    book,
    checkAgainst: (settings) =>
      reject([
        ...(givenFiles === undefined ? [] : errorsOfFiles(own.files, givenFiles, settings)),
        ...errorsOfCount(composed.given, settings),
      ]),
    begin(sandbox, settings) {
      givenFiles?.put(
        own.files.map(({ file }) => file),
        { sandbox, settings },
      )
      for (const { kind: name, fields } of composed.given) {
        const kind = vocabulary.kinds.find((one) => one.name === name)
        if (kind === undefined) continue
        const { age, timeline, offContract, ...rest } = fields as GivenResourceSpec
        kind.put(
          {
            fields: { key: firstKey, ...rest },
            timeline: timeline === undefined ? undefined : timelineOf(timeline, kind),
            age,
            offContract: offContract === true,
          },
          { sandbox, settings },
        )
      }
    },
  }
}

// The return value of a rule's function is checked now: it did not exist when the scenario was read.
function heldResponse(response: ResponseSpec, { disk, allowFiles }: ScenarioReader): HeldBytes | undefined {
  const content = contentOfResponse(response)
  if (content === undefined) return undefined
  const bytes = disk.readContent(content, 'response', { directory: undefined, allowFiles })
  if (typeof bytes === 'string') throw new ScenarioError(`response.file: ${bytes}`)
  return bytes
}

// A given resource must not be evicted to make room for the next one.
function errorsOfCount(given: Composed['given'], { memory: { items } }: Settings): PlacedError[] {
  const last = given.at(-1)
  if (last === undefined || given.length <= items) return []
  const limit = `a session keeps at most ${items} (setting memory.items)`
  const message = `${given.length} things are given, but ${limit}`
  return [{ ...wrongKey(['given', last.kind], message), from: last.from }]
}

/** The name of rules without an id: by the file without its directories, equal on every machine. */
function labelsOf(scenarios: readonly Scenario[]): string[] {
  const seen = new Map<string, number>()
  return scenarios.map(({ name }) => {
    const stem = (name.split(/[\\/]/).at(-1) ?? name).replace(/\.(?:ya?ml|json)$/, '').replaceAll(' ', '-')
    const count = (seen.get(stem) ?? 0) + 1
    seen.set(stem, count)
    return count === 1 ? stem : `${stem}-${count}`
  })
}

/** The settings that scenarios contain. @internal */
export function settingsOf({ seed, clock, keys, models = {}, limits = {} }: Composed): SettingsInput {
  const filled = <T extends object>(value: T): T | undefined =>
    Object.keys(value).length === 0 ? undefined : value
  return defined({
    seed,
    clock: filled(clock),
    keys,
    models: filled(models),
    limits: filled(limits),
  }) as SettingsInput
}

/** The maximum number of errors reported for one response. */
const maxListed = 3

/** `flags` are the flags that a response may set. */
function answerReader(
  { schema, vocabulary }: ScenarioReader,
  flags: Readonly<Record<string, string>>,
): ReadAnswer {
  return (returned, operation) => {
    if (!isFields(returned) || notData(returned) !== undefined) return notAnAnswer(returned)
    const much = tooMuchIn(returned)
    if (much !== undefined) return `the return value ${much.message}`
    const scenario = { title: 'one answer', flags, rules: [{ when: { operation }, then: returned }] }
    const { value, errors: strange } = withoutFunctions(scenario)
    // A `${` that a function returns comes from the call and is not a template.
    const literal = mapTexts(value, (text) => text.replaceAll('${', () => '$${'))
    const { errors, spec } = checkScenario(literal, schema(), vocabulary, { isQuick: true })
    const [rule] = spec?.rules ?? []
    const all = strange.length > 0 ? strange : errors
    if (all.length > 0 || rule === undefined)
      return all
        .slice(0, maxListed)
        .map((error) => {
          const field = fieldPath(error.path.slice(2))
          return `${field}: ${wordsOf(error, field)}`
        })
        .join('; ')
    return isEarly(rule.then) ? tooLate : rule.then
  }
}

const notAnAnswer = (returned: unknown): string =>
  `expected a response object such as { text: 'Hello' }, or undefined to leave the request to later rules, ` +
  `got ${notData(returned)?.what ?? show(returned)}`

const tooLate =
  'then: a function runs only after the API key and the body are checked. Put earlier rejections ' +
  '(`error.before`, the fault `auth`, …) into a separate rule'

/** A rule with a name, which every rule of a composition has. */
type NamedRule = RuleSpec & { readonly id: string }

export interface Composed extends AccountSpec {
  readonly seed: string | undefined
  readonly clock: NonNullable<ScenarioSpec['clock']>
  readonly flags: Readonly<Record<string, string>>
  readonly rules: readonly NamedRule[]
  /** Resources and files. */
  readonly given: readonly { readonly kind: string; readonly fields: Fields; readonly from: number }[]
  readonly errors: readonly PlacedError[]
}

/** Composes scenarios; `names` are their names in reports. */
function compose(scenarios: readonly ScenarioSpec[], names: readonly string[]): Composed {
  const together = <T extends object>(part: (scenario: ScenarioSpec) => T | undefined): T =>
    Object.assign({}, ...scenarios.map(part)) as T
  const hasKeys = scenarios.some(({ keys }) => keys !== undefined)
  return {
    seed: scenarios.find(({ seed }) => seed !== undefined)?.seed,
    clock: together(({ clock }) => clock),
    keys: hasKeys ? together(({ keys }) => keys) : undefined,
    models: together(({ models }) => models),
    limits: together(({ limits }) => limits),
    flags: together(({ flags }) => flags),
    rules: scenarios.flatMap(({ rules = [] }, from) =>
      rules.map((rule, index) => ({ ...rule, id: rule.id ?? `${names[from]}#${index + 1}` })),
    ),
    given: scenarios.flatMap(({ given = {} }, from) =>
      Object.entries(given).flatMap(([kind, list = []]) =>
        (list as readonly Fields[]).map((fields) => ({ kind, fields, from })),
      ),
    ),
    errors: conflictsBetween(scenarios, names),
  }
}

/** The parts of a scenario that others must not have, or must have with the same value. */
function* sharedParts({ rules = [], given = {}, ...scenario }: ScenarioSpec): Generator<SharedPart> {
  if (scenario.seed !== undefined) yield { name: 'seed', path: ['seed'], value: scenario.seed }
  for (const part of ['clock', 'models', 'limits', 'flags', 'keys'] as const)
    for (const [name, value] of Object.entries(scenario[part] ?? {}))
      yield { name: `${part}.${name}`, path: [part, name], value: JSON.stringify(value) }
  for (const [index, { id }] of rules.entries())
    if (id !== undefined) yield { name: `a rule with the id ${show(id)}`, path: ['rules', index, 'id'] }
  for (const [kind, list = []] of Object.entries(given))
    for (const [index, fields] of (list as readonly Fields[]).entries()) {
      const id = fields['id'] ?? fields['path']
      if (id !== undefined)
        yield { name: `${kind} ${String(id)} under \`given\``, path: ['given', kind, index] }
    }
}

interface SharedPart {
  readonly name: string
  readonly path: Path
  /** Undefined if no other scenario may have this part. */
  readonly value?: string
}

/** Scenarios that are used together must agree on single values, and must not repeat ids. */
function conflictsBetween(scenarios: readonly ScenarioSpec[], names: readonly string[]): PlacedError[] {
  const first = new Map<string, { readonly from: number; readonly value: string | undefined }>()
  const errors: PlacedError[] = []
  for (const [from, scenario] of scenarios.entries())
    for (const { name, path, value } of sharedParts(scenario)) {
      const before = first.get(name) ?? { from, value }
      first.set(name, before)
      if (before.from === from || (value !== undefined && value === before.value)) continue
      const message = `${names[before.from]} also has ${name}, with another value or content: keep only one`
      errors.push({ ...wrongValue(path, message), from })
    }
  return errors
}
