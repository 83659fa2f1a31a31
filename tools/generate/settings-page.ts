/**
 * Writes docs/reference/settings.md from the JSON Schema of the settings. Supports the parts of JSON Schema
 * that they use.
 */
import { type Bound, bounds } from '../../src/sessions/bounds.ts'
import {
  pageHead,
  pageTable,
  shownDefault,
  splitDefault,
  type ValueSchema,
  valueWords,
} from './page-parts.ts'

/** The text of docs/reference/settings.md. */
export function settingsPage(schema: unknown): string {
  const { properties = {} } = schema as ValueSchema
  const plain = Object.entries(properties).filter(([, one]) => one.properties === undefined)
  const description = 'Every setting of the configuration file, by section, with type and default.'
  const sections = Object.entries(properties).filter(([, one]) => one.properties !== undefined)
  return `${pageHead('Settings', description, 'src/protocol/settings')}
\`serve\`, \`exec\`, \`replay\` and \`validate\` read \`gateway-sim.config.yaml\`, \`.yml\` or \`.json\`
in the current folder, or the file that \`--config\` names. Flags override the file, and the file overrides
the settings of scenarios. The library reads no file: it takes the same settings as
\`createSimulator({ settings })\`.

\`\`\`yaml
# yaml-language-server: $schema=node_modules/gateway-sim/schema/config.schema.json
seed: fox-7
clock: { mode: manual }
keys: { sk-alice: { models: [gpt-4o, sora-2] }, sk-bob: {} }
limits: { requestsPerMinute: 60 }
videos: { duration: 90s }
\`\`\`

All settings are optional. A duration is a string such as \`350ms\`, \`5s\` or \`1h30m\`, or a number of
milliseconds, always of virtual time. \`*\` at the end of a model id matches any ending.

## Top level

${settingsTable(plain.flatMap(([name, one]) => rowsOf(one, name)))}
${sections.map(([name, one]) => `## ${name}\n\n${settingsTable(rowsBelow(one, `${name}.`))}`).join('\n')}
Model ids that fit \`models.messages\`: \`claude-3-5-sonnet-20241022\`, \`claude-3-5-haiku-20241022\`,
\`claude-3-opus-20240229\`, \`claude-3-sonnet-20240229\`, \`claude-3-haiku-20240307\`.

## What is evicted

Everything that is kept has a bound. Evictions are counted for each session in \`GET /__sim/jobs\` and for
all sessions in \`GET /__sim/health\`. The first of each kind prints a warning that names the setting.
Rendered media are rendered again when requested, and the journal cuts a body at 64 KiB: neither counts. A
session takes 1,000 overrides and rejects the next (409).

${pageTable(['Count', 'Bound', 'Later requests get'], boundRows())}`
}

const settingsTable = (rows: readonly (readonly string[])[]): string =>
  pageTable(['Setting', 'Type', 'Default', 'Description'], rows)

function boundRows(): string[][] {
  const boundOf = ({ settings, fixed = '' }: Bound): string =>
    settings?.map((name) => `\`memory.${name}\``).join(', ') ?? fixed
  return Object.entries(bounds).map(([kind, bound]) => [`\`${kind}\``, boundOf(bound), bound.later])
}

function rowsBelow({ properties = {} }: ValueSchema, path: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => rowsOf(schema, `${path}${name}`))
}

function rowsOf(schema: ValueSchema, path: string): string[][] {
  if (path === '$schema') return []
  if (schema.properties !== undefined) return rowsBelow(schema, `${path}.`)
  const value = schema.additionalProperties
  const inner = [
    ...(typeof value === 'object' ? rowsBelow(value, `${path}.<name>.`) : []),
    ...(schema.anyOf ?? []).flatMap((one) => rowsBelow(one, `${path}.`)),
  ]
  const { text, fallback } = splitDefault(schema.description ?? '')
  const byDefault = shownDefault(schema.default)
  // Every model id may end in `*`, which is said once.
  const short = text
    .replace(' (`*` matches any ending)', '')
    .replace(/ ?\(docs\/[\w/]+\.md\)|: docs\/[\w/]+\.md lists five that fit/, '')
  return [
    [
      `\`${path}\``,
      valueWords(schema),
      (byDefault === '' ? fallback : byDefault).replace(
        / defaults to (\w+), the library to /,
        ' $1, library ',
      ),
      short,
    ],
    ...inner,
  ]
}
