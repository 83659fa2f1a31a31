/** The command line: reads the arguments, runs one command, gives its exit code. */
import yargs, { type Argv } from 'yargs'
import { version } from '../text/version.ts'
import { type Command, CommandError, type ExitCode, exitCodes, exitMeanings, type Io } from './command.ts'
import { exec } from './commands/exec.ts'
import { explain } from './commands/explain.ts'
import { explainCall } from './commands/explain-call.ts'
import { openapi } from './commands/openapi.ts'
import { ready } from './commands/ready.ts'
import { replay } from './commands/replay.ts'
import { reserved } from './commands/reserved.ts'
import { routes } from './commands/routes.ts'
import { serve } from './commands/serve.ts'
import { validate } from './commands/validate.ts'

/** Every command, in the order of `--help`. */
export const commands: readonly Command[] = [
  serve,
  exec,
  ready,
  replay,
  validate,
  explain,
  explainCall,
  routes,
  reserved,
  openapi,
]

const epilogue = `Exit codes:\n${exitMeanings.map(([code, meaning]) => `  ${code.padEnd(5)}  ${meaning}`).join('\n')}`

/** Runs one command line, the words behind the program's name. Never throws and never ends the process. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const called = commands.find(({ command }) => nameOf(command) === argv[0])
  try {
    return await (called === undefined || takesMore(called)
      ? runAny(argv, io)
      : runCommand(called, argv.slice(1), io))
  } catch (error) {
    return report(error, called, io)
  }
}

// Without yargs' commands: for each one that runs, they render a page of help that nobody asked for.
async function runCommand(called: Command, argv: readonly string[], io: Io): Promise<ExitCode> {
  const { command, describe, builder, rest, handler } = called
  const many = manyOf(command)
  // What belongs to another program is not for yargs, which would look for flags and quotes in it.
  const end = rest === undefined ? -1 : argv.indexOf('--')
  const [own, handed] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)]
  const usage = rest === undefined ? command : `${command} [flags] -- <${rest}>`
  const parser = builder(prepared(io, hasLists(called)).usage(`$0 ${usage}\n\n${describe}`))
  // To yargs, words are commands that it does not know.
  if (many !== undefined || rest !== undefined) parser.strict(false).strictOptions()
  let shown = false
  const args = await parser.parseAsync(
    many === undefined ? eachWithItsFlag(own, called) : [...own],
    {},
    (_error, _args, output) => {
      shown = show(output, io)
    },
  )
  if (shown) return exitCodes.ok
  const { _: words } = args as { readonly _: readonly (string | number)[] }
  if (many === undefined && words.length > 0)
    throw new CommandError(
      exitCodes.usage,
      `Unknown argument: ${words.join(', ')}${rest === undefined ? '' : `. What is to be run stands behind --: gateway-sim ${usage}`}`,
    )
  if (many !== undefined && words.length === 0)
    throw new CommandError(exitCodes.usage, `Which ${many}? Expected gateway-sim ${command}`)
  if (rest !== undefined && handed.length === 0)
    throw new CommandError(exitCodes.usage, `Which ${rest}? Expected gateway-sim ${usage}`)
  const given =
    many === undefined ? (rest === undefined ? {} : { [rest]: handed }) : { [many]: words.map(String) }
  return handler({ ...args, ...lastOfEach(args, called), ...given } as never, io)
}

// The first word is no command (help, the version, a mistake, or a flag in front of it), or the command takes
// more than flags.
async function runAny(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  const parser = prepared(io)
    .usage('$0 <command>\n\nA deterministic simulator of a multi-model AI gateway.')
    .demandCommand(1, 1, 'Which command?', 'One command at a time.')
    .recommendCommands()
    .epilogue(epilogue)
  for (const one of commands) {
    const { command, describe, builder, handler } = one
    parser.command(
      command,
      describe,
      (own) => builder(own.parserConfiguration(parsing(hasLists(one)))),
      async (args) => {
        code = await handler(
          {
            ...(args as object),
            ...lastOfEach(args as object as Readonly<Record<string, unknown>>, one),
          } as never,
          io,
        )
      },
    )
  }
  await parser.parseAsync([...argv], {}, (_error, _args, output) => void show(output, io))
  return code
}

// Where the last flag of a name wins, yargs lets the last of several words and of every list win as well.
function hasLists({ command, flags }: Command): boolean {
  return manyOf(command) !== undefined || Object.values(flags).some(({ array }) => array === true)
}

/**
 * `--scenario a.yaml b.yaml` as `--scenario a.yaml --scenario b.yaml`: a command that takes no words of its
 * own leaves them to the list before them.
 */
