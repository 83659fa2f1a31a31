/** Evaluates the samples of a run: a table by tenths, and whether values stayed stable. */
import { availableParallelism } from 'node:os'

/** From so many calls on, every store is full and the compiler has seen everything. */
const warmAfter = 45_000

/**
 * How much each may grow from the end of the first tenth to the end of the run: as a share of its mean, by a
 * line through all samples, or by so much at least.
 */
const bounds = [
  { of: 'live', name: 'memory alive after a collection', share: 0.1, least: 8 * 2 ** 20 },
  { of: 'rss', name: 'memory of the process (RSS)', share: 0.15, least: 24 * 2 ** 20 },
  { of: 'descriptors', name: 'descriptors', share: 0.25, least: 40 },
  { of: 'timers', name: 'timers', share: 0.15, least: 12 },
  { of: 'threads', name: 'threads', share: 0.1, least: 1 },
]

/** How many more descriptors and timers than before the traffic may remain after it. */
const mayRemain = 8

/** The maximum ratio of the cost of a call in the last tenth to the second. */
const slower = 1.5

const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
const valuesOf = (samples, of) => samples.map((sample) => sample[of]).filter((value) => value !== undefined)

/** What a line through the points climbs from the first to the last. */
function climb(points) {
  const [x, y] = [0, 1].map((at) => mean(points.map((point) => point[at])))
  let [up, across] = [0, 0]
  for (const [px, py] of points) {
    up += (px - x) * (py - y)
    across += (px - x) ** 2
  }
  return across === 0 ? 0 : (up / across) * (points.at(-1)[0] - points[0][0])
}

function tenths({ minutes, samples }) {
  return Array.from({ length: 10 }, (_, tenth) =>
    samples.filter(({ minute }) => Math.min(9, Math.floor((minute / minutes) * 10)) === tenth),
  )
}

export function judge(result) {
  const { minutes, before, afterwards, exit, troubles } = result
  const warm = warmFrom(result)
  const judged = warm <= minutes / 2
  const changes = [...growthFindings(result), ...costFindings(tenths(result)[1], tenths(result)[9])]
  const left = ['descriptors', 'timers'].map((of) => ({
    ok: !(afterwards[of] > before[of] + mayRemain),
    text: `${of} after all clients have disconnected: ${afterwards[of]}, before: ${before[of]}`,
  }))
  const end = [
    { ok: exit === 0, text: `the server stops at SIGTERM with exit code ${exit}` },
    { ok: troubles.length === 0, text: `${troubles.length} troubles` },
  ]
  return {
    ok: [...left, ...end, ...(judged ? changes : [])].every(({ ok }) => ok),
    lines: [
      ...changes.map(({ ok, text }) => `${ok ? 'ok   ' : judged ? 'FAIL ' : 'over '} ${text}`),
      ...(judged
        ? []
        : [`note  fewer than ${warmAfter} calls in the first half: growth and cost are shown, not judged`]),
      ...[...left, ...end].map(({ ok, text }) => `${ok ? 'ok   ' : 'FAIL '} ${text}`),
      ...troubles.slice(0, 20).map((trouble) => `        ${trouble}`),
    ],
  }
}

/** The end of the first tenth, or later when calls are few: the minute from which nothing may grow. */
function warmFrom({ minutes, samples }) {
  const minute = samples.find(({ calls }) => calls >= warmAfter)?.minute ?? Infinity
  return Math.max(minutes / 10, minute)
}

function growthFindings({ minutes, samples }) {
  const from = warmFrom({ minutes, samples })
  const later = samples.filter(({ minute }) => minute > (from === Infinity ? minutes / 10 : from))
  return bounds.flatMap(({ of, name, share, least }) => {
    const points = later
      .filter((sample) => sample[of] !== undefined)
      .map((sample) => [sample.minute, sample[of]])
    if (points.length < 3) return []
    const [grown, usual] = [climb(points), mean(points.map(([, value]) => value))]
    const allowed = Math.max(share * usual, least)
    const text = [
      `${name}: ${shown(of, grown)} from minute ${later[0].minute.toFixed(1)} to the end,`,
      `at a mean of ${shown(of, usual)} (at most ${shown(of, allowed)})`,
    ].join(' ')
    return { ok: grown <= allowed, text }
  })
}

