/** Starts another program with the standard streams of this process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Io, ProgramEnd, RunningProgram } from '../command.ts'

/** Starts it; `env` is its whole environment. What cannot be started has ended as `not started`. */
export async function startProgram(
  [program = '', ...words]: readonly string[],
  env: Io['env'],
  platform: string,
): Promise<RunningProgram> {
  // There, `npm` is a script for cmd.exe, with rules of its own for quotes.
  const start = platform === 'win32' ? (await import('cross-spawn')).default : spawn
  let child: ChildProcess
  try {
    child = start(program, words, { stdio: 'inherit', env: { ...env } })
  } catch (error) {
    // A word with a NUL in it, an environment that is too large.
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
