/** `scenarios`: the scenarios that apply to a session, and how often each rule matched. */

import * as z from 'zod'
import type { Sandbox } from '../../engine/sandbox.ts'
import type { RuleChange, RuleUsage, ScenarioUsage } from '../../generated/control-types.ts'
import { ApiError } from '../../protocol/errors.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { clip } from '../../protocol/wording.ts'
import { switchRule, usageOf } from '../../scenario/director.ts'
import type { Scenario } from '../../scenario/load/scenario.ts'
import { type ScenarioSet, type ScenarioSource, settingsOf } from '../../scenario/load/scenario-set.ts'
import type { SessionParts } from '../create.ts'
import { maxScenarioBody, type ScenarioText, scenarioSetOf, sentScenario } from '../options.ts'
import { wrongField, wrongRequest } from '../session-errors.ts'
import type { Session } from '../sessions.ts'
import type { ControlContext, ControlParts, Implementations } from './control.ts'
import { flag, int, text } from './fields.ts'
import type { controls } from './table.ts'

/** @internal */
export const ruleSchema = () =>
  z.strictObject({
    id: text('The id of the rule.'),
    matched: int(
      'The number of requests that matched the conditions. Requests that an earlier rule answered count ' +
        'only if this rule counts requests (with `nth`, for example).',
    ),
    answered: int('The number of requests that the rule has answered.'),
    enabled: flag('False if the rule is switched off: it neither answers nor counts.'),
  })

/** @internal */
export const ruleChangeSchema = () =>
  z.strictObject({
    enabled: flag('False switches the rule off until it is enabled or the session is reset.'),
  })

/** @internal */
export const usageSchema = () =>
  z.strictObject({
    name: text('The file name, or the name given when the scenario was added.'),
    title: text('What happens.'),
    of: z
      .enum(['simulator', 'session'])
      .describe('Whether the scenario applies to the whole simulator or to this session only.'),
    rules: z.array(ruleSchema()).describe('The rules, in the order in which they are tried.'),
  })

/** A scenario that applies to a session. @internal */
export interface AppliedScenario {
  readonly scenario: Scenario
  readonly of: ScenarioUsage['of']
  readonly ruleIds: readonly string[]
}

/** The scenarios of a session, and then those of the simulator. @internal */
export function scenariosOf({ rules: { scenarios, shared } }: SessionParts): AppliedScenario[] {
  return [
    ...scenarios.flatMap((set) => scenariosIn(set, 'session')),
    ...(shared === undefined ? [] : scenariosIn(shared, 'simulator')),
  ]
}

// The rules of a set have the order of its scenarios.
function scenariosIn({ scenarios, book }: ScenarioSet, of: ScenarioUsage['of']): AppliedScenario[] {
  let at = 0
  return scenarios.map((scenario) => ({
    scenario,
    of,
    ruleIds: book.ids.slice(at, (at += scenario.spec.rules?.length ?? 0)),
  }))
}

/** The scenarios of a session and of the simulator, with the counts of their rules. @internal */
export function listScenarios(session: SessionParts): ScenarioUsage[] {
  return scenariosOf(session).map((applied) => usageIn(session, applied))
}

function usageIn({ sandbox }: SessionParts, { scenario, of, ruleIds }: AppliedScenario): ScenarioUsage {
  const { name, spec } = scenario
  return { name, title: spec.title, of, rules: ruleIds.map((id) => ruleUsage(sandbox, id)) }
}

/** The only scenario of a set. */
const onlyUsage = (session: Session, set: ScenarioSet): ScenarioUsage =>
  usageIn(session, scenariosIn(set, 'session')[0] as AppliedScenario)

/**
 * Adds a scenario. Its rules precede the existing ones, and its given resources exist from now on. Throws
 * `ScenarioError`, and `ApiError` (409) for a name, id or file that exists already.
 */
