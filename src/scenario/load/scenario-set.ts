/** The scenarios of one simulator, composed: settings, rules, and what exists when a session begins. */
import { everyKey } from '../../behaviours/jobs/job.ts'
import type { World } from '../../engine/world.ts'
import type { ScenarioInput } from '../../generated/scenario-input.ts'
import type { SettingsInput } from '../../generated/settings-input.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { ReplySpec } from '../compile/compile.ts'
import { createRuleBook, type RuleBook } from '../compile/rules.ts'
import { timelineOf } from '../compile/timeline.ts'
import type { GivenResourceSpec } from '../format/given.ts'
import { givenSubmission } from '../named-job.ts'
import { ScenarioError } from '../scenario-error.ts'
import { type Composed, compose, type PlacedMistake } from './compose.ts'
import { answerReader } from './function-answer.ts'
import { contentOfReply, mistakesOfFiles, readGivenFiles, readOwnBytes } from './given-files.ts'
import type { ScenarioReader } from './reader.ts'
import { Scenario, scenarioError, scenarioOfFile, scenarioOfObject } from './scenario.ts'

/** A scenario to use: a path, a result of `loadScenario`, or an object of the scenario format. */
export type ScenarioSource = string | Scenario | ScenarioInput

/** Scenarios that are used together. @internal */
export interface ScenarioSet {
  readonly scenarios: readonly Scenario[]
  readonly composed: Composed
  readonly book: RuleBook
  /**
   * Throws `ScenarioError` for what the settings do not allow: files of a provider that there is not or too
   * large, more things than a session keeps.
   */
  checkAgainst(settings: Settings): void
  /** Puts what is given into a world that is at its beginning. */
  begin(world: World, settings: Settings): void
}

/** The key that a client uses when nothing names one. @internal */
export const defaultKey = 'sk-scenario'

/** Reads and composes scenarios. Throws `ScenarioError` with every mistake of every one. @internal */
export function createScenarioSet(sources: readonly ScenarioSource[], reader: ScenarioReader): ScenarioSet {
  const failures: ScenarioError[] = []
  const scenarios = sources.flatMap((source, index) => {
    try {
      if (source instanceof Scenario) return [source]
      return [
        typeof source === 'string'
          ? scenarioOfFile(source, reader)
          : scenarioOfObject(source, `scenario ${index + 1}`, reader),
      ]
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      failures.push(error)
      return []
    }
  })
  if (failures.length > 0)
    throw failures.length === 1
      ? failures[0]
      : new ScenarioError(
          failures.map(({ message }) => message).join('\n'),
          failures.flatMap(({ findings }) => findings),
        )

  const composed = compose(
    scenarios.map(({ spec }) => spec),
    labelsOf(scenarios),
  )
  const given = readGivenFiles(scenarios, reader)
  const own = readOwnBytes(scenarios, reader)
  const refuse = (mistakes: readonly PlacedMistake[]): void => {
    if (mistakes.length > 0)
      throw scenarioError(
        scenarios.flatMap((scenario, from) =>
          scenario.place(mistakes.filter((mistake) => mistake.from === from)),
        ),
      )
  }
  refuse([...composed.mistakes, ...given.mistakes, ...own.mistakes])
  const { vocabulary } = reader
  const { givenFiles } = vocabulary
  const book = createRuleBook({
    rules: composed.rules,
    states: composed.states,
    vocabulary,
    readAnswer: answerReader(reader, composed.states),
    hold: (reply) => own.replies.get(reply) ?? heldReply(reply, reader),
  })
  const firstKey = Object.keys(composed.account.keys ?? {})[0] ?? everyKey

  return {
    scenarios,
    composed,
    book,
    checkAgainst: (settings) =>
      refuse([
        ...(givenFiles === undefined ? [] : mistakesOfFiles(given.files, givenFiles, settings)),
        ...mistakesOfCount(composed.given, settings),
      ]),
    begin(world, settings) {
      givenFiles?.put(
        given.files.map(({ file }) => file),
        { world, settings },
      )
      for (const { kind: name, fields } of composed.given) {
        const kind = vocabulary.kinds.find((one) => one.name === name)
        if (kind === undefined) continue
        const { age, timeline, offContract, content: _, ...rest } = fields as GivenResourceSpec
        world.store.submission = givenSubmission(rest, kind)
        kind.put(
          {
            fields: { key: firstKey, ...rest },
            timeline: timeline === undefined ? undefined : timelineOf(timeline, kind),
            age,
            offContract: offContract === true,
            contents: own.contents.get(fields),
          },
          { world, settings },
        )
      }
      world.store.submission = undefined
    },
  }
}

// What the function of a rule returns was not there when the scenario was read.
function heldReply(reply: ReplySpec, { disk, allowFiles }: ScenarioReader): HeldBytes | undefined {
  const content = contentOfReply(reply)
  if (content === undefined) return undefined
  const bytes = disk.readContent(content, 'reply', { directory: undefined, allowFiles })
  if (typeof bytes === 'string') throw new ScenarioError(`reply.file: ${bytes}`)
  return bytes
}

// What has to make room for the next one does not exist when the scenario begins.
function mistakesOfCount(given: Composed['given'], { memory }: Settings): PlacedMistake[] {
  const resources = given.filter(({ kind }) => kind !== 'files')
  const last = resources.at(-1)
  if (last === undefined || resources.length <= memory.resources) return []
  return [
    {
      path: ['given', last.kind],
      key: true,
      from: last.from,
      message: [
        `${resources.length} jobs, videos and operations are given, and a session keeps`,
        `${memory.resources} (setting memory.resources)`,
      ].join(' '),
    },
  ]
}

/**
 * How rules without a name are called: by the file without its directories, so that replies say the same on
 * every machine.
 */
function labelsOf(scenarios: readonly Scenario[]): string[] {
  const seen = new Map<string, number>()
  return scenarios.map(({ name }) => {
    const stem = (name.split(/[\\/]/).at(-1) ?? name).replace(/\.(?:ya?ml|json)$/, '').replaceAll(' ', '-')
    const count = (seen.get(stem) ?? 0) + 1
    seen.set(stem, count)
    return count === 1 ? stem : `${stem}-${count}`
  })
}

/** The settings that scenarios ask for. @internal */
export function settingsOf({ seed, clock, account }: Composed): SettingsInput {
  const { keys, models = {}, limits = {} } = account
  return {
    ...(seed === undefined ? {} : { seed }),
    ...(Object.keys(clock).length === 0 ? {} : { clock }),
    ...(keys === undefined ? {} : { keys }),
    ...(Object.keys(models).length === 0 ? {} : { models }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  } as SettingsInput
}
