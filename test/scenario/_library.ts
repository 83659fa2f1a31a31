/** The files of scenarios/, read once, and their replays as the golden traces hold them. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import type { JournalEntry } from '../../src/index.ts'
import { decisionText } from '../../src/protocol/plan.ts'
import { replayInProcess } from '../../src/run/replay.ts'
import { type StoryReport, traceOf } from '../../src/run/replay-report.ts'
import { type Scenario, scenarioOf } from '../../src/scenario/load/scenario.ts'

export const root = join(import.meta.dirname, '../..')
const directory = join(root, 'scenarios')
const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml')
const reader = gatewayApi().reader

/** The names of all files, without their ending. */
export const library: readonly string[] = readdirSync(directory)
  .filter((name) => /\.(?:ya?ml|json)$/.test(name))
  .sort()

/** The path of a file of the library. */
function fileOf(name: string): string {
  return join(directory, name)
}

export function textOf(name: string): string {
  return readFileSync(fileOf(name), 'utf8')
}

/** A file of the library, checked; or what `text` says in its place. */
export function scenario(name: string, text = textOf(name)): Scenario {
  return scenarioOf(text, `scenarios/${name}`, directory, yaml, reader)
}

export interface Replay {
  readonly report: StoryReport
  /** The text of its golden trace. */
  readonly trace: string
  /** What decided a call, as the journal says it: `rule first-job-is-stuck`. */
  readonly decided: ReadonlySet<string>
  readonly warnings: readonly string[]
  readonly journal: readonly JournalEntry[]
}

export async function replayed(played: Scenario): Promise<Replay> {
  const warnings: string[] = []
  const { report, journal } = await replayInProcess(played, {
    onWarning: (message) => warnings.push(message),
  })
  return {
    report,
    trace: `${JSON.stringify(traceOf([report]), null, 2)}\n`,
    decided: new Set(
      journal.flatMap(({ cause: { decidedBy } }) => (decidedBy === undefined ? [] : decisionText(decidedBy))),
    ),
    warnings,
    journal,
  }
}

/** What did not hold, as `3 body.status: expected "completed", got "failed"`. */
export function errors({ steps }: StoryReport): string[] {
  return steps.flatMap(({ step, outcome, reason, failures }) => [
    ...(outcome === 'skipped' ? [`${step} was skipped: ${reason}`] : []),
    ...failures.map(
      ({ kind, field, expected, got }) => `${step} ${kind} ${field}: expected ${expected}, got ${got}`,
    ),
  ])
}
