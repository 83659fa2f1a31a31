/** The command line: parses the arguments, runs one command, returns its exit code. */

import type { Argv } from 'yargs'
import yargs from 'yargs'
import { wrap } from '../text/printable.ts'
import { version } from '../text/version.ts'
import {
  type Command,
  CommandError,
  type Example,
  type ExitCode,
  exitCodes,
  exitMeanings,
  type Io,
} from './command.ts'
import { check } from './commands/check.ts'
import { openapi, reserved, routes } from './commands/contract.ts'
import { diff } from './commands/diff.ts'
import { record } from './commands/record.ts'
import { replay } from './commands/replay.ts'
import { explainCall, ready } from './commands/running.ts'
import { scenario } from './commands/scenario.ts'
import { exec, serve } from './commands/serve.ts'
import { explain, validate } from './commands/validate.ts'

/** Every command, in the order of `--help`. */
export const commands: readonly Command[] = [
  serve,
  exec,
  ready,
  record,
  replay,
  check,
  diff,
  validate,
  scenario,
  explain,
  explainCall,
  routes,
  reserved,
  openapi,
]

const helpWidth = 80
const exitCodeList = exitMeanings.flatMap(([code, meaning]) =>
  wrap(`  ${code.padEnd(5)}  `, meaning, helpWidth),
)

/** Runs one command line (without the program's name). Never throws and never ends the process. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const command = commands.find((one) => nameOf(one) === argv[0])
  try {
    return await (command === undefined || hasPositional(command)
      ? runWithYargs(argv, io)
      : runDirectly(command, argv.slice(1), io))
  } catch (error) {
    return reportError(error, command, io)
  }
}

// `explain-call <id>`: only yargs' own commands know positional arguments.
function hasPositional(command: Command): boolean {
  return command.command.includes(' ') && variadicOf(command) === undefined
}

/** Runs a command without registering it with yargs, which would render help for every run. */
async function runDirectly(command: Command, argv: readonly string[], io: Io): Promise<ExitCode> {
  const { describe, examples, builder, rest, handler } = command
  const variadic = variadicOf(command)
  // Flags and quotes of another program's command line are not ours to parse.
  const separator = rest === undefined ? -1 : argv.indexOf('--')
  const [own, passedOn] = separator < 0 ? [argv, []] : [argv.slice(0, separator), argv.slice(separator + 1)]
  const usage = rest === undefined ? command.command : `${command.command} [flags] -- <${rest}>`
  const parser = builder(createParser(io, command).usage(`$0 ${usage}\n\n${describe}`)).epilogue(
    exampleList(examples),
  )
  // yargs takes positional arguments for unknown commands.
  if (variadic !== undefined || rest !== undefined) parser.strict(false).strictOptions()
  let helpShown = false
  const parsed = await parser.parseAsync(
    variadic === undefined ? repeatListFlags(own, command) : [...own],
    {},
    (_error, _args, output) => {
      helpShown = printHelp(output, io)
    },
  )
  if (helpShown) return exitCodes.ok
  const { _: positional } = parsed as { readonly _: readonly (string | number)[] }
  if (variadic === undefined && positional.length > 0) {
    const hint = rest === undefined ? '' : `. The command to run goes after --: gateway-sim ${usage}`
    throw new CommandError(exitCodes.usage, `Unknown argument: ${positional.join(', ')}${hint}`)
  }
  if (variadic !== undefined && positional.length === 0)
    throw new CommandError(exitCodes.usage, `Missing ${variadic}. Usage: gateway-sim ${usage}`)
  if (rest !== undefined && passedOn.length === 0)
    throw new CommandError(exitCodes.usage, `Missing ${rest}. Usage: gateway-sim ${usage}`)
  const extra = {
    ...(rest === undefined ? {} : { [rest]: passedOn }),
    ...(variadic === undefined ? {} : { [variadic]: positional.map(String) }),
  }
  return handler({ ...argsOf(parsed, command), ...extra } as never, io)
}

/** Runs what needs the list of all commands: help, the version, a typo, or a command with a positional. */
async function runWithYargs(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [word] = argv
  if (word !== undefined && !word.startsWith('-') && !commands.some((one) => nameOf(one) === word))
    throw new CommandError(exitCodes.usage, `Unknown command: ${word}`)
  let code: ExitCode = exitCodes.ok
  const parser = createParser(io)
    .usage('$0 <command>\n\nA deterministic simulator of a multi-model AI gateway.')
    .demandCommand(1, 1, 'Missing command.', 'Expected one command, got several.')
    .epilogue(exampleList([...serve.examples.slice(0, 1), ...exec.examples.slice(0, 1)]))
    .epilogue(`\nExit codes:\n${exitCodeList.join('\n')}`)
  for (const command of commands)
    parser.command(
      command.command,
      command.describe,
      (own) =>
        command
          .builder(own.parserConfiguration(parserConfiguration(command)))
          .epilogue(exampleList(command.examples)),
      async (parsed) => {
        code = await command.handler(argsOf(parsed, command) as never, io)
      },
    )
  const words = argv.length === 0 ? ['--help'] : [...argv]
  await parser.parseAsync(words, {}, (_error, _args, output) => void printHelp(output, io))
  return code
}

