/** A CLI command, its access to the process, and the exit codes. */
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Options } from 'yargs'

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
}

/** A signal that asks a process to terminate or reload. */
export type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT'

/** How a child process ended. `reason` is the error code of the system (`ENOENT`). */
export type ProgramEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string; readonly number: number }
  | { readonly kind: 'not started'; readonly reason: string }

export interface RunningProgram {
  send(signal: Signal): void
  /** Never rejects. */
  readonly ended: Promise<ProgramEnd>
}

export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  readStdin(): Promise<Uint8Array>
  /** Standard input and output, for a protocol. */
  rawStreams(): { readonly input: Readable; readonly output: Writable }
  /** Relative paths are resolved against it. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly pid: number
  /** Resolves on SIGTERM or SIGINT. Calling it installs the listeners. */
  whenStopped(): Promise<void>
  /**
   * Passes each signal to the listener instead of its default action. Signals that a terminal sends to the
   * whole foreground process group are passed on only for children in groups that the terminal does not know
   * (`detached`): other children get them anyway.
   */
  onSignal(listener: (signal: Signal) => void, children?: { readonly detached: boolean }): void
  /** Starts a child process that inherits the standard streams. */
  startProgram(argv: readonly string[], env: Io['env']): Promise<RunningProgram>
}

/** Exit codes, as `--help` lists them. Failures and bugs share 1: stderr tells them apart. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  bug: 1,
  usage: 2,
  file: 3,
  gateway: 3,
  bind: 4,
  skipped: 5,
  cannotRun: 126,
  notFound: 127,
} as const
export type ExitCode = number

/** The exit codes of the outcomes of a report. */
export const outcomeCodes = {
  passed: exitCodes.ok,
  failed: exitCodes.failed,
  skipped: exitCodes.skipped,
} as const

/** The exit code of a command that a signal ended, as shells report it. */
export const signalCode = (signal: Signal): ExitCode => 128 + constants.signals[signal]

/** The exit codes in order, for `--help` and the docs. */
export const exitMeanings: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'success; serve, record: stopped by SIGTERM or SIGINT'],
  [
    '1',
    'replay: a step failed; check: a violation; diff: a difference; ready: the server ' +
      'is not ready; journal, control: no simulator responds, or it rejects the request; exec: a ' +
      '--fail-on check failed; trial: a verdict is not acceptable, or the command fails in the healthy ' +
      'run; any command: a bug in gateway-sim (see stderr)',
  ],
  ['2', 'usage error: an unknown command or flag, or an invalid value'],
  [
    '3',
    'a config, scenario or handlers file is invalid; check, replay: the gateway cannot be reached; ' +
      'check: the gateway rejects the API key',
  ],
  ['4', 'cannot listen on the host and port'],
  [
    '5',
    'replay: every step of a scenario was skipped; check: no violation, but a group of operations could ' +
      'not be checked; diff: nothing was compared; trial: no failure was tried',
  ],
  ['126', 'exec, trial: the command was found but cannot be executed'],
  ['127', 'exec, trial: command not found'],
  [
    'other',
    'exec: the exit code of the command; 128 + the signal number if a signal killed it; trial: 128 + the ' +
      'number of the signal that ended the trial',
  ],
]

export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

export const usageError = (message: string): CommandError => new CommandError(exitCodes.usage, message)

export const fileError = (message: string): CommandError => new CommandError(exitCodes.file, message)

type Flags = Readonly<Record<string, Options>>

type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name

type ValueOf<Flag> = Flag extends { readonly array: true }
  ? readonly string[]
  : Flag extends { readonly type: 'boolean' }
    ? boolean
    : Flag extends { readonly choices: readonly (infer Choice)[] }
      ? Choice | Missing<Flag>
      : Flag extends { readonly type: 'string' }
        ? string | Missing<Flag>
        : unknown
type Missing<Flag> = Flag extends { readonly default: unknown } | { readonly demandOption: true }
  ? never
  : undefined

/** The values of flags, by name in camel case; a list is never undefined. */
export type ArgsOf<Given> = {
  readonly [Name in keyof Given as Camel<Name>]: ValueOf<Given[Name]>
}

type Positional<Words> = Words extends `[${infer Name}]${infer Rest}`
  ? Argument<Name, undefined> & Positional<Rest>
  : Words extends `${' ' | ''}<${infer Name}>${infer Rest}`
    ? Argument<Name> & Positional<Rest>
    : unknown
type Argument<Name extends string, Absent = never> = Name extends `${infer List}..`
  ? Record<List, readonly string[]>
  : Record<Name, string | Absent>

export type Example = [commandLine: string, description: string]

/** What the module of a command declares. */
export interface Command {
  /** Its positional arguments: `<files..>`, `[id]`. */
  readonly arguments: string
  /** The name of the required arguments after `--`, which are passed on verbatim: `exec -- <command>`. */
  readonly rest?: string
  readonly examples: readonly Example[]
  readonly flags: Flags
  handler(args: never, io: Io): ExitCode | Promise<ExitCode>
}

export function defineCommand<
  const Given extends Flags,
  const Words extends string = '',
  const Rest extends string = never,
>(definition: {
  readonly arguments?: Words
  readonly rest?: Rest
  readonly examples: readonly Example[]
  readonly flags: Given
  handler(
    args: ArgsOf<Given> & Positional<Words> & Readonly<Record<Rest, readonly string[]>>,
    io: Io,
  ): ExitCode | Promise<ExitCode>
}): Command {
  return { arguments: '', ...definition } as unknown as Command
}
