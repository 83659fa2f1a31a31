/** Runs the command once against a separate simulator, and observes it. */
import type { Server, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { ScenarioInput } from '../../generated/scenario-types.ts'
import type { Simulator } from '../../index.ts'
import { type ClientClock, startClientClock } from '../../trial/fast-time/client-clock.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import type { OnIdle } from '../../trial/run-concurrently.ts'
import type { Io } from '../command.ts'
import { observeProgram } from '../exec/observe.ts'
import type { ServerArgs } from '../serve/start-server.ts'
import { type ProgramLimits, runProgram } from './run-program.ts'

export interface RunOptions extends Omit<ProgramLimits, 'cwd' | 'hangs'> {
  /** Renders the images and videos of all runs, each of them once. */
  readonly media: Simulator['core']['media']
  /** Precedes the scenarios of the flags. */
  readonly scenario?: ScenarioInput | undefined
  readonly onIdle?: OnIdle | undefined
  /** The milliseconds of the client's time after which it hangs. Undefined: its time is real. */
  readonly patience: number | undefined
}

export interface Observation {
  readonly run: ObservedRun
  readonly core: Simulator['core']
}

/** Throws `CommandError` for invalid flags, and if the command cannot be started. */
export async function observeRun(
  flags: ServerArgs & { readonly command: readonly string[] },
  { timeout, signal, media, scenario, onIdle = () => {}, patience }: RunOptions,
  io: Io,
): Promise<Observation> {
  const entries: JournalEntry[] = []
  const activity = watchActivity(onIdle)
  const onCall = (entry: JournalEntry): void => {
    entries.push(entry)
    activity.seen()
  }
  let time: ClientClock | undefined
  const wallClock = (): number => Date.now() + (time?.ahead() ?? 0)
  const options = { clock: 'auto', onWarning() {}, first: scenario, onCall, wallClock } as const
  const { end, server, sessions } = await observeProgram(
    { ...flags, port: 0 },
    options,
    io,
    async (env, { simulator, listening }) => {
      simulator.core.media = media
      const hang = new AbortController()
      if (patience !== undefined) {
        const open = countOpen(listening.server)
        const held = (): number => entries.filter(({ ended }) => ended === 'open').length
        time = await startClientClock({ open, held }, patience, () => hang.abort())
      }
      const programEnv = time === undefined ? env : { ...env, ...fastTimeVariables(env, time.port) }
      const limits = { timeout, signal, hangs: hang.signal, cwd: io.cwd }
      return runProgram(flags.command, programEnv, limits).finally(() => time?.close())
    },
  ).finally(activity.end)
  const findings = sessions.reports().flatMap((session) => session.findings)
  const seconds = end.seconds + (time?.ahead() ?? 0) / 1000
  return { run: { ...end, seconds, entries, findings }, core: server.simulator.core }
}

/** Counts the requests whose responses have not ended. */
function countOpen(server: Server): () => number {
  const open = new Set<ServerResponse>()
  server.on('request', (_request, response) => {
    open.add(response)
    response.on('close', () => open.delete(response))
  })
  return () => open.size
}

declare const GATEWAY_SIM_FAST_TIME: string

/** Where node finds what it loads into a program. */
const preload = fileURLToPath(
  new URL(
    typeof GATEWAY_SIM_FAST_TIME === 'undefined' ? '../../../dist/fast-time.cjs' : GATEWAY_SIM_FAST_TIME,
    import.meta.url,
  ),
)

const fastTimeVariables = (env: Io['env'], port: number): Io['env'] => ({
  NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --require=${JSON.stringify(preload)}`.trim(),
  GATEWAY_SIM_CLIENT_TIME: String(port),
})

/** A program that has sent a request and then no other for so many milliseconds only waits. */
const quietTime = 500

/** Reports the time between requests. Before its first request, a program starts up. */
function watchActivity(onIdle: OnIdle): { seen(): void; end(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    seen() {
      clearTimeout(timer)
      timer = setTimeout(onIdle, quietTime, true)
      onIdle(false)
    },
    end: () => clearTimeout(timer),
  }
}