/** Not with yargs' own `example`, which puts command and description side by side and wraps both. */
function exampleList(examples: readonly Example[]): string {
  return `Examples:\n${examples.map(([commandLine, what]) => `  ${commandLine}\n      ${what}`).join('\n')}`
}

// yargs would write help and version to the console itself.
function printHelp(output: string, io: Io): boolean {
  if (output === '') return false
  io.stdout.write(`${output}\n`)
  return true
}

async function reportError(error: unknown, command: Command | undefined, io: Io): Promise<ExitCode> {
  if (error instanceof CommandError) {
    const lines = [describeUsageError(error.message, command)]
    if (error.exitCode === exitCodes.usage)
      lines.push(
        ...(await suggestWords(error.message, command)),
        `See: gateway-sim ${command === undefined ? '' : `${nameOf(command)} `}--help`,
      )
    io.stderr.write(`gateway-sim: ${lines.join('\n')}\n`)
    return error.exitCode
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  io.stderr.write(`gateway-sim: this is a bug in gateway-sim, please report it: ${details}\n`)
  return exitCodes.bug
}

// yargs reports a missing positional argument without its name.
function describeUsageError(message: string, command: Command | undefined): string {
  const missing = /<(\w+)>/.exec(command?.command ?? '')?.[1]
  return missing !== undefined && message.startsWith('Not enough non-option arguments')
    ? `Missing ${missing}. Usage: gateway-sim ${command?.command}`
    : message
}

/** Suggests the command or the flags that unknown words probably stand for. */
async function suggestWords(message: string, command: Command | undefined): Promise<string[]> {
  const [, what, words] = /^Unknown (command|arguments?): (.+)$/.exec(message) ?? []
  if (words === undefined) return []
  const { nearestWord } = await import('../protocol/nearest-word.ts')
  const [known, dashes] =
    what === 'command'
      ? [commands.map(nameOf), '']
      : [[...Object.keys(command?.flags ?? {}), 'help', 'version'], '--']
  return words.split(', ').flatMap((word) => {
    const nearest = nearestWord(word, known)
    return nearest === undefined ? [] : [`Did you mean ${dashes}${nearest}?`]
  })
}

/** A parser without commands of its own; it throws instead of printing and exiting. */
function createParser(io: Io, command?: Command): Argv {
  return (
    yargs([], io.cwd)
      .scriptName('gateway-sim')
      // Translating the words of yargs alone would mix two languages.
      .locale('en')
      .parserConfiguration(parserConfiguration(command))
      .version(version)
      .alias({ help: 'h', version: 'v' })
      .strict()
      .exitProcess(false)
      .fail((message: string | null, error) => {
        // A handler threw if there is no message.
        throw message === null ? error : new CommandError(exitCodes.usage, message)
      })
  )
}

function parserConfiguration(command?: Command) {
  return {
    // Without it, yargs would also keep only the last element of every list.
    'duplicate-arguments-array': command !== undefined && hasLists(command),
    'greedy-arrays': false,
    'boolean-negation': false,
    'camel-case-expansion': false,
    'parse-positional-numbers': false,
  }
}

/**
 * The arguments for a command's handler: of a flag that is not a list, the last occurrence wins; a list that
 * is not given is empty.
 */
function argsOf(
  parsed: Readonly<Record<string, unknown>>,
  { flags }: Command,
): Readonly<Record<string, unknown>> {
  const values = Object.entries(flags).flatMap(([name, { array }]) => {
    const given = parsed[name]
    const value = array === true ? (given ?? []) : Array.isArray(given) ? given.at(-1) : given
    return [
      [name, value],
      [name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), value],
    ]
  })
  return { ...parsed, ...Object.fromEntries(values) }
}

/**
 * Turns `--scenario a.yaml b.yaml` into `--scenario a.yaml --scenario b.yaml`: a command without positional
 * arguments leaves all of them to the list before them.
 */
function repeatListFlags(argv: readonly string[], { flags }: Command): string[] {
  const words: string[] = []
  let listFlag: string | undefined
  let needsValue = false
  for (const word of argv) {
    if (word.startsWith('-') && word !== '-') {
      const [name = '', value] = word.split(/=(.*)/s)
      listFlag = flags[name.slice(2)]?.array === true ? name : undefined
      needsValue = value === undefined
      words.push(word)
      continue
    }
    if (listFlag !== undefined && !needsValue) words.push(listFlag)
    words.push(word)
    needsValue = false
  }
  return words
}

/** The name alone: `replay` for `replay <files..>`. */
function nameOf({ command }: Command): string {
  return command.split(' ')[0] as string
}

/** The name of a variadic argument: `files` for `replay <files..>`. */
function variadicOf({ command }: Command): string | undefined {
  return /^\S+ <(\w+)\.\.>$/.exec(command)?.[1]
}

function hasLists(command: Command): boolean {
  return variadicOf(command) !== undefined || Object.values(command.flags).some(({ array }) => array === true)
}
