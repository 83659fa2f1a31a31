/** The command line: parses the arguments, runs one command, returns its exit code. */

import type { Argv } from 'yargs'
import yargs from 'yargs'
import { didYouMean } from '../protocol/nearest-word.ts'
import { escapeControls, wrap } from '../text/printable.ts'
import { version } from '../text/version.ts'
import {
  type Command,
  CommandError,
  type Example,
  type ExitCode,
  exitCodes,
  exitMeanings,
  type Io,
  usageError,
} from './command.ts'
import { type CommandEntry, commands } from './commands.ts'

const helpWidth = 80
const exitCodeList = exitMeanings.flatMap(([code, meaning]) =>
  wrap(`  ${code.padEnd(5)}  `, meaning, helpWidth),
)

/** Runs one command line (without the program's name). Never throws and never ends the process. */
export async function main(words: readonly string[], io: Io): Promise<ExitCode> {
  const argv = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  const [first = '--help', ...rest] = argv
  const entry = commands.find(({ name }) => name === first)
  try {
    if (entry !== undefined) return await runCommand(entry, await entry.load(), rest, io)
    if (!first.startsWith('-')) throw unknownCommand(first)
    return await runWithoutCommand([first, ...rest], io)
  } catch (error) {
    return reportError(error, entry, io)
  }
}

function unknownCommand(name: string): CommandError {
  const names = commands.map((one) => one.name)
  return usageError(`Unknown command: ${name}${didYouMean(name, names, '', '; ')}`)
}

/** Answers `--help` and `--version`. yargs knows the commands only to list them. */
async function runWithoutCommand(argv: readonly string[], io: Io): Promise<ExitCode> {
  const parser = createParser(io)
    .usage('$0 <command>\n\nA deterministic simulator of a multi-model AI gateway.')
    .epilogue(
      exampleList([
        ['gateway-sim serve', 'Listen on http://127.0.0.1:4010'],
        ['gateway-sim exec -- npm test', 'Run a test suite against a simulator'],
      ]),
    )
    .epilogue(`\nExit codes:\n${exitCodeList.join('\n')}`)
  for (const { name, describe } of commands) parser.command(name, describe)
  if ((await parse(parser, argv, io)) !== undefined) throw usageError(`Missing command before ${argv[0]}`)
  return exitCodes.ok
}

/** Runs a command without registering it with yargs, which would render help for every run. */
async function runCommand(
  { name, describe }: CommandEntry,
  command: Command,
  argv: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const { examples, flags, rest, handler } = command
  // Flags and quotes of another program's command line are not ours to parse.
  const separator = rest === undefined ? -1 : argv.indexOf('--')
  const own = separator < 0 ? argv : argv.slice(0, separator)
  const passedOn = separator < 0 ? [] : argv.slice(separator + 1)
  const usage = `${name} ${rest === undefined ? command.arguments : `[flags] -- <${rest}>`}`.trimEnd()
  const parser = createParser(io, !command.arguments.includes('..'))
    .usage(`$0 ${usage}\n\n${describe}`)
    .options(flags)
    .epilogue(exampleList(examples))
  const parsed = await parse(parser, own, io)
  if (parsed === undefined) return exitCodes.ok
  const unknown = Object.keys(parsed).filter((flag) => !isKnown(flag, command))
  if (unknown.length > 0) throw usageError(unknown.map((flag) => unknownFlag(flag, command)).join('\n'))
  const positional = positionalOf(parsed, command, usage)
  if (rest !== undefined && passedOn.length === 0) throw missing(rest, usage)
  return handler({ ...argsOf(parsed, command), ...positional, [rest ?? '']: passedOn } as never, io)
}

const missing = (name: string, usage: string): CommandError =>
  usageError(`Missing ${name}. Usage: gateway-sim ${usage}`)

function positionalOf(
  { _: words }: Parsed,
  command: Command,
  usage: string,
): Readonly<Record<string, unknown>> {
  const declared = [...command.arguments.matchAll(/([<[])(\w+)(\.\.)?/g)]
  const isList = declared[0]?.[3] !== undefined
  const required = declared.filter(([, bracket]) => bracket === '<')
  const [, , absent] = required[words.length] ?? []
  if (absent !== undefined) throw missing(absent, usage)
  if (!isList && words.length > declared.length)
    throw usageError(
      `Unknown argument: ${words.slice(declared.length).join(', ')}. Usage: gateway-sim ${usage}`,
    )
  const texts = words.map(String)
  return Object.fromEntries(declared.map(([, , name], index) => [name, isList ? texts : texts[index]]))
}

function isKnown(flag: string, { flags }: Command): boolean {
  const aliases = Object.values(flags).map(({ alias }) => alias)
  return ['_', '$0', 'help', 'h', 'version', 'v'].includes(flag) || flag in flags || aliases.includes(flag)
}

function unknownFlag(flag: string, { flags }: Command): string {
  const known = Object.keys(flags).map((name) => `--${name}`)
  return `Unknown flag: --${flag}${didYouMean(`--${flag}`, known, '', '; ')}`
}

interface Parsed {
  readonly _: readonly (string | number)[]
  readonly [flag: string]: unknown
}

/** The parsed arguments; undefined if help or the version was shown. */
async function parse(parser: Argv, argv: readonly string[], { stdout }: Io): Promise<Parsed | undefined> {
  let shown = ''
  // yargs would write help and version to the console itself.
  const parsed = await parser.parseAsync([...argv], {}, (_error, _args, output) => void (shown = output))
  if (shown === '') return parsed
  stdout.write(`${shown}\n`)
  return undefined
}

/** Not with yargs' own `example`, which puts command and description side by side and wraps both. */
function exampleList(examples: readonly Example[]): string {
  return `Examples:\n${examples.map(([commandLine, what]) => `  ${commandLine}\n      ${what}`).join('\n')}`
}

function reportError(error: unknown, entry: CommandEntry | undefined, io: Io): ExitCode {
  if (error instanceof CommandError) {
    const isUsage = error.exitCode === exitCodes.usage
    const help = ['gateway-sim', ...(entry === undefined ? [] : [entry.name]), '--help'].join(' ')
    const lines = [...error.message.split('\n'), ...(isUsage ? [`See: ${help}`] : [])]
    // A message may quote what another server sent.
    io.stderr.write(`gateway-sim: ${lines.map(escapeControls).join('\n')}\n`)
    return error.exitCode
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  io.stderr.write(`gateway-sim: internal error in gateway-sim, please report it: ${details}\n`)
  return exitCodes.bug
}

/** With `greedy`, a list flag takes all words up to the next flag: `--scenario a.yaml b.yaml`. */
function createParser(io: Io, greedy = true): Argv {
  return (
    yargs([], io.cwd)
      .scriptName('gateway-sim')
      // The messages of the commands are not translated.
      .locale('en')
      .parserConfiguration({
        'greedy-arrays': greedy,
        'boolean-negation': false,
        'camel-case-expansion': false,
        'parse-positional-numbers': false,
        'strip-aliased': true,
      })
      .version(version)
      .alias({ help: 'h', version: 'v' })
      .exitProcess(false)
      .fail((message: string | null, error) => {
        // A handler threw if there is no message.
        throw message === null ? error : usageError(message)
      })
  )
}

/** The arguments for a handler: the last occurrence of a flag wins; omitted lists are empty. */
function argsOf(parsed: Parsed, { flags }: Command): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { array }]) => {
      const given = parsed[name]
      const last = Array.isArray(given) ? given.at(-1) : given
      const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
      return [camel, array === true ? (given ?? []) : last]
    }),
  )
}
