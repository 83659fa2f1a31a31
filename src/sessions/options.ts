/** The options of a session, for the library and for the control API. */

import * as z from 'zod'
import { endOfTime, parseTimestamp } from '../engine/duration.ts'
import { lazy } from '../engine/fields.ts'
import type { SessionSettings } from '../generated/control-types.ts'
import type { ScenarioReader } from '../scenario/load/scenario.ts'
import { Scenario, scenarioOfObject, scenarioOfText } from '../scenario/load/scenario.ts'
import { createScenarioSet, type ScenarioSet, type ScenarioSource } from '../scenario/load/scenario-set.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import type { SessionSpec } from './session-spec.ts'

/** A scenario as YAML or JSON text. */
export interface ScenarioText {
  readonly text: string
  /** Its name in reports. */
  readonly name?: string | undefined
}

/** Options of a session. Default for each: the value of the simulator. */
export interface SessionOptions extends SessionSettings {
  /** Scenarios in addition to the simulator's; their rules are tried first. */
  readonly scenarios?: readonly (ScenarioSource | ScenarioText)[] | undefined
}

const timestamp = () =>
  z
    .union([z.string(), z.number()])
    .refine(
      (value) => (parseTimestamp(value) ?? Infinity) <= endOfTime,
      'expected an ISO 8601 timestamp with a time zone, such as 2026-01-01T00:00:00Z, or milliseconds ' +
        'since the epoch',
    )
/** What simulators and sessions have in common. @internal */
export const worldSettings = () => ({
  seed: z.string().min(1).optional().describe('The seed for all randomness.'),
  clock: z.enum(['real', 'manual', 'auto']).optional().describe('The clock mode.'),
  start: timestamp()
    .optional()
    .describe(
      'Initial virtual time: ISO 8601 with a time zone (2026-01-01T00:00:00Z), or milliseconds ' +
        'since the epoch.',
    ),
  speed: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .describe('Speed of a `real` clock relative to the wall clock.'),
})

/** The options that the library and the control API share: all but scenarios. @internal */
export const sessionSettings = () =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,64}$/, 'expected 1 to 64 letters, digits, dots, dashes or underscores')
      .optional()
      .describe(
        '1 to 64 letters, digits, dots, dashes or underscores. Default: the next free id of `s1`, `s2`, …',
      ),
    title: z
      .string()
      .max(1000)
      .optional()
      .describe(
        'Any text, such as the title of a test. Without a `name`, the session gets a free name made of ' +
          'it: `makes-an-image`, then `makes-an-image-2`.',
      ),
    ...worldSettings(),
    inheritScenarios: z
      .boolean()
      .optional()
      .describe('Whether the scenarios of the simulator apply to the session. Default: true.'),
  })

/** YAML is parsed synchronously, which blocks other requests; an object takes a tenth of the time. */
const maxSentText = 256 * 1024

/** The maximum body of a request with scenarios, in bytes. @internal */
export const maxScenarioBody = 4 * 1024 * 1024

/** A scenario in a request to the control API. @internal */
export const sentScenario = () =>
  z.union([
    z.strictObject({
      text: z
        .string()
        .min(1)
        .refine(
          ({ length }) => length <= maxSentText,
          `is longer than ${maxSentText} characters: send the scenario as an object, or split it`,
        )
        .describe('The scenario as YAML or JSON, at most 262,144 characters.'),
      name: z.string().min(1).max(200).optional().describe('The name of the scenario in reports.'),
    }),
    z
      .looseObject({ title: z.string().describe('The simulated event, in one sentence.') })
      .describe('The scenario as an object, in the format of schema/scenario.schema.json.'),
  ])

/** The body of `POST /__sim/sessions`. @internal */
export const sentSessionSchema = () =>
  sessionSettings().extend({
    scenarios: z
      .array(sentScenario())
      .max(100)
      .optional()
      .describe('Additional scenarios. Their rules are tried before the rules of the simulator.'),
  })

/** Scenarios as the library takes them; `expected` lists the kinds of sources. @internal */
export const givenScenarios = (expected: string) =>
  z
    .array(
      z.union([
        z.string(),
        z.custom<object>((value) => value !== null && typeof value === 'object', `expected ${expected}`),
      ]),
    )
    .optional()

/** The options of `sim.createSession()`. @internal */
export const sessionOptionsSchema = lazy(() =>
  sessionSettings().extend({
    scenarios: givenScenarios('a path, a scenario object, `{ text }`, or the result of loadScenario'),
  }),
)

/** The parsed options. Throws `ScenarioError` with every error of the scenarios. @internal */
export function specOf(
  { seed, clock, start, speed, scenarios, inheritScenarios }: SessionOptions,
  from: 'library' | 'http',
  reader: ScenarioReader,
): SessionSpec {
  return {
    seed,
    clock,
    start: parseTimestamp(start),
    speed,
    inheritScenarios,
    scenarios:
      scenarios === undefined || scenarios.length === 0
        ? undefined
        : scenarioSetOf(scenarios, { called: 'session scenario', from }, reader),
  }
}

interface Origin {
  /** The name of scenarios without one, before their number. */
  readonly called: string
  readonly from: 'library' | 'http'
  /** The number of the first scenario. Default: 1. */
  readonly first?: number
}

/** Scenarios as one set. Throws `ScenarioError`. @internal */
export function scenarioSetOf(
  sources: readonly (ScenarioSource | ScenarioText)[],
  { called, from, first = 1 }: Origin,
  reader: ScenarioReader,
): ScenarioSet {
  const read = sources.map((source, index): ScenarioSource => {
    const name = `${called} ${first + index}`
    if (typeof source === 'string' || source instanceof Scenario) return source
    return isText(source)
      ? scenarioOfText(source.text, source.name ?? name, reader)
      : scenarioOfObject(source, name, reader)
  })
  if (from === 'http') for (const scenario of read) if (scenario instanceof Scenario) rejectFiles(scenario)
  return createScenarioSet(read, reader)
}

function isText(source: object): source is ScenarioText {
  return typeof (source as { text?: unknown }).text === 'string' && !('title' in source)
}

// Clients of the control API must not read files of the server.
function rejectFiles(scenario: Scenario): void {
  for (const [index, file] of (scenario.spec.given?.files ?? []).entries()) {
    if (file.content.file === undefined) continue
    const field = `given.files[${index}].content.file`
    const message =
      'a scenario sent to the control API cannot load files from the server: use `text`, ' +
      '`base64` or `image`'
    throw new ScenarioError(`${scenario.name}: ${field}: ${message}`, [
      { file: scenario.name, field, message },
    ])
  }
}
