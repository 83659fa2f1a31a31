/** Starts a child process that inherits the standard streams. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Io, ProgramEnd, RunningProgram } from '../command.ts'

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
