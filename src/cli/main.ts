/** The command line: reads the arguments, runs one command, gives its exit code. Knows nothing of what commands do. */
import yargs from 'yargs'
import { type Command, CommandError, type ExitCode, exitCodes, type Io } from './command.ts'
import { reserved } from './reserved.ts'
import { routes } from './routes.ts'
import { serve } from './serve.ts'
import { version } from './version.ts'

/** Every command, in the order of `--help`. */
const commands: readonly Command[] = [serve, routes, reserved]

const epilogue = `Exit codes:
  0  ended as asked (serve: by SIGTERM or SIGINT)
  1  a bug of gateway-sim
  2  wrong usage: an unknown command or flag, or a value that cannot be
  3  a config, scenario or handlers file that cannot be used
  4  cannot listen on that host and port`

/** Runs one command line, the words behind the program's name. Never throws and never ends the process. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  const parser = yargs([...argv], io.cwd)
    .scriptName('gateway-sim')
    .usage('$0 <command>\n\nA deterministic simulator of a multi-model AI gateway.')
    // Another language would be half a translation: our own texts are English.
    .locale('en')
    .parserConfiguration({ 'duplicate-arguments-array': false, 'boolean-negation': false })
    .version(version)
    .alias({ help: 'h', version: 'v' })
    .strict()
    .demandCommand(1, 1, 'Which command?', 'One command at a time.')
    .recommendCommands()
    .epilogue(epilogue)
    .exitProcess(false)
    .fail((message: string | null, error) => {
      // Without a message it is what a handler threw.
      throw message === null ? error : new CommandError(exitCodes.usage, message)
    })
  for (const { command, describe, builder, handler } of commands) {
    parser.command(command, describe, builder, async (args) => {
      code = await handler(args as never, io)
    })
  }

  try {
    await parser.parseAsync([...argv], {}, (_error, _args, output) => {
      // Help and version; yargs would write them to the console itself.
      if (output !== '') io.stdout.write(`${output}\n`)
    })
    return code
  } catch (error) {
    return report(error, argv, io)
  }
}

async function report(error: unknown, argv: readonly string[], io: Io): Promise<ExitCode> {
  if (error instanceof CommandError) {
    const called = commands.find(({ command }) => command === argv[0])
    const lines = [error.message]
    if (error.exitCode === exitCodes.usage) lines.push(...(await flagsMeant(error.message, called)), `See: gateway-sim ${called === undefined ? '' : `${called.command} `}--help`)
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
  const { nearestWord } = await import('./nearest-word.ts')
  const flags = [...Object.keys(called?.flags ?? {}), 'help', 'version']
  return unknown.flatMap((word) => {
    const nearest = nearestWord(word, flags)
    return nearest === undefined ? [] : [`Did you mean --${nearest}?`]
  })
}
