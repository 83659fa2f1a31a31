/** The page docs/reference/cli.md, from the commands and their flags. */
import type { Options } from 'yargs'
import { type Command, exitMeanings } from '../../src/cli/command.ts'
import { clientVariables } from '../../src/cli/exec/exec-command.ts'
import { failures } from '../../src/cli/flags.ts'
import { markdownTable } from '../../src/text/printable.ts'
import { pageHead } from './page-head.ts'

/** The text of docs/reference/cli.md. */
export function commandsPage(commands: readonly Command[]): string {
  return `${pageHead('Command line', 'Every command of gateway-sim with its flags.', 'src/cli')}
${commands.map(linkTo).join('\n')}

Every command has \`--help\` and \`--version\`. The last occurrence of a flag wins, unless the flag is
repeatable. Output in a terminal is coloured; \`NO_COLOR\` and \`FORCE_COLOR\` override this.

${commands.map(sectionOf).join('\n')}
## Exit codes

${markdownTable(
  ['Code', 'Meaning'],
  exitMeanings.map(([code, meaning]) => [code, meaning]),
)}`
}

function linkTo(command: Command): string {
  const name = nameOf(command)
  return `- [\`gateway-sim ${name}\`](#gateway-sim-${name}): ${lowerFirst(command.describe)}`
}

function sectionOf(command: Command): string {
  const { describe, examples, flags, rest } = command
  const rows = Object.entries(flags).map(([name, flag]) => [
    `\`--${name}\``,
    valueCell(flag),
    defaultCell(flag),
    String(flag.describe ?? ''),
  ])
  const usage = [
    `gateway-sim ${command.command}`,
    ...(rows.length === 0 ? [] : ['[flags]']),
    ...(rest === undefined ? [] : [`-- <${rest}>`]),
  ].join(' ')
  const notes = nameOf(command) === 'exec' ? `\n${execNotes()}` : ''
  return `## gateway-sim ${nameOf(command)}

    ${usage}

${describe}.

\`\`\`sh
${examples.map(([commandLine, what]) => `# ${what}\n${commandLine}\n`).join('')}\`\`\`
${rows.length === 0 ? '' : `\n${markdownTable(['Flag', 'Type', 'Default', 'Description'], rows)}`}${notes}`
}

function execNotes(): string {
  return `\`exec\` passes the arguments on verbatim, shares its standard streams and forwards signals. It
sets these environment variables:

${markdownTable(
  ['Variable', 'Value'],
  Object.entries(clientVariables('<url>', '<key>')).map(([name, value]) => [`\`${name}\``, `\`${value}\``]),
)}
- The API key is the first one in the scenarios or the settings. \`exec\` sets
  \`GATEWAY_SIM_CONTROL_TOKEN\` if the control API requires a token.
- \`GOOGLE_API_KEY\`, \`GOOGLE_GENERATIVE_AI_API_KEY\` and \`OPENAI_ADMIN_KEY\` are replaced if they are set:
  no real key leaves the machine. \`exec\` removes variables that select another service (Vertex AI, other
  tokens and profiles), and adds its host to \`NO_PROXY\`.
- \`@ai-sdk/anthropic\` reads \`ANTHROPIC_BASE_URL\` but, does not append \`/v1\` as Anthropic's
  SDK does: pass \`baseURL: process.env.ANTHROPIC_BASE_URL + '/v1'\`.

After the command, \`exec\` prints a summary of the requests of all sessions and the findings to stderr;
\`--report\` writes it to files. Values of \`--fail-on\`:

${markdownTable(
  ['Value', 'Fails the run on'],
  Object.entries(failures).map(([name, meaning]) => [`\`${name}\``, meaning]),
)}
A bug in the simulator always fails the run. If the command fails, \`exec\` exits with its exit code.
`
}

function nameOf({ command }: Command): string {
  return command.split(' ')[0] as string
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function valueCell({ type, choices, array, requiresArg, default: defaultValue }: Options): string {
  const value =
    typeof defaultValue === 'number'
      ? 'number'
      : choices !== undefined
        ? choices.map((choice) => `\`${String(choice)}\``).join(', ')
        : type === 'boolean'
          ? 'none'
          : requiresArg === true || type === 'string'
            ? 'string'
            : ''
  return array === true ? `${value}; repeatable` : value
}

function defaultCell({ default: value, defaultDescription }: Options): string {
  return defaultDescription ?? (value === undefined || value === false ? '' : `\`${String(value)}\``)
}
