/** Runs the command once against a separate simulator, and observes it. */
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import type { Simulator } from '../../index.ts'
import { leftOpenIn, type ObservedRun } from '../../trial/judge.ts'
import { trialRule } from '../../trial/trial.ts'
import type { Io } from '../command.ts'
import { clientEnvironment } from '../exec/client-environment.ts'
import { drainCalls } from '../exec/exec.ts'
import { followSessions } from '../exec/record-run.ts'
import { acceptedKey, type ServerArgs, startServer } from '../serve/start-server.ts'
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

/** Connections that close within this time before the exit count as closed by it. Milliseconds. */
const closingTime = 30

export interface Observation {
  readonly run: ObservedRun
  readonly core: Simulator['core']
  /** Whether the clock of a session follows the wall clock. */
  readonly realTime: boolean
}

/** Throws `CommandError` for invalid flags, and if the command cannot be started. */
export async function observeRun(
  flags: ServerArgs & { readonly command: readonly string[] },
  { timeout, signal, media, scenario }: RunOptions,
  io: Io,
): Promise<Observation> {
  const entries: JournalEntry[] = []
  const closedAt = new Map<JournalEntry, number>()
  const watched = new Set<object>()
  const server = await startServer(
    { ...flags, port: 0 },
    {
      clock: 'auto',
      onWarning() {},
      first: scenario,
      onCall(entry) {
        entries.push(entry)
        sessions.record(entry)
        const session = server.simulator.core.sessions.find(entry.session)
        // A reset gives the session another journal.
        if (session === undefined || watched.has(session.sandbox)) return
        watched.add(session.sandbox)
        session.sandbox.journal.onClose((closed) => void closedAt.set(closed, performance.now()))
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
    const exitedAt = performance.now()
    await drainCalls(server)
    const leftOpen = leftOpenIn(
      entries,
      trialRule,
      (entry) => entry.ended !== 'completed' && (closedAt.get(entry) ?? Infinity) >= exitedAt - closingTime,
    )
    const findings = sessions.reports().flatMap((session) => session.findings)
    const realTime = core.sessions.all().some(({ sandbox }) => sandbox.clock.mode === 'real')
    return { run: { ...ran, entries, findings, leftOpen }, core, realTime }
  } finally {
    await server.listening.close()
  }
}
