/** The SQL that a plain question asks for. */
import type { Reading } from './reading.ts'

/** The name of a table, the surest way of naming it first. */
const tableNamed: readonly RegExp[] = [
  /\b(?!(?:the|a|this|that|which|each|every|one|my|our)\b)(\w+) table\b/i,
  /\btable(?: is| named| called)? (?!(?:with|where|and|for|in|on|please|then)\b)(\w+)/i,
  /\bfrom (?:the |our )?(?!(?:it|them|there|that)\b)(\w+s)\b/i,
  /\b(?:how many|count|number of|all|top \d+|list)(?: of)?(?: the| our| my)? (\w+s)\b/i,
]
const condition = new RegExp(
  String.raw`\b(?:with|where|whose|have|has)(?: an?| the)? (?!(?:from|been|in|on|at|to|no|any|of|we)\b)` +
    String.raw`(\w+)(?: is| of| equals| =|:)? ["']?([\w@.-]*\w)`,
  'i',
)

/** "How many orders have status refunded?" as the statement that answers it. */
export function statementFor({ text }: Reading): string | undefined {
  const named = tableNamed.map((pattern) => pattern.exec(text)).find((found) => found !== null)
  const table = named?.[1]
  if (table === undefined) return undefined
  const [, column, value = ''] = condition.exec(text) ?? []
  const where = column === undefined ? '' : ` WHERE ${column} = ${/^\d+$/.test(value) ? value : `'${value}'`}`
  const limit = /\b(?:top|max|first|limit|most) (\d+)\b/i.exec(text)?.[1]
  return /\b(?:how many|count|number of)\b/i.test(text)
    ? `SELECT COUNT(*) FROM ${table}${where}`
    : `SELECT * FROM ${table}${where}${limit === undefined ? '' : ` LIMIT ${limit}`}`
}
