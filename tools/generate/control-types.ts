/**
 * The types of the parameters and results of a session's controls, from the schemas of the control API: the
 * library publishes them without zod, and editors show each field's description.
 */
import * as z from 'zod'
import * as breakpoints from '../../src/control/breakpoint-controls.ts'
import * as capabilities from '../../src/control/capabilities.ts'
import { healthSchema } from '../../src/control/health.ts'
import { liveCallSchema } from '../../src/control/live.ts'
import { problemSchema } from '../../src/control/problem.ts'
import { sessionSchema } from '../../src/control/sessions.ts'
import * as explain from '../../src/exchange/explain-call.ts'
import * as report from '../../src/judges/client-report.ts'
import * as calls from '../../src/sessions/controls/calls.ts'
import * as clock from '../../src/sessions/controls/clock.ts'
import * as jobs from '../../src/sessions/controls/jobs.ts'
import { overrideSchema } from '../../src/sessions/controls/overrides.ts'
import * as scenarios from '../../src/sessions/controls/scenarios.ts'
import { sessionSettings } from '../../src/sessions/options.ts'
import { foldLines } from './fold-lines.ts'
import { declared, type TypedSchema } from './schema-type.ts'

/** Each type with its schema and description. A schema that is part of another is named there. */
const types: Readonly<Record<string, readonly [schema: z.ZodType, description: string]>> = {
  AdvanceRequest: [clock.advanceSchema(), 'How far `clock.advance` advances the clock.'],
  FiredChange: [clock.firedSchema(), 'A change that occurred while the clock advanced.'],
  AdvanceResult: [clock.resultSchema(), 'The changes that occurred while the clock advanced.'],
  ClockState: [clock.clockSchema(), "The state of a session's clock."],
  OverrideState: [overrideSchema(), 'An override and its usage.'],
  RuleUsage: [scenarios.ruleSchema(), 'The usage of a rule in the session.'],
  RuleChange: [scenarios.ruleChangeSchema(), 'Switches a rule off or on.'],
  ScenarioUsage: [scenarios.usageSchema(), 'A scenario of the session and the usage of its rules.'],
  JobState: [jobs.jobSchema(), 'The current state of a job, video or video operation.'],
  JobQuery: [jobs.querySchema(), 'Selects jobs.'],
  JobPage: [jobs.pageSchema(), 'A page of jobs.'],
  JobChange: [
    jobs.changeSchema(),
    'A change of a job: `finished`, `notFound`, or changes of fields (`set`, `unset` and `reset`).',
  ],
  RequestDifference: [calls.differenceSchema(), 'A difference between a request and the expectation.'],
  NearRequest: [calls.nearSchema(), 'A request that almost matched.'],
  Verdict: [calls.verdictSchema(), 'The result of a verification, as plain data.'],
  Severity: [
    report.severitySchema(),
    '`error`: violates the contract or bills twice. `warning`: causes trouble in production. `hint`: ' +
      'often intended.',
  ],
  Evidence: [report.evidenceSchema(), 'A request that shows a finding.'],
  Finding: [report.findingSchema(), 'A finding about a client, with its requests.'],
  ExplainedRule: [explain.explainedRuleSchema(), 'A rule, with the reason for its match or mismatch.'],
  RequestExplanation: [explain.explanationSchema(), 'The explanation of a response.'],
  ClientReport: [
    report.clientReportSchema(),
    'The findings about the clients of a session, with their totals.',
  ],
  SessionSettings: [sessionSettings(), 'The options of a session. Default: the options of the simulator.'],
  Breakpoint: [breakpoints.breakpointSchema(), 'A breakpoint.'],
  BreakpointRequest: [breakpoints.breakpointRequestSchema(), 'The requests that a breakpoint holds.'],
  ReleaseRequest: [breakpoints.releaseSchema(), 'How a held request goes on.'],
  BreakpointState: [breakpoints.breakpointStateSchema(), 'Breakpoints, and the requests that they hold.'],
  LiveCall: [liveCallSchema(), 'A request in the events of `sim.getEvents`.'],
  ReservedCapability: [capabilities.reservedCapabilitySchema(), 'A reserved value.'],
  OperationCapability: [capabilities.operationCapabilitySchema(), 'An operation of the service.'],
  FaultCapability: [capabilities.faultCapabilitySchema(), 'A fault that can be injected.'],
  Capabilities: [capabilities.capabilitiesSchema(), 'The operations and the faults of a simulator.'],
  SessionState: [sessionSchema(), 'The state of a session.'],
  Health: [
    healthSchema(),
    'The health of the server. Optional fields are visible only to clients with access to the control API.',
  ],
  Problem: [problemSchema(), 'An error of the control API.'],
}

/** The text of a module that exports them. */
export function controlTypes(): string {
  const named = z.registry<{ id: string }>()
  for (const [id, [schema]] of Object.entries(types)) named.add(schema, { id })
  const { schemas } = z.toJSONSchema(named, { io: 'input', uri: (id) => id })
  const written = Object.entries(types).map(([name, [, description]]) =>
    declared(name, { ...(schemas[name] as TypedSchema), description }),
  )
  const header = '/** The parameters and results of controls. Generated by the build from their schemas. */'
  return foldLines(`${header}\n\n${written.join('\n')}`)
}
