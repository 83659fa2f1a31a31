/** What a command of the CLI is, what it may use of the outside, and how it ends. */
import type { Argv, InferredOptionTypes, Options } from 'yargs'

/** A stream to write text to: `process.stdout`, or a test's own. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
}

/** A signal that asks a process to end, or to reload. */
export type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT'

/**
 * How another program ended. A program that never ran has no `code`: `reason` says why, in the system's word
 * (`ENOENT`).
 */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string; readonly number: number }
  | { readonly kind: 'not started'; readonly reason: string }

/** Another program that runs. */
export interface RunningProgram {
  send(signal: Signal): void
  /** Never rejects. */
  readonly ended: Promise<ProgramEnd>
}

/** All that a command may use of the process it runs in. */
export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  /** All that comes on standard input, to its end. */
  readStdin(): Promise<Uint8Array>
  /** The directory that relative paths start from. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pid: number
  /** Resolves when the process is asked to end (SIGTERM, SIGINT). The first call begins to listen. */
  whenStopped(): Promise<void>
  /**
   * Hands each signal to the listener, in the place of what it would do. Those that a terminal has sent to
   * everybody in front of it are kept back.
   */
  onSignal(listener: (signal: Signal) => void): void
  /** Starts another program with our own standard streams. */
  startProgram(words: readonly string[], env: Io['env']): Promise<RunningProgram>
}

/**
 * How a command ends; part of the public interface and listed under `--help`. What failed and what is a bug
 * share 1: stderr tells them apart.
 */
export const exitCodes = {
  ok: 0,
  failed: 1,
  bug: 1,
  usage: 2,
  file: 3,
  bind: 4,
  cannotRun: 126,
  notFound: 127,
} as const
/** One of these, or what a program that was run has ended with. */
export type ExitCode = number

/** What each exit code means, in their order. */
export const exitMeanings: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'ended as asked (serve: by SIGTERM or SIGINT)'],
  [
    '1',
    'replay: something did not hold; ready: not ready; explain-call: no such call, or no simulator; exec: --fail-on found something although the command ended with 0; any command: a bug of gateway-sim, which stderr then calls so',
  ],
  ['2', 'wrong usage: an unknown command or flag, or a value that cannot be'],
  ['3', 'a config, scenario or handlers file that cannot be used'],
  ['4', 'cannot listen on that host and port'],
  ['126', 'exec: the command was found and cannot be run'],
  ['127', 'exec: the command was not found'],
  ['other', 'exec: what the command ended with; 128 and the number of the signal when one ended it'],
]

/** A command cannot go on for a reason that the user can mend. The message says what to change. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

type Flags = Readonly<Record<string, Options>>

export interface Command<Args = never> {
  /** The word it is called by; what it takes beside flags stands behind it: `replay <files..>`. */
  readonly command: string
  readonly describe: string
  /** The flags by name, without their dashes. */
  readonly flags: Flags
  /**
   * What stands behind `--` and is handed over as it is: `command` for `exec [flags] -- <command>`. It must
   * be there.
   */
  readonly rest?: string
  builder(yargs: Argv): Argv<Args>
  /** Runs it; the exit code. Throws `CommandError` for what the user can mend. */
  handler(args: Args, io: Io): ExitCode | Promise<ExitCode>
}

/** A command whose arguments are typed from its own flags. */
export function defineCommand<const Given extends Flags>(definition: {
  readonly command: string
  readonly describe: string
  readonly flags: Given
  readonly rest?: string
  handler(args: InferredOptionTypes<Given>, io: Io): ExitCode | Promise<ExitCode>
}): Command {
  const { command, describe, flags, rest, handler } = definition
  return {
    command,
    describe,
    flags,
    ...(rest === undefined ? {} : { rest }),
    builder: (yargs: Argv) => yargs.options(flags),
    handler,
  } as unknown as Command
}
