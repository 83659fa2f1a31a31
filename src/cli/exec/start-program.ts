/** Starts a child process that inherits the standard streams, passes signals on, and reports its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { exitCodes, type Io, type ProgramEnd, type RunningProgram, type Signal } from '../command.ts'

/** Starts it with exactly this environment. Never rejects: failures end as `not started`. */
export async function startProgram(
  [program = '', ...args]: readonly string[],
  env: Io['env'],
  platform: string,
): Promise<RunningProgram> {
  // On Windows, `npm` is a cmd.exe script with its own quoting rules.
  const start = platform === 'win32' ? (await import('cross-spawn')).default : spawn
  let child: ChildProcess
  try {
    child = start(program, args, { stdio: 'inherit', env: { ...env } })
  } catch (error) {
    // For example an argument that contains a NUL, or an environment that is too large.
    return { send() {}, ended: Promise.resolve(notStarted(error)) }
  }
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once('error', (error) => resolve(notStarted(error)))
    child.once('exit', (code, signal) =>
      resolve(
        signal === null
          ? { kind: 'exited', code: code ?? 1 }
          : { kind: 'killed', signal, number: constants.signals[signal] ?? 0 },
      ),
    )
  })
  return { send: (signal) => void child.kill(signal), ended }
}

function notStarted(error: unknown): ProgramEnd {
  const { code, message } = error as NodeJS.ErrnoException
  return { kind: 'not started', reason: code ?? message }
}

export const startError = (reason: string): string =>
  reason === 'ENOENT' ? 'command not found' : `the command cannot be executed (${reason})`

/** The exit code as a shell reports it. */
export function shellExitCode(end: ProgramEnd): number {
  if (end.kind === 'exited') return end.code
  if (end.kind === 'killed') return 128 + end.number
  return end.reason === 'ENOENT' ? exitCodes.notFound : exitCodes.cannotRun
}

/** Forwards signals to the program, including those that arrive before it has started. */
export function forwardSignals(io: Io): {
  /** `stop`: asks it to end. */
  endOf(started: Promise<RunningProgram>, stop: AbortSignal): Promise<ProgramEnd>
} {
  let program: RunningProgram | undefined
  const early: Signal[] = []
  io.onSignal((signal) => {
    if (program === undefined) early.push(signal)
    else program.send(signal)
  })
  return {
    async endOf(started, stop) {
      program = await started
      const { send } = program
      stop.addEventListener('abort', () => send('SIGTERM'), { once: true })
      for (const signal of early) program.send(signal)
      return program.ended
    },
  }
}
