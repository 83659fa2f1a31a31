/** Writes docs/reference/simulator-options.md from the comments of the type. */
import { readFileSync } from 'node:fs'
import { wrap } from '../../src/text/printable.ts'
import { nounPhrase, pageHead, pageTable, splitDefault } from './page-parts.ts'

const source = 'src/core/simulator-options.ts'

/** Options that override a setting, which the page of the settings describes. */
const overridden: Readonly<Record<string, string>> = {
  seed: 'seed',
  clock: 'clock.mode',
  start: 'clock.start',
  speed: 'clock.speed',
  strict: 'strict',
  publicUrl: 'publicUrl',
}

/** Types with unclear names: their values, or the page that describes them. */
const types: Readonly<Record<string, string>> = {
  ClockMode: valuesOf('src/engine/clock.ts', 'ClockMode'),
  SettingsInput: '[settings](settings.md)',
}

function valuesOf(file: string, type: string): string {
  const [, union = ''] = new RegExp(`type ${type} = (.*)`).exec(readFileSync(file, 'utf8')) ?? []
  return [...union.matchAll(/'[^']*'/g)].map(([value]) => `\`${value}\``).join(', ')
}

interface Option {
  readonly name: string
  readonly type: string
  readonly comment: string
}

/** The options of `createSimulator`, as they are declared. */
function simulatorOptions(): Option[] {
  const [, body = ''] =
    /export interface SimulatorOptions \{\n([\s\S]*?)\n\}/.exec(readFileSync(source, 'utf8')) ?? []
  return [...body.matchAll(/\/\*\*([\s\S]*?)\*\/\n {2}readonly (\w+)\?: (.*)/g)].map(
    ([, comment = '', name = '', type = '']) => ({
      name,
      type: type.replace(' | undefined', ''),
      comment: comment.replaceAll(/\s+\*? ?/g, ' ').trim(),
    }),
  )
}

/** The text of docs/reference/simulator-options.md. */
export function optionsPage(): string {
  const description = 'All options of createSimulator.'
  return `${pageHead('Simulator options', description, source)}
All options are optional. \`createSession\` takes \`name\` or \`title\`, \`seed\`, \`clock\`, \`start\`,
\`speed\` and \`scenarios\`; the defaults are the options of the simulator.

${settingsLine()}

${pageTable(
  ['Option', 'Description'],
  simulatorOptions()
    .filter(({ name }) => overridden[name] === undefined)
    .map(rowOf),
)}`
}

function settingsLine(): string {
  const pairs = Object.entries(overridden).map(([name, setting]) =>
    name === setting ? `\`${name}\`` : `\`${name}\` (\`${setting}\`)`,
  )
  const about = 'These options override the [setting](settings.md) of the same name, or in parentheses'
  return wrap(
    '',
    `${about}: ${pairs.join(', ')}. \`start\` also takes milliseconds since the epoch.`,
    110,
  ).join('\n')
}

function rowOf({ name, type, comment }: Option): string[] {
  const { text: described, fallback } = splitDefault(comment)
  const text = nounPhrase(described)
  const bare = type.replace(/^\((.*)\)$/, '$1')
  const shown = types[bare] ?? `\`${bare.replace('readonly ', '')}\``
  const isPlain = /^`(?:string|boolean|number|string \| number)`$/.test(shown)
  const values = [...shown.matchAll(/`'(\w+)'`/g)].map(([, value]) => `\`${value as string}\``)
  const isNamed = values.length > 0 && values.every((value) => text.includes(value))
  const typed = isPlain || isNamed ? text : text.replace(/\.(?= [A-Z]|$)/, ` (${shown}).`)
  return [`\`${name}\``, fallback === '' ? typed : `${typed} Default: ${fallback}.`]
}
