/** The command line: reads the arguments, runs one command, gives its exit code. Knows nothing of what commands do. */
import yargs, { type Argv } from 'yargs'
import { type Command, CommandError, type ExitCode, exitCodes, type Io } from './command.ts'
import { openapi } from './openapi.ts'
import { reserved } from './reserved.ts'
import { routes } from './routes.ts'
import { serve } from './serve.ts'
import { version } from './version.ts'

/** Every command, in the order of `--help`. */
const commands: readonly Command[] = [serve, routes, reserved, openapi]

const epilogue = `Exit codes:
  0  ended as asked (serve: by SIGTERM or SIGINT)
  1  a bug of gateway-sim
  2  wrong usage: an unknown command or flag, or a value that cannot be
  3  a config, scenario or handlers file that cannot be used
  4  cannot listen on that host and port`

/** Runs one command line, the words behind the program's name. Never throws and never ends the process. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const called = commands.find(({ command }) => nameOf(command) === argv[0])
  try {
    return await (called === undefined || takesMore(called) ? runAny(argv, io) : runCommand(called, argv.slice(1), io))
  } catch (error) {
    return report(error, called, io)
  }
}

// Without yargs' commands: for each one that runs, they render a page of help that nobody asked for.
async function runCommand({ command, describe, builder, handler }: Command, argv: readonly string[], io: Io): Promise<ExitCode> {
  const parser = builder(prepared(io).usage(`$0 ${command}\n\n${describe}`))
  let shown = false
  const args = await parser.parseAsync([...argv], {}, (_error, _args, output) => {
    shown = show(output, io)
  })
  if (shown) return exitCodes.ok
  const { _: extra } = args as { readonly _: readonly (string | number)[] }
  if (extra.length > 0) throw new CommandError(exitCodes.usage, `Unknown argument: ${extra.join(', ')}`)
  return handler(args as never, io)
}

// The first word is no command (help, the version, a mistake, or a flag in front of it), or the command takes more than flags.
async function runAny(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  const parser = prepared(io).usage('$0 <command>\n\nA deterministic simulator of a multi-model AI gateway.').demandCommand(1, 1, 'Which command?', 'One command at a time.').recommendCommands().epilogue(epilogue)
  for (const { command, describe, builder, handler } of commands) {
    parser.command(command, describe, builder, async (args) => {
      code = await handler(args as never, io)
    })
  }
  await parser.parseAsync([...argv], {}, (_error, _args, output) => void show(output, io))
  return code
}

function prepared(io: Io): Argv {
  return (
    yargs([], io.cwd)
      .scriptName('gateway-sim')
      // Another language would be half a translation: our own texts are English.
      .locale('en')
      .parserConfiguration({ 'duplicate-arguments-array': false, 'boolean-negation': false })
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

// `replay <scenario>` is called replay.
function nameOf(command: string): string {
  return command.split(' ')[0] as string
}

function takesMore({ command }: Command): boolean {
  return nameOf(command) !== command
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
    if (error.exitCode === exitCodes.usage) lines.push(...(await flagsMeant(error.message, called)), `See: gateway-sim ${called === undefined ? '' : `${nameOf(called.command)} `}--help`)
    io.stderr.write(`gateway-sim: ${lines.join('\n')}\n`)
    return error.exitCode
  }
  io.stderr.write(`gateway-sim: this is a bug of gateway-sim, please report it: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
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
