/** The page docs/reference/cli.md, from the commands and their flags. */

import type { Options } from 'yargs'
import { type Command as CommandModule, exitMeanings } from '../../src/cli/command.ts'
import type { CommandEntry } from '../../src/cli/commands.ts'
import { clientVariables } from '../../src/cli/exec/client-environment.ts'
import { failures } from '../../src/cli/exec/run-report.ts'
import { docsPage } from '../../src/protocol/docs-page.ts'
import { wrap } from '../../src/text/printable.ts'
import { pageHead, pageTable } from './page-parts.ts'

/** A command with its row of the table. */
type Command = CommandModule & Pick<CommandEntry, 'name' | 'describe'>

export const loadCommands = (entries: readonly CommandEntry[]): Promise<Command[]> =>
  Promise.all(entries.map(async ({ name, describe, load }) => ({ name, describe, ...(await load()) })))

interface Row {
  readonly type: string
  readonly default: string
  readonly description: string
  /** A short form: `o`. */
  readonly alias?: string
}

/** Flags that several commands share, by name and description; described once, at the end of the page. */
type Shared = ReadonlyMap<string, SharedRow>

interface SharedRow extends Row {
  readonly name: string
  readonly commands: readonly string[]
}

/** The text of docs/reference/cli.md. */
export function commandsPage(commands: readonly Command[]): string {
  const shared = sharedFlags(commands)
  const description = 'All commands, flags and exit codes.'
  return `${pageHead('Command line', description, 'src/cli')}
If a flag that is not repeatable occurs several times, the last value applies. A base URL can end in \`/v1\`.
An *operation* is an id (\`chat.create\`) or a group (\`videos.*\`). \`NO_COLOR\` disables colours, and
\`FORCE_COLOR\` enables them.

${wrap('', `${plainFormats(commands)} print JSON with \`--format json\`.`, 110).join('\n')}

${commands.map((command) => sectionOf(command, shared)).join('\n')}
## Server flags

These flags override the [setting](settings.md) in parentheses:

${settingFlags(shared)}

\`GATEWAY_SIM_CONTROL_TOKEN\` also sets the token.

${flagList(groupOf(shared, 'server').filter(([name]) => flagSettings[name] === undefined))}
## Client flags

${flagList(groupOf(shared, 'client'))}
## Shared flags

${flagList(groupOf(shared, 'other'))}
## Exit codes

${pageTable(
  ['Code', 'Meaning'],
  exitMeanings.map(([code, meaning]) => [code, meaning]),
)}`
}

/** The settings that flags of the server override; the page of the settings describes them. */
const flagSettings: Readonly<Record<string, string>> = {
  seed: 'seed',
  clock: 'clock.mode',
  start: 'clock.start',
  speed: 'clock.speed',
  'public-url': 'publicUrl',
  strict: 'strict',
  explain: 'explain',
  'control-token': 'control.token',
}

function settingFlags(shared: Shared): string {
  const cells = groupOf(shared, 'server').flatMap(([name, row]) => {
    const setting = flagSettings[name]
    return setting === undefined ? [] : [`${flagCell(name, row)} (\`${setting}\`)`]
  })
  return wrap('', `${cells.join(', ')}.`, 110).join('\n')
}

type Group = 'server' | 'client' | 'other'

/** Where the page describes a shared flag: with those of `serve`, of `journal`, or of other commands. */
function groupIn({ commands }: SharedRow): Group {
  if (commands.includes('serve') && commands.includes('exec')) return 'server'
  return commands.includes('journal') ? 'client' : 'other'
}

const groupOf = (shared: Shared, group: Group): (readonly [name: string, row: Row])[] =>
  [...shared.values()].filter((row) => groupIn(row) === group).map((row) => [row.name, row])

const flagList = (entries: readonly (readonly [name: string, row: Row])[]): string =>
  entries.map(([name, row]) => `- ${flagCell(name, row)}: ${descriptionOf(row)}\n`).join('')

/** The flag with its short form, and a placeholder if it takes a value. */
const flagCell = (name: string, { alias, type }: Row): string =>
  `\`--${name}${type === '' ? '' : '=<value>'}\`${alias === undefined ? '' : `, \`-${alias}\``}`

/** The description, and what the placeholder does not say: the values, the default, whether it repeats. */
function descriptionOf(row: Row): string {
  const { type } = row
  // The page says this once.
  const description = row.description.replace(
    /, with or without \/v1|: an id \(chat\.create\).*?\(videos\.\*\)/,
    '',
  )
  const choices = type.startsWith('`') ? ` (${type})` : ''
  const repeatable = type.endsWith('repeatable') && !description.includes('repeat') ? '; repeatable' : ''
  const byDefault = row.default === '' ? '' : `; default: ${row.default}`
  return `${description}${choices}${repeatable}${byDefault}`
}

