/** The command line: parses the arguments, runs one command, returns its exit code. */

import type { Argv } from 'yargs'
import yargs from 'yargs'
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
import { commands, exec, serve } from './commands.ts'
import { hiddenAliases, similarFlags } from './flags.ts'

const helpWidth = 80
const exitCodeList = exitMeanings.flatMap(([code, meaning]) =>
  wrap(`  ${code.padEnd(5)}  `, meaning, helpWidth),
)

/** Runs one command line (without the program's name). Never throws and never ends the process. */
export async function main(words: readonly string[], io: Io): Promise<ExitCode> {
  const argv = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  const isCommand = (word: string): boolean => commands.some((one) => nameOf(one) === word)
  const at = argv.findIndex(isCommand)
  const command = commands.find((one) => nameOf(one) === argv[at])
  const [first = '--help'] = argv
  try {
    const isCompletion = first === 'completion' && !argv.some((word) => ['--help', '-h'].includes(word))
    if (isCompletion || argv.includes('--get-yargs-completions')) return await complete(argv, io)
    if (!first.startsWith('-') && !isCommand(first)) throw usageError(`Unknown command: ${first}`)
    return await (command === undefined
      ? runWithoutCommand(argv.length === 0 ? [first] : argv, io)
      : runCommand(command, argv.toSpliced(at, 1), io))
  } catch (error) {
    return reportError(error, command, io)
  }
}

/** Answers `--help` and `--version`. yargs knows the commands only to list them. */
async function runWithoutCommand(argv: readonly string[], io: Io): Promise<ExitCode> {
  const parser = createParser(io)
    .usage('$0 <command>\n\nA deterministic simulator of a multi-model AI gateway.')
    .strict()
    .demandCommand(1, 1, 'Missing command.', 'Expected one command, got several.')
    .epilogue(exampleList([...serve.examples.slice(0, 1), ...exec.examples.slice(0, 1)]))
    .epilogue(`\nExit codes:\n${exitCodeList.join('\n')}`)
  for (const { command, describe } of commands) parser.command(command, describe)
  await parse(parser, argv, io)
  return exitCodes.ok
}

/** Prints the completion script for the shell, or the words that can follow: yargs does both. */
async function complete(argv: readonly string[], io: Io): Promise<ExitCode> {
  const parser = createParser(io).completion('completion', false)
  for (const { command, describe, flags } of commands)
    if (command !== 'completion') parser.command(command, describe, (one) => one.options(flags))
  await parse(parser, argv, io)
  return exitCodes.ok
}

/** Runs a command without registering it with yargs, which would render help for every run. */
async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<ExitCode> {
  const { describe, examples, flags, rest, handler } = command
  const names = [...command.command.matchAll(/[<[](\w+)/g)].map(([, name]) => name as string)
  const required = [...command.command.matchAll(/<\w+/g)].length
  const isList = /\.\.[>\]]$/.test(command.command)
  // Flags and quotes of another program's command line are not ours to parse.
  const separator = rest === undefined ? -1 : argv.indexOf('--')
  const [given, passedOn] = separator < 0 ? [argv, []] : [argv.slice(0, separator), argv.slice(separator + 1)]
  const own = given.map((word) => withoutAlias(word, command))
  const usage = rest === undefined ? command.command : `${command.command} [flags] -- <${rest}>`
  const parser = createParser(io)
    .usage(`$0 ${usage}\n\n${describe}`)
    .options(flags)
    // Not `strict`, which takes positional arguments for unknown commands.
    .strictOptions()
    .epilogue([...valueList(command), exampleList(examples)].join('\n'))
  const negative = own.find((word) => /^-\d+(?:ms|[smhd])$/.test(word))
  if (negative !== undefined) throw usageError(`Expected a duration above 0, got ${negative}`)
  const parsed = await parse(parser, isList ? own : repeatListFlags(own, command), io)
  if (parsed === undefined) return exitCodes.ok
  const { _: positional } = parsed
  const missing = names.slice(0, required)[positional.length] ?? (passedOn.length === 0 ? rest : undefined)
  if (!isList && positional.length > names.length) {
    const [extra = '', ...others] = positional.slice(names.length).map(String)
    const isBaseUrl = flags['base-url'] !== undefined && /^https?:/.test(extra)
    const ofCommand = rest === undefined ? '' : `. Put the command to run after --: gateway-sim ${usage}`
    const hint = isBaseUrl ? `\nDid you mean --base-url ${extra}?` : ofCommand
    throw usageError(`Unknown argument: ${[extra, ...others].join(', ')}${hint}`)
  }
  if (missing !== undefined) throw usageError(`Missing ${missing}. Usage: gateway-sim ${usage}`)
  const values = Object.fromEntries(
    names.map((name, index) => [name, isList ? positional.map(String) : positional[index]?.toString()]),
  )
  const args = { ...argsOf(parsed, command), ...values, ...(rest === undefined ? {} : { [rest]: passedOn }) }
  return handler(args as never, io)
}

