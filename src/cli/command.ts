/** What a command of the CLI is, what it may use of the outside, and how it ends. Knows no particular command. */
import type { Argv, InferredOptionTypes, Options } from 'yargs'

/** A stream to write text to: `process.stdout`, or a test's own. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
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
}

/** How a command ends; part of the public interface and listed under `--help`. What failed and what is a bug share 1: stderr tells them apart. */
export const exitCodes = { ok: 0, failed: 1, bug: 1, usage: 2, file: 3, bind: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

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
  builder(yargs: Argv): Argv<Args>
  /** Runs it; the exit code. Throws `CommandError` for what the user can mend. */
  handler(args: Args, io: Io): ExitCode | Promise<ExitCode>
}

/** A command whose arguments are typed from its own flags. */
export function defineCommand<const Given extends Flags>(definition: {
  readonly command: string
  readonly describe: string
  readonly flags: Given
  handler(args: InferredOptionTypes<Given>, io: Io): ExitCode | Promise<ExitCode>
}): Command {
  const { command, describe, flags, handler } = definition
  return { command, describe, flags, builder: (yargs: Argv) => yargs.options(flags), handler } as unknown as Command
}