/** Whether a flag only chooses between text and JSON. The page names the commands that have it once. */
const isPlainFormat = ([name, row]: readonly [name: string, row: Row]): boolean =>
  name === 'format' && row.type === '`pretty`, `json`' && row.description === 'Output format'

const plainFormats = (commands: readonly Command[]): string =>
  commands
    .filter(({ flags }) => Object.entries(flags).some(([name, flag]) => isPlainFormat([name, rowOf(flag)])))
    .map((command) => `\`${command.name}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ')

function sharedFlags(commands: readonly Command[]): Shared {
  const shared = new Map<string, SharedRow>()
  for (const command of commands)
    for (const [name, flag] of Object.entries(command.flags)) {
      const row = rowOf(flag)
      if (isPlainFormat([name, row])) continue
      const id = sharedId(name, row)
      const seen = shared.get(id)
      if (seen === undefined) shared.set(id, { ...row, name, commands: [command.name] })
      else
        shared.set(id, {
          ...seen,
          default: combinedDefault(seen.default, row.default, command.name),
          commands: [...seen.commands, command.name],
        })
    }
  return new Map([...shared].filter(([, { commands: users }]) => users.length > 1))
}

const sharedId = (name: string, { type, description }: Row): string => [name, type, description].join('|')

/** The default of several commands: `4010`; `0` for `exec` and `record`. */
function combinedDefault(seen: string, next: string, command: string): string {
  const [before, now] = [seen, next].map((text) => text.replaceAll('`', '')) as [string, string]
  if (before === now || before.endsWith(` ${now}`)) return seen
  const other = `${next === '' ? 'none' : next} for `
  return seen.includes(`; ${other}`) ? `${seen} and \`${command}\`` : `${seen}; ${other}\`${command}\``
}

function sectionOf(command: Command, shared: Shared): string {
  const { name, describe, examples, flags } = command
  const all = Object.entries(flags).map(([flag, options]) => [flag, rowOf(options)] as const)
  const others = [...shared.values()].filter(({ commands }) => commands.includes(name))
  const own = all.filter((one) => !isPlainFormat(one) && !shared.has(sharedId(...one)))
  // The first example is often the usage alone.
  const [[example] = ['']] = examples.slice(0, 2).reverse()
  const notes = name === 'exec' ? `\n${execNotes()}` : ''
  return `## ${name}

${describe}.

\`\`\`sh
npx ${example}
\`\`\`
${ownFlags(own)}${otherFlags(others, shared)}${notes}`
}

function ownFlags(own: readonly (readonly [name: string, row: Row])[]): string {
  return own.length === 0 ? '' : `\n${flagList(own)}`
}

function otherFlags(others: readonly SharedRow[], shared: Shared): string {
  const lines = (['server', 'client', 'other'] as const).flatMap((group) => {
    const used = others.filter((row) => groupIn(row) === group)
    if (used.length === 0) return []
    const isWhole = group !== 'other' && used.length === groupOf(shared, group).length
    const names = isWhole ? 'all' : used.map(({ name }) => `\`--${name}\``).join(', ')
    return [`${links[group]}: ${names}.`]
  })
  return lines.length === 0 ? '' : `\n${lines.join(' ')}\n`
}

const links: Readonly<Record<Group, string>> = {
  server: '[Server flags](#server-flags)',
  client: '[Client flags](#client-flags)',
  other: '[Shared flags](#shared-flags)',
}

function rowOf(flag: Options): Row {
  return {
    ...(typeof flag.alias === 'string' ? { alias: flag.alias } : {}),
    type: valueCell(flag),
    default: defaultCell(flag),
    description: String(flag.describe ?? ''),
  }
}

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
\`--fail-on\` adds
reasons to fail:

${pageTable(
  ['Value', 'Reason'],
  Object.entries(failures).map(([name, meaning]) => [
    `\`${name}\``,
    meaning.replace(docsPage('findings'), '[findings](findings.md)'),
  ]),
)}`
}

function valueCell({ type, choices, array, requiresArg, default: defaultValue }: Options): string {
  const value =
    typeof defaultValue === 'number'
      ? 'number'
      : choices !== undefined
        ? choices.map((choice) => `\`${String(choice)}\``).join(', ')
        : type === 'boolean'
          ? ''
          : requiresArg === true || type === 'string'
            ? 'string'
            : ''
  return array === true ? `${value}, repeatable` : value
}

function defaultCell({ default: value, defaultDescription }: Options): string {
  return defaultDescription ?? (value === undefined || value === false ? '' : `\`${String(value)}\``)
}
