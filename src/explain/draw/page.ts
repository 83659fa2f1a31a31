/** Draws an explanation as text. */
import { isFields } from '../../engine/fields.ts'
import { wrap } from '../../text/printable.ts'
import type { ExplainedAnswer, ExplainedRule, Explanation } from '../explain-scenario.ts'
import { yamlLines } from '../yaml.ts'
import { drawJob } from './job.ts'
import type { Drawing } from './lane.ts'
import { drawStream } from './stream.ts'

type Page = Omit<Drawing, 'indent'>

/** More operations than these are counted, not named. */
const maxNamed = 5

export function drawPage(
  { file, title, description, setup, given, rules, unruled, steps }: Explanation,
  page: Page,
): string {
  const { width, glyphs, paint } = page
  const { clean } = glyphs
  const lines = [
    ...wrap('', clean(title), width).map((text) => paint('bold', text)),
    paint('dim', clean(file)),
  ]
  if (description !== undefined) lines.push(...wrap('', clean(description.trim()), width))
  if (Object.keys(setup).length > 0) lines.push('', ...yaml(setup, '  ', page))
  for (const { name, course } of given)
    lines.push('', paint('bold', clean(name)), ...drawJob(course, { ...page, indent: '  ' }))
  if (unruled.length > 0)
    lines.push('', ...wrap('', `No rule matches ${listNames(unruled)}: default responses apply.`, width))
  for (const rule of rules) lines.push('', ...ruleLines(rule, page))
  if (steps.length > 0) lines.push('', paint('bold', 'steps'), ...yaml(steps, '  ', page))
  return `${lines.join('\n')}\n`
}

function yaml(value: unknown, indent: string, { width, glyphs }: Page): string[] {
  return yamlLines(value, width - indent.length).flatMap((line) => {
    const [space = ''] = /^ */.exec(line) ?? []
    return wrap(indent + space, glyphs.clean(line.slice(space.length)), width)
  })
}

function listNames(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  return `${names.slice(0, maxNamed).join(', ')}${more}`
}

function ruleLines({ id, when, then, warnings, answers }: ExplainedRule, page: Page): string[] {
  const { width, glyphs, paint } = page
  // Everything is drawn below.
  const isDrawn = isFields(then) && Object.keys(then).length === 0 && answers.some(isShown)
  return [
    paint('bold', glyphs.clean(id)),
    ...(when === undefined ? [] : yaml({ when }, '  ', page)),
    ...(then === undefined || isDrawn ? [] : yaml({ then }, '  ', page)),
    ...warnings.flatMap((warning) =>
      wrap('  ! ', glyphs.clean(warning), width).map((text) => paint('yellow', text)),
    ),
    ...answers.flatMap((answer) => answerLines(answer, page, answers.some(isShown))),
  ]
}

const isShown = ({ jobs, streams }: ExplainedAnswer): boolean => jobs.length + streams.length > 0

/** Beside answers that are drawn, one that is not says where it is. */
function answerLines(
  { at, notes, jobs, streams }: ExplainedAnswer,
  page: Page,
  othersShown: boolean,
): string[] {
  const { width, glyphs, paint } = page
  const indent = at === '' ? '  ' : '    '
  const lines = notes.flatMap((note) => wrap(`${indent}${glyphs.bullet} `, glyphs.clean(note), width))
  const drawing = { ...page, indent: `${indent}  ` }
  for (const job of jobs) lines.push('', ...drawJob(job, drawing))
  for (const stream of streams) lines.push('', ...drawStream(stream, drawing))
  if (at !== '' && lines.length === 0 && othersShown) lines.push(`${indent}${glyphs.bullet} as shown above`)
  return at === '' || lines.length === 0 ? lines : [`  ${paint('bold', at)}`, ...lines]
}
