/** Runs the command once against a separate simulator, and observes it. */
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import type { Simulator } from '../../index.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import type { Io } from '../command.ts'
import { clientEnvironment } from '../exec/client-environment.ts'
import { followSessions } from '../exec/record-run.ts'
import { acceptedKey, drainCalls, type ServerArgs, startServer } from '../serve/start-server.ts'
import { runProgram } from './run-program.ts'

export interface RunOptions {
  /** Milliseconds until the command is stopped, with its children. */
  readonly timeout: number
  /** Stops it immediately. */
  readonly signal: AbortSignal
  /** Renders the images and videos of all runs, each of them once. */
  readonly media: Simulator['core']['media']
  /** Precedes the scenarios of the flags. */
  readonly scenario?: ScenarioInput | undefined
}

export interface Observation {
  readonly run: ObservedRun
  readonly core: Simulator['core']
}

/** Throws `CommandError` for invalid flags, and if the command cannot be started. */
export async function observeRun(
  flags: ServerArgs & { readonly command: readonly string[] },
  { timeout, signal, media, scenario }: RunOptions,
  io: Io,
): Promise<Observation> {
  const entries: JournalEntry[] = []
  const server = await startServer(
    { ...flags, port: 0 },
    {
      clock: 'auto',
      onWarning() {},
      first: scenario,
      onCall(entry) {
        entries.push(entry)
        sessions.record(entry)
      },
    },
    io,
  )
  const { core } = server.simulator
  const sessions = followSessions(core)
  core.media = media
  try {
    const { url, controlToken } = server.listening
    const env = clientEnvironment(io.env, url, acceptedKey(server.simulator), controlToken)
    const ran = await runProgram(flags.command, env, { timeout, signal, cwd: io.cwd })
    await drainCalls(server)
    const findings = sessions.reports().flatMap((session) => session.findings)
    return { run: { ...ran, entries, findings }, core }
  } finally {
    await server.listening.close()
  }
}
