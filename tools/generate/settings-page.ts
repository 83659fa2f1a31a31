/**
 * Writes docs/reference/settings.md from the JSON Schema of the settings. Supports the parts of JSON Schema
 * the settings use.
 */
import { type Bound, bounds } from '../../src/sessions/bounds.ts'
import { markdownTable } from '../../src/text/printable.ts'
import { pageHead } from './page-head.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
}

/** The text of docs/reference/settings.md. */
export function settingsPage(schema: unknown): string {
  const description = 'Every setting of the configuration file, with type and default.'
  return `${pageHead('Settings', description, 'src/protocol/settings')}
Every setting of \`gateway-sim.config.yaml\` and of \`createSimulator({ settings })\`. All are optional;
[configuration.md](../configuration.md) shows a file. A duration is text (\`350ms\`, \`5s\`, \`1h30m\`) or
milliseconds, always of virtual time.

${markdownTable(['Setting', 'Value', 'Default', ''], rows(schema as Schema, ''))}
Model ids that fit \`models.messages\`: \`claude-3-5-sonnet-20241022\`, \`claude-3-5-haiku-20241022\`,
\`claude-3-opus-20240229\`, \`claude-3-sonnet-20240229\`, \`claude-3-haiku-20240307\`.

## What is evicted

Everything that is kept has a bound. What has to go is counted: per session as \`forgotten\` in
\`GET /__sim/jobs\` (\`sim.jobs.list()\`), over all sessions in \`GET /__sim/health\`. The first of
each kind gives a warning that names the setting, except where the loss was asked for (a \`ttl\`).
Rendered media (\`memory.mediaBytes\`) are drawn again, and the journal cuts a body at 64 KiB and says
so in the entry: neither counts. A session takes 1,000 overrides and rejects the next (409).

${markdownTable(['Count', 'One of', 'Bound', 'What goes first', 'Who asks for it later gets'], boundRows())}`
}

function boundRows(): string[][] {
  const boundOf = ({ settings, fixed = '' }: Bound): string =>
    settings?.map((name) => `\`memory.${name}\``).join(', ') ?? fixed
  return Object.entries(bounds).map(([kind, bound]) => [
    `\`${kind}\``,
    bound.one,
    boundOf(bound),
    bound.first,
    bound.later,
  ])
}

function rows({ properties = {} }: Schema, path: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (name === '$schema') return []
    if (schema.properties !== undefined) return rows(schema, `${path}${name}.`)
    const value = schema.additionalProperties
    const inner = [
      ...(typeof value === 'object' ? rows(value, `${path}${name}.<name>.`) : []),
      ...(schema.anyOf ?? []).flatMap((one) => rows(one, `${path}${name}.`)),
    ]
    return [
      [`\`${path}${name}\``, valueCell(schema), shown(schema.default), schema.description ?? ''],
      ...inner,
    ]
  })
}

function valueCell({ type, enum: values, anyOf, items, properties, additionalProperties }: Schema): string {
  if (anyOf !== undefined) return anyOf.map(valueCell).join(' or ')
  if (properties !== undefined) return `{ ${Object.keys(properties).join(', ')} }`
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ')
  // A duration is written as text or as milliseconds; nothing else takes just these two.
  if (Array.isArray(type))
    return type.join() === 'string,number'
      ? 'duration'
      : type.map((each) => valueCell({ type: each })).join(' or ')
  if (type === 'array') return `list of ${valueCell(items ?? {})}`
  if (type === 'object')
    return typeof additionalProperties === 'object' && additionalProperties.properties === undefined
      ? `by name: ${valueCell(additionalProperties)}`
      : 'by name'
  return type === 'integer'
    ? 'whole number'
    : type === 'string'
      ? 'text'
      : type === 'boolean'
        ? '`true`, `false`'
        : String(type)
}

function shown(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'object'
    ? Object.keys(value as object).length === 0
      ? ''
      : `\`${JSON.stringify(value)}\``
    : `\`${String(value)}\``
}
