/** Draws an explanation as text. */
import { wrap } from '../../text/wrap.ts'
import type { ExplainedAnswer, Explanation } from '../explanation.ts'
import { type Drawing, drawJob } from './job.ts'
import { drawStream } from './stream.ts'

/** More operations than these are counted, not named. */
const maxNamed = 5

export function drawPage(
  { file, title, description, facts, given, rules, unruled, story }: Explanation,
  drawing: Omit<Drawing, 'indent'>,
): string {
  const { width, glyphs, paint } = drawing
  const { clean } = glyphs
  const lines = [
    ...wrap('', clean(title), width).map((text) => paint('bold', text)),
    paint('dim', clean(file)),
  ]
  if (description !== undefined) lines.push(...wrap('', clean(description.trim()), width))
  if (facts.length > 0)
    lines.push('', ...facts.flatMap(({ about, words }) => wrap(`  ${about.padEnd(11)}`, clean(words), width)))
  for (const { name, course } of given)
    lines.push('', paint('bold', clean(name)), ...drawJob(course, { ...drawing, indent: '  ' }))
  if (unruled.length > 0)
    lines.push('', ...wrap('', `No rule matches ${listNames(unruled)}: the default answers apply.`, width))
  for (const { id, calls, warnings, answers } of rules) {
    lines.push('', `${paint('bold', clean(id))}`, ...wrap('  ', clean(calls), width))
    for (const warning of warnings)
      lines.push(...wrap('  ! ', clean(warning), width).map((text) => paint('yellow', text)))
    for (const answer of answers) lines.push(...answerLines(answer, drawing))
  }
  if (story.length > 0) {
    lines.push('', paint('bold', 'The story'))
    for (const { step, words } of story) lines.push(...wrap(`  ${step.padStart(3)}  `, clean(words), width))
  }
  return `${lines.join('\n')}\n`
}

function listNames(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  return `${names.slice(0, maxNamed).join(', ')}${more}`
}

function answerLines(
  { label, words, jobs, streams }: ExplainedAnswer,
  drawing: Omit<Drawing, 'indent'>,
): string[] {
  const { width, glyphs, paint } = drawing
  const indent = label === '' ? '  ' : '    '
  const lines = label === '' ? [] : [`  ${paint('bold', label)}`]
  const nothing = words.length === 0 && jobs.length === 0 && streams.length === 0
  for (const sentence of nothing ? ['gets the default answer'] : words)
    lines.push(...wrap(`${indent}${glyphs.bullet} `, glyphs.clean(sentence), width))
  for (const job of jobs) lines.push('', ...drawJob(job, { ...drawing, indent: `${indent}  ` }))
  for (const stream of streams) lines.push('', ...drawStream(stream, { ...drawing, indent: `${indent}  ` }))
  return lines
}
