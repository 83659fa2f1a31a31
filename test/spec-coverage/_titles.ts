/**
 * Titles of `.each` tests: what they become for each row of their table, as far as the source shows the rows.
 */

/** A value of a table that stands in the source as a literal; `undefined` for what only a run knows. */
export interface Value {
  readonly known: boolean
  readonly value?: unknown
}

interface Node {
  readonly type: string
  readonly [property: string]: unknown
}

const unknown: Value = { known: false }

/** A literal's value: texts, numbers, truth values, null, and arrays and plain objects of these. */
function literalValue(node: Node): Value {
  switch (node.type) {
    case 'Literal':
      return node['regex'] === undefined && node['bigint'] === undefined
        ? { known: true, value: node['value'] }
        : unknown
    case 'TemplateLiteral':
      return (node['expressions'] as Node[]).length === 0
        ? { known: true, value: ((node['quasis'] as [Node])[0]['value'] as { cooked: string }).cooked }
        : unknown
    case 'UnaryExpression': {
      const inner = literalValue(node['argument'] as Node)
      return node['operator'] === '-' && typeof inner.value === 'number'
        ? { known: true, value: -inner.value }
        : unknown
    }
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return literalValue(node['expression'] as Node)
    case 'ArrayExpression': {
      const items = (node['elements'] as (Node | null)[]).map((item) =>
        item === null ? unknown : literalValue(item),
      )
      return items.every(({ known }) => known)
        ? { known: true, value: items.map(({ value }) => value) }
        : unknown
    }
    case 'ObjectExpression': {
      const entries = (node['properties'] as Node[]).map(
        (property) =>
          [
            (property['key'] as Node | undefined)?.['name'] ??
              (property['key'] as Node | undefined)?.['value'],
            property.type === 'Property' ? literalValue(property['value'] as Node) : unknown,
          ] as const,
      )
      return entries.every(([key, { known }]) => key !== undefined && known)
        ? { known: true, value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])) }
        : unknown
    }
    default:
      return unknown
  }
}

/**
 * The rows of a table that is an array in the source; nothing when it is computed. A row that is no array is
 * the only argument; one that is spread in is unknown.
 */
export function literalOf(table: Node): readonly (readonly Value[])[] | undefined {
  if (table.type === 'TSAsExpression' || table.type === 'TSSatisfiesExpression')
    return literalOf(table['expression'] as Node)
  if (table.type !== 'ArrayExpression') return undefined
  return (table['elements'] as Node[]).map((row) =>
    row.type === 'ArrayExpression'
      ? (row['elements'] as (Node | null)[]).map((cell) => (cell === null ? unknown : literalValue(cell)))
      : [literalValue(row)],
  )
}

const hole = /%[sdifjo#$]|\$\{[^}]*\}|\$[a-z][\w.]*/g

/** Whether a title has places that a run fills. Without a table only `${…}` is one. */
export const placeholders = (written: string, table: boolean): boolean =>
  table ? new RegExp(hole).test(written) : /\$\{/.test(written)

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** How a value is written into a title; `undefined` where that is not plain to see. */
function shown(placeholder: string, { known, value }: Value): string | undefined {
  if (!known) return undefined
  if (placeholder === '%j') return JSON.stringify(value)
  return typeof value === 'object' ? undefined : String(value)
}

/**
 * The titles of a test with placeholders: one per row where rows are known, else a pattern in which anything
 * may stand in the holes.
 */
export function expand(
  written: string,
  rows: readonly (readonly Value[])[] | undefined,
): (string | RegExp)[] {
  return (rows ?? [[]]).flatMap((row): (string | RegExp)[] => {
    let next = 0
    let open = false
    const holes = written.match(hole) ?? []
    const texts = written.split(new RegExp(hole.source, 'g'))
    const filled = holes.map((placeholder) => {
      const named = placeholder.startsWith('$') && !placeholder.startsWith('${')
      const value = named
        ? propertyOf(row[0] ?? unknown, placeholder.slice(1))
        : placeholder.startsWith('%')
          ? (row[next++] ?? unknown)
          : unknown
      const text = shown(placeholder, value)
      open ||= text === undefined
      return text
    })
    if (!open) return [texts.map((text, index) => text + (filled[index] ?? '')).join('')]
    const pattern = texts
      .map(
        (text, index) =>
          escapePattern(text) +
          (index < holes.length
            ? filled[index] === undefined
              ? '[\\s\\S]*'
              : escapePattern(filled[index])
            : ''),
      )
      .join('')
    // A title that is nothing but a hole would fit whatever a page says.
    return /[a-z]{3}/i.test(pattern.replaceAll('[\\s\\S]*', '')) ? [new RegExp(`^${pattern}$`)] : []
  })
}

function propertyOf(row: Value, path: string): Value {
  if (!row.known) return unknown
  const value = path
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
      row.value,
    )
  return value === undefined ? unknown : { known: true, value }
}
