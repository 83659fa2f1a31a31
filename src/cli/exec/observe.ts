/** Runs a program against a server of its own, and follows its sessions. */
import type { JournalEntry } from '../../exchange/exchange.ts'
import type { ClientTime } from '../../trial/client-time/client-time.ts'
import type { Io } from '../command.ts'
import {
  acceptedKey,
  type ServerArgs,
  type ServerOptions,
  type StartedServer,
  startServer,
} from '../serve/start-server.ts'
import { clientEnvironment } from './client-environment.ts'
import { followSessions } from './record-run.ts'

interface Observed<End> {
  readonly end: End
  readonly server: StartedServer
  readonly sessions: ReturnType<typeof followSessions>
}

export interface ObserveOptions extends Omit<ServerOptions, 'wallClock'> {
  readonly time: ClientTime
  onCall(entry: JournalEntry): void
}

/** Resolves when the program has ended and the server is closed. Throws `CommandError` for invalid flags. */
export async function observeProgram<End>(
  args: ServerArgs,
  { time, ...options }: ObserveOptions,
  io: Io,
  run: (env: Io['env'], server: StartedServer) => Promise<End>,
): Promise<Observed<End>> {
  const entries: JournalEntry[] = []
  const onCall = (entry: JournalEntry): void => {
    entries.push(entry)
    options.onCall(entry)
    sessions.record(entry)
  }
  const server = await startServer(args, { ...options, onCall, wallClock: time.now }, io)
  const { simulator, listening } = server
  const sessions = followSessions(simulator.core)
  try {
    const key = acceptedKey(simulator)
    const env = clientEnvironment(io.env, listening.url, key, listening.controlToken)
    const timeEnv = await time.start({ server: listening.server, core: simulator.core, entries }, env)
    const end = await run({ ...env, ...timeEnv }, server)
    await drainCalls(server)
    return { end, server, sessions }
  } finally {
    time.close()
    await listening.close()
  }
}

/** How long open calls may take to end after the program has exited, in real milliseconds. */
const gracePeriod = 250

/** Resolves when all connections are closed, or after the grace period. */
async function drainCalls({ listening: { server } }: StartedServer): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([
    new Promise((resolve) => server.close(resolve)),
    new Promise((resolve) => (timer = setTimeout(resolve, gracePeriod))),
  ])
  clearTimeout(timer)
}
