/** `sim.getScenario`, `sim.validateScenario`: scenarios as text, for editors. */
import * as z from 'zod'
import { defined } from '../engine/fields.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { ApiError } from '../protocol/errors.ts'
import { json } from '../protocol/response.ts'
import { clip } from '../protocol/wording.ts'
import { warningsOf } from '../scenario/check/warnings.ts'
import type { Scenario, ScenarioReader } from '../scenario/load/scenario.ts'
import type { ScenarioSource } from '../scenario/load/scenario-set.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario/scenario-error.ts'
import { type AppliedScenario, scenariosOf } from '../sessions/controls/scenarios.ts'
import { type ScenarioText, scenarioSetOf, sentScenario } from '../sessions/options.ts'
import type { Session } from '../sessions/sessions.ts'
import { aboutNoSession, type ControlApiParts, maxScenarioBody, own } from './control.ts'

/** @internal */
export const scenarioFileSchema = () =>
  z.strictObject({
    name: z.string().describe('The file name, or the name given when the scenario was added.'),
    title: z.string().describe('What happens.'),
    of: z
      .enum(['simulator', 'session'])
      .describe('Whether the scenario applies to the whole simulator or to this session only.'),
    text: z
      .string()
      .nullable()
      .describe('The file as loaded, or YAML of an object; null for a scenario with functions.'),
  })

const scenarioFindingSchema = () =>
  z.strictObject({
    severity: z
      .enum(['error', 'warning'])
      .describe('A scenario with an error cannot be used. A warning indicates a probable error.'),
    message: z.string().describe('The problem and the expected value.'),
    field: z.string().optional().describe('The path of the field.'),
    line: z.int().optional().describe('The line number, from 1; absent for a scenario sent as an object.'),
    column: z.int().optional().describe('The column number, from 1.'),
  })

/** @internal */
export const validationSchema = () =>
  z.strictObject({
    ok: z.boolean().describe('Whether there are no errors.'),
    findings: z.array(scenarioFindingSchema()).describe('The first errors; if there are none, warnings.'),
  })

export function scenarioFileEndpoints(parts: ControlApiParts): readonly Endpoint[] {
  const { reader, settings, sessions } = parts
  const read = defineEndpoint({
    ...own,
    operation: 'sim.getScenario',
    method: 'GET',
    path: '/__sim/scenarios/{name}',
    tail: true,
    summary: 'Get a scenario as text',
    accepts: [],
    response: scenarioFileSchema,
    act({ params: { name } }, { sandbox }) {
      const { scenario, of } = scenarioNamed(name, sessions.get(sandbox.name))
      return json({ name, title: scenario.spec.title, of, text: textOf(scenario, reader) })
    },
  })
  const validate = defineEndpoint({
    ...own,
    ...aboutNoSession,
    operation: 'sim.validateScenario',
    method: 'POST',
    path: '/__sim/validate',
    summary: 'Validate a scenario without using it',
    accepts: ['json'],
    maxBody: maxScenarioBody,
    body: sentScenario,
    response: validationSchema,
    act({ body }) {
      const source = body as ScenarioSource | ScenarioText
      const findings = [...findingsOf(source, { reader, settings })]
      return json({ ok: findings.every(({ severity }) => severity !== 'error'), findings })
    },
  })
  return [read, validate]
}

function scenarioNamed(name: string, session: Session): AppliedScenario {
  const found = scenariosOf(session).find(({ scenario }) => scenario.name === name)
  if (found !== undefined) return found
  throw new ApiError(
    'not_found_error',
    `There is no scenario ${JSON.stringify(clip(name, 200))} in the session ` +
      `${JSON.stringify(session.sandbox.name)}: list its scenarios with GET /__sim/scenarios.`,
    { param: 'name' },
  )
}

function textOf({ text, written, spec }: Scenario, { disk }: ScenarioReader): string | null {
  if (text !== undefined) return text
  if (spec.rules?.some(({ ask }) => ask !== undefined) === true) return null
  return disk.yaml()?.stringify(written, { lineWidth: 100 }) ?? JSON.stringify(written, null, 2)
}

function* findingsOf(
  source: ScenarioSource | ScenarioText,
  { reader, settings }: Pick<ControlApiParts, 'reader' | 'settings'>,
): Generator<z.infer<ReturnType<typeof scenarioFindingSchema>>> {
  try {
    const set = scenarioSetOf([source], 'scenario', 'http', reader)
    set.checkAgainst(settings)
    const [scenario] = set.scenarios as readonly [Scenario]
    const warnings = scenario.place(warningsOf([scenario.spec], [scenario.name], reader.vocabulary))
    for (const warning of warnings) yield { severity: 'warning', ...wireFinding(warning) }
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    const { findings, message } = error
    if (findings.length === 0) yield { severity: 'error', message }
    for (const finding of findings) yield { severity: 'error', ...wireFinding(finding) }
  }
}

const wireFinding = ({ message, field, line, column }: ScenarioFinding) => ({
  message,
  ...defined({ field: field === '' ? undefined : field, line, column }),
})
