/** Draws an explanation as text. */
import { Document, isCollection, visit } from 'yaml'
import { escapeControls, wrap } from '../text/printable.ts'
import { type Drawing, drawTrack } from './draw.ts'
import type { ExplainedRule, Explanation } from './explain-scenario.ts'

type Page = Omit<Drawing, 'indent'>

export function drawPage({ file, title, description, rules }: Explanation, page: Page): string {
  const { width, paint } = page
  const lines = wrap('', escapeControls(title), width).map((text) => paint('bold', text))
  lines.push(paint('dim', escapeControls(file)))
  if (description !== undefined) lines.push(...wrap('', escapeControls(description.trim()), width))
  if (rules.length === 0) lines.push('', 'No rules to draw: default responses apply.')
  for (const rule of rules) lines.push('', ...ruleLines(rule, page))
  return `${lines.join('\n')}\n`
}

function ruleLines({ id, when, then, answers }: ExplainedRule, page: Page): string[] {
  const { width, paint } = page
  const lines = [paint('bold', escapeControls(id)), ...yamlLines({ when, then }, width)]
  for (const { at, notes, tracks } of answers) {
    const indent = at === '' ? '  ' : '    '
    if (at !== '' && notes.length + tracks.length > 0) lines.push(`  ${paint('bold', at)}`)
    lines.push(...notes.flatMap((note) => wrap(`${indent}• `, escapeControls(note), width)))
    for (const track of tracks) lines.push('', ...drawTrack(track, { ...page, indent: `${indent}  ` }))
  }
  return lines
}

/** Values that fit on one line are written on one line. */
function yamlLines(value: object, width: number): string[] {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Collection(_, node, path) {
      // Each field of the outermost map has a line of its own.
      if (path.length < 2 || !isCollection(node)) return
      if (JSON.stringify(node.toJSON()).length <= width - 20) node.flow = true
    },
  })
  const style = { lineWidth: 0, singleQuote: false, doubleQuotedMinMultiLineLength: 1e6 }
  const text = document.toString(style).trimEnd()
  return text.split('\n').flatMap((line) => {
    const indent = /^ */.exec(line)?.[0] ?? ''
    return wrap(`  ${indent}`, escapeControls(line.trimStart()), width)
  })
}