function addScenario(
  session: Session,
  source: ScenarioSource | ScenarioText,
  parts: Pick<ControlParts, 'reader' | 'settings'>,
  caller: ControlContext['caller'],
): ScenarioUsage {
  const settings = session.settings ?? parts.settings
  const names = new Set(listScenarios(session).map(({ name }) => name))
  let number = 1
  while (names.has(`added scenario ${number}`)) number++
  const set = scenarioSetOf([source], { called: 'added scenario', from: caller, first: number }, parts.reader)
  const name = set.scenarios[0]?.name ?? ''
  if (names.has(name))
    throw wrongField(
      'name',
      `this session already has a scenario ${JSON.stringify(clip(name, 200))}: choose another name, or ` +
        'remove the existing scenario first.',
      { status: 409 },
    )
  const [ignored] = Object.keys(settingsOf(set.composed))
  if (ignored !== undefined)
    throw wrongField(
      ignored,
      'an existing session keeps its seed, clock, API keys, models and limits: create a session with this ' +
        'scenario instead (sim.createSession({ scenarios: […] }), POST /__sim/sessions), or remove this key.',
      { status: 409 },
    )
  set.checkAgainst(settings)
  session.rules.add(set)
  set.begin(session.sandbox, settings)
  return onlyUsage(session, set)
}

/**
 * Removes a scenario of the session. The resources that it gave remain. Throws `ApiError` (404) for another
 * name.
 */
function removeScenario(session: Session, name: string): ScenarioUsage {
  const set = session.rules.scenarios.find(({ scenarios }) =>
    scenarios.some((scenario) => scenario.name === name),
  )
  if (set === undefined)
    throw new ApiError(
      'not_found_error',
      `The session "${session.sandbox.name}" has no own scenario ${JSON.stringify(clip(name, 200))}: only ` +
        'scenarios of the session can be removed, not those of the simulator.',
      { param: 'name' },
    )
  if (set.scenarios.length > 1)
    throw wrongRequest(
      `The scenario ${JSON.stringify(clip(name, 200))} was combined with others when the session was ` +
        'created: create the session without it, then add it separately.',
      { status: 409 },
    )
  const usage = onlyUsage(session, set)
  session.rules.remove(set)
  // If the rule is added again, it is enabled.
  for (const { id } of usage.rules) switchRule(session.sandbox, id, true)
  return usage
}

const ruleUsage = (sandbox: Sandbox, id: string): RuleUsage => ({
  id,
  ...usageOf(sandbox, id),
  enabled: sandbox.rulesOff?.has(id) !== true,
})

/** Switches a rule off or on. Throws `ApiError` (404) for an unknown rule. */
function changeRule(session: Session, id: string, { enabled }: RuleChange): RuleUsage {
  const known = listScenarios(session).flatMap(({ rules }) => rules.map((rule) => rule.id))
  if (!known.includes(id)) {
    const nearest = nearestWord(id, known)
    throw new ApiError(
      'not_found_error',
      `There is no rule ${JSON.stringify(clip(id, 200))} in the session "${session.sandbox.name}"` +
        `${nearest === undefined ? '' : `: did you mean ${nearest}?`}`,
      { param: 'id' },
    )
  }
  switchRule(session.sandbox, id, enabled)
  return ruleUsage(session.sandbox, id)
}

/** @internal */
export const scenarios: Implementations<(typeof controls)['scenarios']> = {
  add: {
    act: ({ session, parts, caller }, source) => addScenario(session, source, parts, caller),
    endpoint: {
      operation: 'sim.addScenario',
      summary: 'Add a scenario to the session: its rules come first, and its given resources are created',
      body: sentScenario,
      maxBody: maxScenarioBody,
      response: usageSchema,
      status: 201,
    },
  },
  list: {
    act: ({ session }) => listScenarios(session),
    endpoint: {
      operation: 'sim.listScenarios',
      summary: 'List the scenarios of the session, with the counts of each rule',
      response: () =>
        z.strictObject({
          scenarios: z
            .array(usageSchema())
            .describe('The scenarios of the session, followed by those of the simulator.'),
        }),
    },
  },
  remove: {
    act: ({ session }, name) => removeScenario(session, name),
    endpoint: {
      operation: 'sim.removeScenario',
      tail: true,
      summary: 'Remove a scenario (resources that it created remain)',
      response: usageSchema,
    },
  },
  changeRule: {
    act: ({ session }, id, change) => changeRule(session, id, change),
    endpoint: {
      operation: 'sim.changeRule',
      tail: true,
      summary: 'Switch a rule of the session off or on',
      body: ruleChangeSchema,
      response: ruleSchema,
    },
  },
}
