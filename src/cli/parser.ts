/** How yargs is set up for a command, and what has to be done around it. */
import yargs, { type Argv } from 'yargs'
import { version } from '../text/version.ts'
import { type Command, CommandError, exitCodes, type Io } from './command.ts'

/** A parser without commands of its own; it throws instead of printing and exiting. */
export function createParser(io: Io, command?: Command): Argv {
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

export function parserConfiguration(command?: Command) {
  return {
    // Without it, yargs would also keep only the last element of every list.
    'duplicate-arguments-array': command !== undefined && hasLists(command),
    'greedy-arrays': false,
    'boolean-negation': false,
    'parse-positional-numbers': false,
  }
}

/** The arguments for a command's handler: of a flag that is not a list, the last occurrence wins. */
export function argsOf(
  parsed: Readonly<Record<string, unknown>>,
  { flags }: Command,
): Readonly<Record<string, unknown>> {
  const last = Object.entries(flags).flatMap(([name, { array }]) => {
    const value = parsed[name]
    return array !== true && Array.isArray(value) ? [[name, value.at(-1)]] : []
  })
  return { ...parsed, ...Object.fromEntries(last) }
}

/**
 * Turns `--scenario a.yaml b.yaml` into `--scenario a.yaml --scenario b.yaml`: a command without positional
 * arguments leaves all of them to the list before them.
 */
export function repeatListFlags(argv: readonly string[], { flags }: Command): string[] {
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
export function nameOf({ command }: Command): string {
  return command.split(' ')[0] as string
}

/** The name of a variadic argument: `files` for `replay <files..>`. */
export function variadicOf({ command }: Command): string | undefined {
  return /^\S+ <(\w+)\.\.>$/.exec(command)?.[1]
}

function hasLists(command: Command): boolean {
  return variadicOf(command) !== undefined || Object.values(command.flags).some(({ array }) => array === true)
}
