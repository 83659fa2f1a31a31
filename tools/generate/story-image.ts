/**
 * Draws a scenario as SVG, as a client sees it: a job as states with its progress, a stream as events, over
 * virtual time. The data is that of `gateway-sim explain`.
 */

import * as yaml from 'yaml'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import { formatDuration } from '../../src/engine/duration.ts'
import { explainScenario } from '../../src/explain/explain-scenario.ts'
import type { Point, Track } from '../../src/explain/record.ts'
import { scenarioOf } from '../../src/scenario/load/scenario.ts'

const width = 640
const margin = 24
const label = 92
const left = margin + label
const right = width - margin
const colours = {
  panel: '#10243a',
  line: '#2b435d',
  name: '#8fa6bd',
  word: '#e8eef4',
  waits: '#64748b',
  runs: '#2dd4bf',
  fails: '#fb923c',
}

/** The SVG of the first job and the first stream of a scenario. */
export async function storyImage(source: string): Promise<string> {
  const { reader } = gatewayApi()
  const scenario = scenarioOf(source, 'story.yaml', '.', yaml, reader)
  const { rules } = await explainScenario(scenario, reader.vocabulary)
  const tracks = rules.flatMap(({ answers }) => answers.flatMap((answer) => answer.tracks))
  const job = tracks.find(({ end }) => end === undefined)
  const stream = tracks.find(({ end }) => end !== undefined)
  if (job === undefined || stream === undefined) throw new Error('the story has no job or no stream')
  const height = 366
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img"
  font-family="ui-monospace, SF Mono, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="15">
<title>The job and the stream of story.yaml over virtual time</title>
<rect width="${width}" height="${height}" rx="10" fill="${colours.panel}"/>
${jobPart(job, 34).join('\n')}
<line x1="${margin}" x2="${right}" y1="192" y2="192" stroke="${colours.line}"/>
${streamPart(stream, 226).join('\n')}
</svg>
`
}

const text = (x: number, y: number, what: string, colour: string, more = ''): string =>
  `<text x="${round(x)}" y="${y}" fill="${colour}"${more}>${escaped(what)}</text>`

const escaped = (what: string): string => what.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const crossStroke = `stroke="${colours.fails}" stroke-width="4" stroke-linecap="round"`

const round = (value: number): number => Math.round(value * 10) / 10

const pointsOf = ({ lanes }: Track, name: string): readonly Point[] =>
  lanes.find((lane) => lane.name === name)?.points ?? []

/** Without the points that repeat the one before. */
const changesOf = (points: readonly Point[]): readonly Point[] =>
  points.filter(({ text: shown }, index) => shown !== points[index - 1]?.text)

function jobPart(job: Track, top: number): string[] {
  const end = (job.changes.at(-1) ?? 0) * 1.3
  const xOf = (at: number): number => left + ((right - left) * at) / end
  const changes = changesOf(pointsOf(job, 'status'))
  const bars = changes.flatMap(({ at, text: status }, index) => {
    const to = changes[index + 1]?.at ?? end
    const colour = index === 0 ? colours.waits : status === 'failed' ? colours.fails : colours.runs
    const size = `width="${round(xOf(to) - xOf(at) - 3)}" height="24"`
    const bar = `<rect x="${round(xOf(at))}" y="${top + 34}" ${size} rx="4" fill="${colour}"/>`
    return [
      text(xOf(at), top + 24, formatDuration(at), colours.name),
      bar,
      text(xOf(at) + 5, top + 51, status, colours.panel, ' font-size="13" font-weight="700"'),
    ]
  })
  const ramp = changesOf(pointsOf(job, 'progress')).flatMap(({ at, text: progress }) =>
    Number(progress) % 10 === 0 ? [{ at, value: Number(progress) }] : [],
  )
  const base = top + 136
  const yOf = (value: number): number => round(base - (value * 56) / 100)
  const last = ramp.at(-1)?.value ?? 0
  const points = [
    `${round(xOf(ramp[0]?.at ?? 0))},${base}`,
    ...ramp.map(({ at, value }) => `${round(xOf(at))},${yOf(value)}`),
    `${right},${yOf(last)} ${right},${base}`,
  ]
  const operation = job.call?.operation ?? ''
  return [
    text(margin, top, operation, colours.word, ' font-weight="700"'),
    text(margin, top + 51, 'status', colours.name),
    ...bars,
    text(margin, base - 4, 'progress', colours.name),
    `<polygon points="${points.join(' ')}" fill="${colours.runs}" fill-opacity="0.28"/>`,
    text(right - 36, yOf(last) - 8, `${last}%`, colours.fails, ' font-weight="700"'),
  ]
}

function streamPart(stream: Track, top: number): string[] {
  const { operation, lanes } = stream
  const endedAt = stream.end?.at ?? 0
  const events = lanes.flatMap(({ points }) => points).sort((a, b) => a.at - b.at)
  const xOf = (at: number): number => left + ((right - 36 - left) * at) / endedAt
  const dots = events.map(
    ({ at }) =>
      `<rect x="${round(xOf(at) - 5)}" y="${top + 40}" width="9" height="18" rx="2" fill="${colours.runs}"/>`,
  )
  const cross = xOf(endedAt) + 18
  const line = `x1="${left}" x2="${round(cross)}" y1="${top + 49}" y2="${top + 49}"`
  const words = groups(pointsOf(stream, 'text')).flatMap(({ at, said }) => [
    text(xOf(at) - 5, top + 26, formatDuration(at), colours.name),
    text(xOf(at) - 5, top + 86, said, colours.word),
  ])
  return [
    text(margin, top, `${operation}, stream: true`, colours.word, ' font-weight="700"'),
    text(margin, top + 53, 'events', colours.name),
    `<line ${line} stroke="${colours.line}" stroke-width="2"/>`,
    ...dots,
    `<path d="M${round(cross - 7)} ${top + 42}l14 14m0-14l-14 14" ${crossStroke}/>`,
    text(margin, top + 86, 'text', colours.name),
    ...words,
    text(
      right,
      top + 118,
      `connection reset after ${formatDuration(endedAt)}`,
      colours.fails,
      ' font-weight="700" text-anchor="end"',
    ),
  ]
}

/** The joined texts of events in close succession. */
function groups(texts: readonly Point[]): { at: number; said: string }[] {
  const found: { at: number; said: string; last: number }[] = []
  for (const { at, text: said } of texts) {
    const before = found.at(-1)
    if (before === undefined || at - before.last > 100) found.push({ at, said, last: at })
    else Object.assign(before, { said: before.said + said, last: at })
  }
  return found
}
