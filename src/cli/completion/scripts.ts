/** Completion scripts for shells. They contain all names: completing a word starts no program. */
import type { Options } from 'yargs'
import type { Command } from '../command.ts'
import { bashFunction, zshFunction } from './shell-functions.ts'

/** The script for each shell. */
export const scripts: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: (commands) => `${wordsFunction(commands)}\n${bashFunction}`,
  zsh: (commands) => `${wordsFunction(commands)}\n${zshFunction}`,
  fish: fishScript,
}

const nameOf = ({ command }: Command): string => command.split(' ')[0] as string
const globalFlags = ['--help', '--version']

/**
 * A function for bash and zsh. It prints the words that can follow: nothing where a file or another value is
 * expected. Names contain only letters, digits and hyphens: nothing needs quotes.
 */
function wordsFunction(commands: readonly Command[]): string {
  const names = commands.map(nameOf).join(' ')
  return `# Arguments: the command, the previous word, the current word
_gateway_sim_words() {
  case $1 in
    '') echo ${names} help ${globalFlags.join(' ')} ;;
    help) echo ${names} ;;
${commands.map(caseOf).join('')}  esac
}
`
}

function caseOf(command: Command): string {
  const flags = Object.entries(command.flags)
  const withChoices = flags.map(([name, flag]) =>
    flag.choices === undefined ? '' : `      ${patternOf([name, flag])}) echo ${flag.choices.join(' ')} ;;\n`,
  )
  const withValue = flags.filter(([, flag]) => flag.choices === undefined && flag.type !== 'boolean')
  const values = withValue.length === 0 ? '' : `      ${withValue.map(patternOf).join('|')}) ;;\n`
  const all = [...flags.map(([name]) => `--${name}`), ...globalFlags].join(' ')
  const positional = command.actions === undefined ? '' : ` echo ${command.actions.join(' ')}`
  const rest = /[<[]/.test(command.command)
    ? `case $3 in -*) echo ${all} ;; *)${positional} ;; esac`
    : `echo ${all}`
  return `    ${nameOf(command)}) case $2 in
${withChoices.join('')}${values}      *) ${rest} ;;
    esac ;;
`
}

/** `--output|-o`. */
const patternOf = ([name, { alias }]: readonly [string, Options]): string =>
  [`--${name}`, ...(typeof alias === 'string' ? [`-${alias}`] : [])].join('|')

function fishScript(commands: readonly Command[]): string {
  const line = (condition: string, rest: string): string =>
    `complete -c gateway-sim -n ${condition} ${rest}\n`
  const after = (name: string): string => `'__fish_seen_subcommand_from ${name}'`
  const none = '__fish_use_subcommand'
  const names = commands.map((command) =>
    line(none, `-f -a ${nameOf(command)} -d ${quoted(command.describe)}`),
  )
  const flags = commands.flatMap((command) => {
    const condition = after(nameOf(command))
    const actions = command.actions?.join(' ')
    return [
      ...(actions === undefined ? [] : [line(condition, `-f -a '${actions}'`)]),
      ...Object.entries(command.flags).map(([name, flag]) => line(condition, fishFlag(name, flag))),
      line(condition, '-s h -l help -d "Show help"'),
    ]
  })
  const helped = line(after('help'), `-f -a '${commands.map(nameOf).join(' ')}'`)
  return `${names.join('')}${line(none, "-f -a help -d 'Show help'")}${helped}${flags.join('')}`
}

function fishFlag(name: string, { alias, choices, type, describe = '' }: Options): string {
  const short = typeof alias === 'string' ? `-s ${alias} ` : ''
  const value = choices === undefined ? (type === 'boolean' ? '' : ' -r') : ` -x -a '${choices.join(' ')}'`
  return `${short}-l ${name}${value} -d ${quoted(describe)}`
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
