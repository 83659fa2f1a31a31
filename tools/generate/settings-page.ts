/**
 * Writes docs/reference/settings.md from the JSON Schema of the settings. Supports the parts of JSON Schema
 * that they use.
 */
import { pageHead, pageTable, shownDefault, splitDefault, valueWords } from './page-parts.ts'
import type { TypedSchema } from './schema-type.ts'

/** The text of docs/reference/settings.md. */
export function settingsPage(schema: unknown): string {
  const { properties = {} } = schema as TypedSchema
  const plain = Object.entries(properties).filter(([, one]) => !isSection(one))
  const description = 'All settings with their types and defaults.'
  const sections = Object.entries(properties).filter(([, one]) => isSection(one))
  return `${pageHead('Settings', description, 'src/protocol/settings')}
\`serve\`, \`exec\`, \`replay\` and \`validate\` read \`gateway-sim.config.yaml\`, \`.yml\` or \`.json\`
in the current folder, or the file in \`--config\` ([example](../ci/shared-server.md#settings)). Flags
override the file, and the file overrides settings in scenarios. In the library, use
\`createSimulator({ settings })\`.

All settings are optional. Settings with several values are lists. A duration is a string such as \`350ms\`
or \`1h30m\`, or a number of milliseconds, in virtual time. Sizes are in bytes; 1 MiB is 1048576. \`*\` at the
end of a model id matches any ending.

## Top level

${settingsTable(plain.flatMap(([name, one]) => rowsOf(one, name)))}
${sections.map(([name, one]) => `## ${name}\n\n${settingsTable(rowsBelow(one, `${name}.`))}`).join('\n')}
## Evictions

A session keeps the requests of its journal, its jobs and files, and counts (of repeated requests, of
rules, of API keys) within \`memory.items\` and \`memory.bytes\`. The oldest go first, whatever they are; a
poll makes its job the youngest. A 404 for something that the session does not have says how much it has
evicted; a verification that evicted requests could change is inconclusive. \`GET /__sim/jobs\` counts the
evictions of a session (\`evicted\`), and \`GET /__sim/health\` all evictions. The first prints a warning. A
session rejects more than 1,000 overrides (409).
`
}

/** A group of one or two settings is shown with those at the top level. */
const isSection = (one: TypedSchema): boolean => one.properties !== undefined && rowsBelow(one, '').length > 2

const settingsTable = (rows: readonly (readonly string[])[]): string =>
  pageTable(['Setting', 'Default', 'Description'], rows)

function rowsBelow({ properties = {} }: TypedSchema, path: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => rowsOf(schema, `${path}${name}`))
}

function rowsOf(schema: TypedSchema, path: string): string[][] {
  if (path === '$schema') return []
  if (schema.properties !== undefined) return rowsBelow(schema, `${path}.`)
  const value = schema.additionalProperties
  const inner = [
    ...(typeof value === 'object' ? rowsBelow(value, `${path}.<name>.`) : []),
    ...(schema.anyOf ?? []).flatMap((one) => rowsBelow(one, `${path}.`)),
  ]
  const { text, fallback } = splitDefault(schema.description ?? '')
  // The page says once that every model id may end in `*`. The files it links from hover texts are left out.
  const short = text.replace(' (`*` matches any ending)', '').replace(/ ?\([^()]*docs\/[\w/]+\.md\)/, '')
  const byDefault = defaultOf(schema, path) || fallback
  const type = typeOf(schema, path, short)
  return [[`\`${path}\``, byDefault, path === 'strict' ? short : withType(short, type)], ...inner]
}

/** A description with the type at the end of its first sentence. */
const withType = (text: string, type: string): string =>
  type === ''
    ? text
    : text.replace(/(\))?\.(?= [A-Z`]|$)/, (_, end) => (end === undefined ? ` (${type}).` : `; ${type}).`))

/** The type of a setting, unless its name, default or description shows it. */
function typeOf(schema: TypedSchema, path: string, text: string): string {
  const type = valueWords(schema)
  if (isSize(path) || /^(?:string|boolean|integer|number|duration|timestamp|URL)$/.test(type)) return ''
  if (type === 'list of strings') return ''
  if (shownDefault(schema.default) !== '' && type === 'map of strings') return ''
  const values = [...type.matchAll(/`[^`]+`/g)].map(([value]) => value)
  if (values.length > 0 && values.every((value) => text.includes(value))) return ''
  return type
    .replace(/^map of (?:strings|objects)$/, 'map')
    .replace('map of list of', 'lists of')
    .replace(/^(?:integer|number) (?=\d|up)/, '')
}

const isSize = (path: string): boolean => /Bytes(?:InAll)?$/.test(path)

/** A size in whole mebibytes is easier to read in these. */
function defaultOf({ default: value }: TypedSchema, path: string): string {
  const mebibytes = Number(value) / 2 ** 20
  return isSize(path) && mebibytes >= 1 ? `${mebibytes} MiB` : shownDefault(value)
}
