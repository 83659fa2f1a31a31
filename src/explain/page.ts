/** Draws an explanation as text. */
import { wrap } from '../text/printable.ts'
import { type Drawing, drawTrack } from './draw.ts'
import type { ExplainedRule, Explanation } from './explain-scenario.ts'
import { yamlLines } from './yaml.ts'

type Page = Omit<Drawing, 'indent'>

/** More operations than these are counted, not named. */
const maxNamed = 5

export function drawPage(explanation: Explanation, page: Page): string {
  const { file, title, description, setup, given, rules, unruled, steps } = explanation
  const { width, glyphs, paint } = page
  const { clean } = glyphs
  const lines = [
    ...wrap('', clean(title), width).map((text) => paint('bold', text)),
    paint('dim', clean(file)),
  ]
  if (description !== undefined) lines.push(...wrap('', clean(description.trim()), width))
  if (Object.keys(setup).length > 0) lines.push('', ...yaml(setup, page))
  for (const { name, track } of given)
    lines.push('', paint('bold', clean(name)), ...drawTrack(track, { ...page, indent: '  ' }))
  if (unruled.length > 0) {
    const more = unruled.length > maxNamed ? ` and ${unruled.length - maxNamed} more` : ''
    const names = `${unruled.slice(0, maxNamed).join(', ')}${more}`
    lines.push('', ...wrap('', `No rule matches ${names}: default responses apply.`, width))
  }
  for (const rule of rules) lines.push('', ...ruleLines(rule, page))
  if (steps.length > 0) lines.push('', paint('bold', 'steps'), ...yaml(steps, page))
  return `${lines.join('\n')}\n`
}

function yaml(value: unknown, { width, glyphs }: Page): string[] {
  return yamlLines(value, width - 2).flatMap((line) => {
    const [space = ''] = /^ */.exec(line) ?? []
    return wrap(`  ${space}`, glyphs.clean(line.slice(space.length)), width)
  })
}

function ruleLines({ id, when, then, warnings, answers }: ExplainedRule, page: Page): string[] {
  const { width, glyphs, paint } = page
  const { bullet, clean } = glyphs
  const isDrawn = answers.some(({ tracks }) => tracks.length > 0)
  const lines = [paint('bold', clean(id))]
  if (when !== undefined) lines.push(...yaml({ when }, page))
  if (then !== undefined) lines.push(...yaml({ then }, page))
  for (const warning of warnings)
    lines.push(...wrap('  ! ', clean(warning), width).map((text) => paint('yellow', text)))
  for (const { at, notes, tracks } of answers) {
    const indent = at === '' ? '  ' : '    '
    const own = notes.flatMap((note) => wrap(`${indent}${bullet} `, clean(note), width))
    for (const track of tracks) own.push('', ...drawTrack(track, { ...page, indent: `${indent}  ` }))
    // Beside answers that are drawn, one that is not says where it is.
    if (at !== '' && own.length === 0 && isDrawn) own.push(`${indent}${bullet} as shown above`)
    if (at !== '' && own.length > 0) lines.push(`  ${paint('bold', at)}`)
    lines.push(...own)
  }
  return lines
}
