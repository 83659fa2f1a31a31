/** The transcript of a replay for people: at most 100 columns, colours only where the painter has some. */
import { formatDuration } from '../../engine/duration.ts'
import type { Failure, StepReport, StoryReport } from '../report.ts'

/** Puts a colour around a text, or leaves it. */
type Paint = (style: 'green' | 'red' | 'yellow' | 'dim' | 'bold' | 'cyan', text: string) => string

const plain: Paint = (_style, text) => text

const width = 100
const timeColumn = 10
const indent = ' '.repeat(timeColumn + 4)
const newsShown = 6

/** One scenario: its title, a line for each step with what is new, what did not hold, and the sum. */
export function prettyStory(story: StoryReport, paint: Paint = plain): string {
  const lines = [
    ...wrapped(story.title, '', width).map((line) => paint('bold', line)),
    paint(
      'dim',
      cut(
        `${story.file}, ${story.against}${story.seed === undefined ? '' : `, seed ${story.seed}`}, from ${new Date(story.start).toISOString()}`,
        width,
      ),
    ),
  ]
  for (const step of story.steps) lines.push(...stepLines(step, paint))
  lines.push(sumOf(story, paint))
  return `${lines.join('\n')}\n`
}

/** What stands behind several scenarios. */
export function prettySummary(stories: readonly StoryReport[], paint: Paint = plain): string {
  const failed = stories.filter(({ outcome }) => outcome === 'failed')
  const steps = stories.reduce(
    (sum, { counts }) => ({
      held: sum.held + counts.held,
      failed: sum.failed + counts.failed,
      skipped: sum.skipped + counts.skipped,
    }),
    { held: 0, failed: 0, skipped: 0 },
  )
  const empty = stories.filter(({ outcome, counts }) => outcome === 'empty' && counts.skipped > 0).length
  const words = `${stories.length} scenarios: ${stories.length - failed.length - empty} held, ${failed.length} failed${empty === 0 ? '' : `, in ${empty} nothing was tried`}; ${countWords(steps)}`
  return `${paint(failed.length > 0 ? 'red' : empty > 0 ? 'yellow' : 'green', words)}\n${failed.map(({ file }) => `  ${paint('red', '✗')} ${file}\n`).join('')}`
}

function stepLines(step: StepReport, paint: Paint): string[] {
  const mark =
    step.outcome === 'held'
      ? paint('green', '✓')
      : step.outcome === 'failed'
        ? paint('red', '✗')
        : paint('yellow', '-')
  const last = step.exchanges.at(-1)
  const status =
    last === undefined ? '' : last.reply === undefined ? ` → ${last.broken}` : ` → ${last.reply.status}`
  const polls = step.exchanges.length > 1 ? ` (${step.exchanges.length} calls)` : ''
  const took =
    step.endedAt > step.at && step.kind !== 'advance' ? `, ${formatDuration(step.endedAt - step.at)}` : ''
  const head = `${step.title}${status}${polls}${took}`
  const [first = '', ...more] = wrapped(head, '', width - indent.length)
  const lines = [
    `${paint('dim', `+${formatDuration(step.at)}`.padStart(timeColumn))}  ${mark} ${first}`,
    ...more.map((line) => `${indent}${line}`),
  ]
  if (step.name !== undefined) lines.push(...block(step.name, 'cyan', paint))
  if (step.reason !== undefined) lines.push(...block(`skipped: ${step.reason}`, 'yellow', paint))
  for (const note of step.notes) lines.push(...block(note, 'yellow', paint))
  for (const news of newsOf(step)) lines.push(...block(news, 'dim', paint))
  for (const failure of step.failures) lines.push(...failureLines(failure, paint))
  return lines
}

// What stood still is not told; a long list is cut.
function newsOf({ changed, fired, kind, saved }: StepReport): string[] {
  const news = changed.length === 0 ? [] : kind === 'advance' ? [...changed] : [changed.join(', ')]
  if (kind === 'advance' && fired.length > news.length) news.push(`and ${fired.length - news.length} more`)
  const names = Object.keys(saved)
  return [...news.slice(0, newsShown + 1), ...(names.length === 0 ? [] : [`saved ${names.join(', ')}`])]
}

function failureLines({ kind, field, expected, got }: Failure, paint: Paint): string[] {
  const word = kind === 'contract' ? 'contract: ' : ''
  return [
    ...wrapped(`${word}${field}`, indent, width).map((line) => paint('red', line)),
    ...hanging('expected ', expected).map((line) => paint('green', line)),
    ...hanging('got      ', got).map((line) => paint('red', line)),
  ]
}

function hanging(label: string, text: string): string[] {
  const room = `${indent}  ${label}`
  return wrapped(text, '', width - room.length).map(
    (line, index) => `${index === 0 ? room : ' '.repeat(room.length)}${line}`,
  )
}

function block(text: string, style: Parameters<Paint>[0], paint: Paint): string[] {
  return wrapped(text, indent, width).map((line) => paint(style, line))
}

function sumOf({ counts, outcome, start, end }: StoryReport, paint: Paint): string {
  if (outcome === 'empty')
    return paint(
      'yellow',
      counts.skipped === 0
        ? 'It has no steps: nothing was run.'
        : `NOTHING WAS TRIED: all ${counts.skipped} steps were skipped, and nothing is known of this server.`,
    )
  return `${paint(outcome === 'held' ? 'green' : 'red', countWords(counts))}${paint('dim', `, ${formatDuration(end - start)} of virtual time`)}`
}

function countWords({ held, failed, skipped }: StoryReport['counts']): string {
  const words = [`${held} of ${held + failed + skipped} steps held`]
  if (failed > 0) words.push(`${failed} failed`)
  if (skipped > 0) words.push(`${skipped} skipped`)
  return words.join(', ')
}

/** A text in lines of at most `most` columns, broken at spaces where there are some. */
function wrapped(text: string, before: string, most: number): string[] {
  const room = most - before.length
  const lines: string[] = []
  let line = ''
  for (const word of printable(text)
    .split(' ')
    .flatMap((one) => pieces(one, room))) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(before + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, before + line]
}

function pieces(word: string, room: number): string[] {
  return word.length <= room ? [word] : (word.match(new RegExp(`.{1,${room}}`, 'gsu')) ?? [])
}

function cut(text: string, most: number): string {
  const shown = printable(text)
  return shown.length <= most ? shown : `${shown.slice(0, most - 1)}…`
}

// What a server says must not be able to drive the terminal.
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu, (characters) =>
    /^\s+$/.test(characters)
      ? ' '
      : [...characters]
          .map((character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
          .join(''),
  )
}
