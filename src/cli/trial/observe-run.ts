/** Runs the command once against a separate simulator, and observes it. */
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import type { Simulator } from '../../index.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import type { OnIdle } from '../../trial/run-concurrently.ts'
import type { Io } from '../command.ts'
import { observeProgram } from '../exec/observe.ts'
import type { ServerArgs } from '../serve/start-server.ts'
import { type ProgramLimits, runProgram } from './run-program.ts'

export interface RunOptions extends Omit<ProgramLimits, 'cwd'> {
  /** Renders the images and videos of all runs, each of them once. */
  readonly media: Simulator['core']['media']
  /** Precedes the scenarios of the flags. */
  readonly scenario?: ScenarioInput | undefined
  readonly onIdle?: OnIdle | undefined
}

export type RunFlags = ServerArgs & { readonly command: readonly string[] }

export interface Observation {
  readonly run: ObservedRun
  readonly core: Simulator['core']
  /** From its first request to its end, in milliseconds of real time. */
  readonly work: number
}

/** Throws `CommandError` for invalid flags, and if the command cannot be started. */
export async function observeRun(
  flags: RunFlags,
  { time, timeout, signal, media, scenario, onIdle = () => {} }: RunOptions,
  io: Io,
): Promise<Observation> {
  const entries: JournalEntry[] = []
  const activity = watchActivity(onIdle)
  const onCall = (entry: JournalEntry): void => {
    entries.push(entry)
    activity.seen()
  }
  const options = { clock: 'auto', onWarning() {}, first: scenario, onCall, time } as const
  const { end, server, sessions } = await observeProgram(
    { ...flags, port: 0 },
    options,
    io,
    (env, { simulator: { core } }) => {
      core.media = media
      return runProgram(flags.command, env, { timeout, signal, time, cwd: io.cwd }).finally(activity.end)
    },
  )
  const findings = sessions.reports().flatMap((session) => session.findings)
  return { run: { ...end, entries, findings }, core: server.simulator.core, work: activity.work() }
}

/** A program that has sent a request and then no other for so many milliseconds only waits. */
const quietTime = 500

/** Reports the time between requests. Before its first request, a program starts up. */
function watchActivity(onIdle: OnIdle): { seen(): void; end(): void; work(): number } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let firstAt: number | undefined
  let endedAt: number | undefined
  return {
    seen() {
      clearTimeout(timer)
      firstAt ??= performance.now()
      if (endedAt === undefined) timer = setTimeout(onIdle, quietTime, true)
      onIdle(false)
    },
    end() {
      clearTimeout(timer)
      endedAt ??= performance.now()
    },
    work: () => (endedAt ?? 0) - (firstAt ?? 0),
  }
}