function eachWithItsFlag(argv: readonly string[], { flags }: Command): string[] {
  const words: string[] = []
  let list: string | undefined
  let wants = false
  for (const word of argv) {
    if (word.startsWith('-') && word !== '-') {
      const [name = '', value] = word.split(/=(.*)/s)
      list = flags[name.slice(2)]?.array === true ? name : undefined
      wants = value === undefined
      words.push(word)
      continue
    }
    if (list !== undefined && !wants) words.push(list)
    words.push(word)
    wants = false
  }
  return words
}

function parsing(lists: boolean) {
  return {
    'duplicate-arguments-array': lists,
    'greedy-arrays': false,
    'boolean-negation': false,
    'parse-positional-numbers': false,
  }
}

/** Of a flag that is no list, what was given last. */
function lastOfEach(args: Readonly<Record<string, unknown>>, { flags }: Command): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([name, { array }]) =>
      array !== true && Array.isArray(args[name]) ? [[name, (args[name] as unknown[]).at(-1)]] : [],
    ),
  )
}

function prepared(io: Io, lists = false): Argv {
  return (
    yargs([], io.cwd)
      .scriptName('gateway-sim')
      // Another language would be half a translation: our own texts are English.
      .locale('en')
      .parserConfiguration(parsing(lists))
      .version(version)
      .alias({ help: 'h', version: 'v' })
      .strict()
      .exitProcess(false)
      .fail((message: string | null, error) => {
        // Without a message it is what a handler threw.
        throw message === null ? error : new CommandError(exitCodes.usage, message)
      })
  )
}

// `replay <files..>` is called replay.
function nameOf(command: string): string {
  return command.split(' ')[0] as string
}

// Several words of one kind need no commands of yargs: they are what is left over.
function takesMore({ command }: Command): boolean {
  return nameOf(command) !== command && manyOf(command) === undefined
}

/** What a command takes one or more of: `replay <files..>` takes files. */
function manyOf(command: string): string | undefined {
  return /^\S+ <(\w+)\.\.>$/.exec(command)?.[1]
}

// Help and version; yargs would write them to the console itself.
function show(output: string, io: Io): boolean {
  if (output === '') return false
  io.stdout.write(`${output}\n`)
  return true
}

async function report(error: unknown, called: Command | undefined, io: Io): Promise<ExitCode> {
  if (error instanceof CommandError) {
    const lines = [error.message]
    if (error.exitCode === exitCodes.usage)
      lines.push(
        ...(await flagsMeant(error.message, called)),
        `See: gateway-sim ${called === undefined ? '' : `${nameOf(called.command)} `}--help`,
      )
    io.stderr.write(`gateway-sim: ${lines.join('\n')}\n`)
    return error.exitCode
  }
  io.stderr.write(
    `gateway-sim: this is a bug of gateway-sim, please report it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  return exitCodes.bug
}

// yargs suggests commands, not flags.
async function flagsMeant(message: string, called: Command | undefined): Promise<string[]> {
  const unknown = /^Unknown arguments?: (.+)$/.exec(message)?.[1]?.split(', ') ?? []
  if (unknown.length === 0) return []
  const { nearestWord } = await import('../protocol/nearest-word.ts')
  const flags = [...Object.keys(called?.flags ?? {}), 'help', 'version']
  return unknown.flatMap((word) => {
    const nearest = nearestWord(word, flags)
    return nearest === undefined ? [] : [`Did you mean --${nearest}?`]
  })
}
