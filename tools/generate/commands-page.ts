/** The page docs/reference/cli.md, from the commands and their flags. */

import type { Options } from 'yargs'
import { type Command as CommandModule, exitMeanings } from '../../src/cli/command.ts'
import type { CommandEntry } from '../../src/cli/commands.ts'
import { clientVariables } from '../../src/cli/exec/client-environment.ts'
import { failures } from '../../src/cli/exec/run-report.ts'
import { docsPage } from '../../src/protocol/docs-page.ts'
import { pageHead, pageTable } from './page-parts.ts'

/** A command with its row of the table. */
type Command = CommandModule & Pick<CommandEntry, 'name' | 'describe'>

export const loadCommands = (entries: readonly CommandEntry[]): Promise<Command[]> =>
  Promise.all(entries.map(async ({ name, describe, load }) => ({ name, describe, ...(await load()) })))

interface Flag {
  readonly name: string
  /** A short form: `o`. */
  readonly alias: string | undefined
  /** The values in words; empty if the flag takes none. */
  readonly type: string
  readonly default: string
  readonly description: string
}

/** The text of docs/reference/cli.md. */
export function commandsPage(commands: readonly Command[]): string {
  const shared = sharedFlags(commands)
  const description = 'All commands, flags and exit codes.'
  return `${pageHead('Command line', description, 'src/cli')}
If a flag that is not repeatable occurs several times, the last value applies. A base URL can end in \`/v1\`.
An *operation* is an id (\`chat.create\`) or a group (\`videos.*\`). \`NO_COLOR\` disables colours, and
\`FORCE_COLOR\` enables them. A flag with the name of a [setting](settings.md) overrides it.

${commands.map((command) => sectionOf(command, shared)).join('\n')}
## Shared flags

${[...shared.values()].map(flagLine).join('')}
## Exit codes

${pageTable(
  ['Code', 'Meaning'],
  exitMeanings.map(([code, meaning]) => [code, meaning]),
)}`
}

/** The flags that are the same in several commands, each described once. */
function sharedFlags(commands: readonly Command[]): ReadonlyMap<string, Flag> {
  const seen = new Map<string, Flag>()
  const shared = new Map<string, Flag>()
  for (const flag of commands.flatMap(flagsOf)) {
    const id = JSON.stringify(flag)
    if (seen.has(id)) shared.set(id, flag)
    seen.set(id, flag)
  }
  return shared
}

function sectionOf(command: Command, shared: ReadonlyMap<string, Flag>): string {
  const { name, describe, examples } = command
  const isShared = (flag: Flag): boolean => shared.has(JSON.stringify(flag))
  const flags = flagsOf(command)
  const ownFlags = flags.filter((flag) => !isShared(flag))
  const sharedNames = flags.filter(isShared).map((flag) => `\`--${flag.name}\``)
  // The first example is often the usage alone.
  const [[example] = ['']] = examples.slice(0, 2).reverse()
  const parts = [
    `## ${name}\n\n${describe}.\n\n\`\`\`sh\nnpx ${example}\n\`\`\`\n`,
    ownFlags.map(flagLine).join(''),
    sharedNames.length === 0 ? '' : `[Shared flags](#shared-flags): ${sharedNames.join(', ')}.\n`,
    name === 'exec' ? execNotes() : '',
  ]
  return parts.filter((part) => part !== '').join('\n')
}

/** The flag, its description, and what these do not show: the values, the default, whether it repeats. */
function flagLine({ name, alias, type, default: byDefault, description }: Flag): string {
  // The page says this once.
  const text = description.replace(/, with or without \/v1|: an id \(chat\.create\).*?\(videos\.\*\)/, '')
  const placeholder = type === '' ? '' : '=<value>'
  const short = alias === undefined ? '' : `, \`-${alias}\``
  const choices = type.startsWith('`') ? ` (${type})` : ''
  const repeatable = type.endsWith('repeatable') && !text.includes('repeat') ? '; repeatable' : ''
  const otherwise = byDefault === '' ? '' : `; default: ${byDefault}`
  return `- \`--${name}${placeholder}\`${short}: ${text}${choices}${repeatable}${otherwise}\n`
}

const flagsOf = ({ flags }: Command): Flag[] =>
  Object.entries(flags).map(([name, flag]) => ({
    name,
    alias: typeof flag.alias === 'string' ? flag.alias : undefined,
    type: valueCell(flag),
    default: defaultCell(flag),
    description: String(flag.describe ?? ''),
  }))

function execNotes(): string {
  const names = Object.entries(clientVariables('<url>', '<key>'))
  const values = [...new Set(names.map(([, value]) => value))]
  return `\`exec\` sets these environment variables and adds the host of the simulator to \`NO_PROXY\`:

${pageTable(
  ['Value', 'Variables'],
  values.map((value) => [
    `\`${value}\``,
    names.flatMap(([name, one]) => (one === value ? [`\`${name}\``] : [])).join(', '),
  ]),
)}
- \`<key>\` is the first API key in the scenarios or settings. \`exec\` replaces all other API keys of these
  SDKs and removes variables that select a different service.
- \`GATEWAY_SIM_CONTROL_TOKEN\` is also set if the control API requires a token.
- Unlike Anthropic's SDK, \`@ai-sdk/anthropic\` does not append \`/v1\`: pass
  \`baseURL: process.env.ANTHROPIC_BASE_URL + '/v1'\`.

\`exec\` exits with the exit code of the command. A bug in the simulator always fails the run.
\`--fail-on\` adds reasons to fail:

${pageTable(
  ['Value', 'Reason'],
  Object.entries(failures).map(([name, meaning]) => [
    `\`${name}\``,
    meaning.replace(docsPage('findings'), '[findings](findings.md)'),
  ]),
)}`
}

function valueCell({ type, choices, array, requiresArg, default: defaultValue }: Options): string {
  const repeatable = array === true ? ', repeatable' : ''
  if (typeof defaultValue === 'number') return `number${repeatable}`
  if (choices !== undefined)
    return `${choices.map((choice) => `\`${String(choice)}\``).join(', ')}${repeatable}`
  const takesValue = type !== 'boolean' && (requiresArg === true || type === 'string')
  return `${takesValue ? 'string' : ''}${repeatable}`
}

function defaultCell({ default: value, defaultDescription }: Options): string {
  return defaultDescription ?? (value === undefined || value === false ? '' : `\`${String(value)}\``)
}
