/** An explanation as text: rules as YAML, and what a client gets of jobs and streams as lists over time. */
import { formatDuration } from '../engine/duration.ts'
import { isFields } from '../engine/fields.ts'
import type { Paint } from '../text/paint.ts'
import { asciiOnly, counted, escapeControls, wrap } from '../text/printable.ts'
import type { ExplainedAnswer, ExplainedRule, Explanation } from './explain-scenario.ts'
import type { JobHistory, JobState } from './record-job.ts'
import type { SeenEvent, StreamHistory } from './record-stream.ts'
import { formatValue, yamlLines } from './yaml.ts'

/** The characters of a terminal that knows Unicode, or of one that does not. */
export interface Glyphs {
  readonly bullet: string
  /** Between the pieces of a text. */
  readonly between: string
  readonly arrow: string
  /** A text without what would move the cursor, and without what the terminal cannot show. */
  clean(text: string): string
}

export const unicode: Glyphs = { bullet: '•', between: '│', arrow: '→', clean: escapeControls }

export const ascii: Glyphs = {
  bullet: '-',
  between: '|',
  arrow: '->',
  clean: (text) => asciiOnly(escapeControls(text).replaceAll('…', '...')),
}

interface Page {
  readonly width: number
  readonly glyphs: Glyphs
  readonly paint: Paint
}

/** More operations than these are counted, not named. */
const maxNamed = 5

export function explanationText(
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
    lines.push('', paint('bold', clean(name)), ...jobLines(course, '  ', page))
  if (unruled.length > 0)
    lines.push('', ...wrap('', `No rule matches ${listNames(unruled)}: the default answers apply.`, width))
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
  // All of it is listed below.
  const isListed = isFields(then) && Object.keys(then).length === 0 && answers.some(isShown)
  return [
    paint('bold', glyphs.clean(id)),
    ...(when === undefined ? [] : yaml({ when }, '  ', page)),
    ...(then === undefined || isListed ? [] : yaml({ then }, '  ', page)),
    ...warnings.flatMap((warning) =>
      wrap('  ! ', glyphs.clean(warning), width).map((text) => paint('yellow', text)),
    ),
    ...answers.flatMap((answer) => answerLines(answer, page)),
  ]
}

const isShown = ({ jobs, streams }: ExplainedAnswer): boolean => jobs.length + streams.length > 0

function answerLines({ at, notes, jobs, streams }: ExplainedAnswer, page: Page): string[] {
  const { width, glyphs, paint } = page
  const indent = at === '' ? '  ' : '    '
  const lines = notes.flatMap((note) => wrap(`${indent}${glyphs.bullet} `, glyphs.clean(note), width))
  for (const job of jobs) lines.push('', ...jobLines(job, `${indent}  `, page))
  for (const stream of streams) lines.push('', ...streamLines(stream, `${indent}  `, page))
  return at === '' || lines.length === 0 ? lines : [`  ${paint('bold', at)}`, ...lines]
}

/** The width of the instants before the states of a job. */
const timeColumn = 8

/** The status of a job at each of its states, with what else has changed. */
function jobLines({ madeBy, seenBy, states, moving }: JobHistory, indent: string, page: Page): string[] {
  const { width, glyphs, paint } = page
  const made = madeBy === 'given' ? 'A' : `${madeBy.operation} answers ${madeBy.answered}; a`
  const lines = wrap(indent, `${made} client that polls ${seenBy} sees:`, width)
  const shown = states.map(({ at, gone, fields }, index): Words => {
    const end = states[index + 1]?.at ?? Infinity
    if (gone) return { status: 'gone (404)' }
    return { ...wordsOf(fields), ...Object.assign({}, ...moving.map((one) => movement(one, at, end, page))) }
  })
  const there = shown.filter((_, index) => states[index]?.gone === false)
  const isNews = (name: string): boolean => there.some((words) => words[name] !== there[0]?.[name])
  for (const [index, words] of shown.entries()) {
    const changed = Object.entries(words).filter(
      ([name, word]) => shown[index - 1]?.[name] !== word && (name === 'status' || isNews(name)),
    )
    const text = changed.map(([name, word]) => `${name} ${word}`).join(', ')
    const prefix = `${indent}${formatDuration(states[index]?.at ?? 0).padStart(timeColumn)}  `
    const [first = '', ...more] = wrap(prefix, glyphs.clean(text), width)
    lines.push(paint('dim', prefix) + first.slice(prefix.length), ...more)
  }
  return lines
}

type Words = Readonly<Record<string, string>>

function wordsOf({ status, ...others }: JobState['fields']): Words {
  const there = Object.entries({ status, ...others }).filter(([, value]) => (value ?? null) !== null)
  return Object.fromEntries(
    there.map(([name, value]) => [name, typeof value === 'string' ? value : formatValue(value, 120)]),
  )
}

/** A number at an instant, and where it goes until the next one. */
function movement(
  { field, seen }: JobHistory['moving'][number],
  at: number,
  end: number,
  { glyphs }: Page,
): Words {
  const first = seen.findLast((one) => one.at <= at)?.value
  if (first === undefined) return {}
  const isMoving = seen.some((one) => one.at > at && one.at < end && one.value !== first)
  const last = seen.find((one) => one.at === end)?.value
  const to = isMoving && last !== undefined ? ` ${glyphs.arrow} ${last}` : ''
  return { [field.replace('Percent', '')]: `${first}${to}` }
}

const endings: Readonly<Record<StreamHistory['ended'], string>> = {
  done: 'the stream is whole',
  end: 'the stream ends without its end marker',
  broken: 'the connection breaks',
  silent: 'nothing more comes, and the connection stays open',
  left: 'the client leaves',
  hang: 'no reply ever comes',
}

/** The events of a stream; those of one kind that follow each other share a line. */
function streamLines(
  { operation, status, events, endedAt, ended }: StreamHistory,
  indent: string,
  { width, glyphs, paint }: Page,
): string[] {
  const count = events.filter(({ comment }) => comment !== true).length
  const withStatus = status === 'broken' ? '' : `${status}, `
  const took = events.length === 0 ? '' : ` in ${formatDuration(endedAt)}`
  const head = `${operation}: ${withStatus}${counted(count, 'event')}${took}, then ${endings[ended]}`
  const lines = wrap(indent, head, width)
  for (const group of groupsOf(events)) {
    const [{ at: from, lane }] = group as [SeenEvent]
    const to = group.at(-1)?.at ?? from
    const when = `${formatDuration(from)}${to > from ? ` to ${formatDuration(to)}` : ''}`
    const said = group.map((event) => glyphs.clean(event.said)).filter((text) => text !== '')
    const text = said.length === 0 ? '' : `  ${said.join(glyphs.between)}`
    const summary = `${when}  ${lane}${group.length > 1 ? ` (${group.length} events)` : ''}${text}`
    lines.push(...wrap(`${indent}${glyphs.bullet} `, summary, width).map((line) => paint('dim', line)))
  }
  return lines
}

function groupsOf(events: readonly SeenEvent[]): SeenEvent[][] {
  const groups: SeenEvent[][] = []
  for (const event of events) {
    const last = groups.at(-1)
    if (last?.[0]?.lane === event.lane) last.push(event)
    else groups.push([event])
  }
  return groups
}