/** `--url` as `--base-url` and `--json` as `--format=json`, if the command has that flag. */
function withoutAlias(word: string, { flags }: Command): string {
  const [, name = '', value = ''] = /^--([\w-]+)(=.*)?$/s.exec(word) ?? []
  const [flag, choice] = hiddenAliases[name] ?? []
  if (flag === undefined || flags[name] !== undefined || flags[flag] === undefined) return word
  return `--${flag}${choice === undefined ? value : `=${choice}`}`
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

interface Parsed {
  readonly _: readonly (string | number)[]
  readonly [flag: string]: unknown
}

/** The values of the first positional argument, if it has a fixed set. */
function valueList({ command, actions }: Command): string[] {
  const [, name = ''] = /[<[](\w+)/.exec(command) ?? []
  return actions === undefined ? [] : [...wrap(`${name}: `, actions.join(', '), helpWidth), '']
}

/** Not with yargs' own `example`, which puts command and description side by side and wraps both. */
function exampleList(examples: readonly Example[]): string {
  return `Examples:\n${examples.map(([commandLine, what]) => `  ${commandLine}\n      ${what}`).join('\n')}`
}

async function reportError(error: unknown, command: Command | undefined, io: Io): Promise<ExitCode> {
  if (error instanceof CommandError) {
    const lines = [error.message]
    if (error.exitCode === exitCodes.usage)
      lines.push(
        ...(await suggestWords(error.message, command)),
        `See: gateway-sim ${command === undefined ? '' : `${nameOf(command)} `}--help`,
      )
    // A message may quote what another server sent.
    const text = lines.join('\n').split('\n').map(escapeControls).join('\n')
    io.stderr.write(`gateway-sim: ${text}\n`)
    return error.exitCode
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  io.stderr.write(`gateway-sim: internal error in gateway-sim, please report it: ${details}\n`)
  return exitCodes.bug
}

/** Suggests the command or the flags that unknown words probably mean. */
async function suggestWords(message: string, command: Command | undefined): Promise<string[]> {
  const [, what, words] =
    /^Unknown (command|arguments?): (.+?)(?:\. The command to run .*)?$/.exec(message) ?? []
  if (words === undefined) return []
  const { nearestWord } = await import('../protocol/nearest-word.ts')
  const known = command === undefined ? commands.map(nameOf) : flagNamesOf(command)
  return words.split(', ').flatMap((word) => {
    const nearest = nearestWord(word, known)
    if (what === 'command' || command === undefined)
      return nearest === undefined ? [] : [`Did you mean ${nearest}?`]
    const flags = similarTo(word, command)
    if (flags.length === 0 && nearest !== undefined) flags.push(`--${nearest}`)
    return flags.length > 0 ? [`Did you mean ${flags.join(' or ')}?`] : ownersOf(word)
  })
}

const flagNamesOf = ({ flags }: Command): string[] => [...Object.keys(flags), 'help', 'version']

/** The flags of a command with a similar meaning: `--format markdown` for `markdown`. */
function similarTo(word: string, { flags }: Command): string[] {
  const names = similarFlags.find((line) => line.includes(word)) ?? []
  return names.flatMap((name) => {
    const flag = flags[name]
    if (flag === undefined) return []
    return [flag.choices?.includes(word) === true ? `--${name} ${word}` : `--${name}`]
  })
}

/** The commands that have a flag: `--watch is a flag of gateway-sim serve.` */
function ownersOf(word: string): string[] {
  const flag = hiddenAliases[word]?.[0] ?? word
  const owners = commands.filter(({ flags }) => flags[flag] !== undefined).map(nameOf)
  return owners.length === 0 ? [] : [`--${flag} is a flag of gateway-sim ${owners.join(', ')}.`]
}

function createParser(io: Io): Argv {
  return (
    yargs([], io.cwd)
      .scriptName('gateway-sim')
      // The messages of the commands are not translated.
      .locale('en')
      .parserConfiguration({
        'greedy-arrays': false,
        'boolean-negation': false,
        'camel-case-expansion': false,
        'parse-positional-numbers': false,
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
  const values = Object.entries(flags).flatMap(([name, { array }]) => {
    const given = parsed[name]
    const last = Array.isArray(given) ? given.at(-1) : given
    const value = array === true ? (given ?? []) : last
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