/** What a call costs in the last tenth against the second: the server's CPU time, and what a client waits. */
function costFindings(second, last) {
  if (second.length < 2 || last.length < 2) return []
  const compare = (name, [before, now], excused = false) => ({
    ok: excused || now <= slower * before,
    text: [
      `${name}: ${now.toFixed(2)} ms in the last tenth, ${before.toFixed(2)} ms in the second`,
      excused ? '(not judged: the machine was busy with something else)' : `(at most ×${slower})`,
    ].join(' '),
  })
  const both = (of) => [second, last].map(of)
  // An overloaded machine delays every process.
  const busy = both((samples) => median(valuesOf(samples, 'load'))).some(
    (load) => load > 1.5 * availableParallelism(),
  )
  return [
    compare('CPU time of the server for each call', both(cpuPerCall)),
    compare(
      'a plain chat call',
      both((samples) => median(valuesOf(samples, 'p50'))),
      busy,
    ),
  ]
}

function cpuPerCall(samples) {
  const [first, last] = [samples[0], samples.at(-1)]
  return (last.cpu - first.cpu) / (last.calls - first.calls)
}

function shown(of, value) {
  if (of === 'live' || of === 'rss') return `${(value / 2 ** 20).toFixed(1)} MB`
  return value.toFixed(1)
}

const columns = [
  ['minute', 8, (samples) => samples.at(-1).minute.toFixed(1)],
  ['calls', 10, (samples) => samples.at(-1).calls],
  ['RSS MB', 9, (samples) => megabytes(mean(valuesOf(samples, 'rss')))],
  ['heap MB', 9, (samples) => megabytes(mean(valuesOf(samples, 'heap')))],
  ['live MB', 9, (samples) => megabytes(median(valuesOf(samples, 'live')))],
  ['fds', 6, (samples) => median(valuesOf(samples, 'descriptors'))],
  ['timers', 8, (samples) => median(valuesOf(samples, 'timers'))],
  ['threads', 9, (samples) => median(valuesOf(samples, 'threads'))],
  ['p50 ms', 8, (samples) => median(valuesOf(samples, 'p50'))?.toFixed(2)],
  ['p99 ms', 8, (samples) => median(valuesOf(samples, 'p99'))?.toFixed(1)],
  ['CPU/call', 10, (samples) => (samples.length > 1 ? cpuPerCall(samples).toFixed(2) : undefined)],
  ['loop p99', 10, (samples) => median(valuesOf(samples, 'loopP99'))?.toFixed(1)],
  ['load', 7, (samples) => median(valuesOf(samples, 'load')).toFixed(1)],
  ['loop max', 10, (samples) => Math.max(...valuesOf(samples, 'loopMax')).toFixed(0)],
]

const isUnknown = (bytes) => bytes === undefined || Number.isNaN(bytes)
const megabytes = (bytes) => (isUnknown(bytes) ? '–' : (bytes / 2 ** 20).toFixed(1))

/** The run by tenths, the actions, and the remaining resources after all clients have disconnected. */
export function table(result, counts, edits) {
  const { minutes, rate, seed, afterwards, warnings } = result
  const row = (cells) => cells.map((cell, at) => String(cell ?? '–').padStart(columns[at][1])).join('')
  const done = Object.entries(counts).map(
    ([name, { done, failed }]) =>
      `  ${String(done).padStart(8)} ${name}${failed === 0 ? '' : `, ${failed} failed`}`,
  )
  const { rss, live, descriptors, timers, handles, waiting } = afterwards
  return [
    `soak: ${minutes} minutes, ${rate} calls a second at most, seed ${seed}`,
    '',
    row(columns.map(([name]) => name)),
    ...tenths(result)
      .filter((samples) => samples.length > 0)
      .map((samples) => row(columns.map(([, , cell]) => cell(samples)))),
    `afterwards: RSS ${megabytes(rss)} MB, live ${megabytes(live)} MB, ${descriptors} descriptors, ` +
      `${timers} timers, ${handles} other handles, ${waiting} actions waiting`,
    '',
    ...done,
    `  ${String(edits.valid).padStart(8)} valid and ${edits.broken} broken edits of the watched file`,
    '',
    ...Object.entries(warnings).map(([kind, count]) => `  ${String(count).padStart(8)} × ${kind}`),
    '',
  ].join('\n')
}
