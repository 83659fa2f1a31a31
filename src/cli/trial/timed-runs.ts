/** The runs of a trial in fast or in real client time, which depends on the program. */
import type { Vocabulary } from '../../protocol/operations.ts'
import { type ClientTime, realTime } from '../../trial/client-time/client-time.ts'
import { jumpingTime } from '../../trial/client-time/jumping.ts'
import { findLibrary, type Scale, scaledTime } from '../../trial/client-time/scaled.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import { unusable } from '../../trial/trial.ts'
import type { ArgsOf, Io } from '../command.ts'
import { choice, durationOf, value } from '../flags.ts'
import { observeRun, type RunFlags, type RunOptions } from './observe-run.ts'

type Options = Omit<RunOptions, 'time'>

export interface TimedRuns {
  readonly healthy: ObservedRun
  readonly vocabulary: Vocabulary
  /** How the client's time runs, in one sentence. */
  readonly note: string
  observe(options: Options): Promise<ObservedRun>
}

export const timeFlags = {
  'client-time': choice('How the timers of the client run: faster while it waits, or in real time', [
    'fast',
    'real',
  ]),
  patience: value('Client time after which a client that waits counts as hung, if its time is fast', '20m'),
} as const

const defaultPatience = 20 * 60_000

/** Performs the healthy run, which shows how the time of the client can run. */
export async function startRuns(
  flags: RunFlags & ArgsOf<typeof timeFlags>,
  options: Options,
  io: Io,
): Promise<TimedRuns> {
  const isFast = flags.clientTime === 'fast'
  const patience = durationOf('--patience', flags.patience) ?? defaultPatience
  const observe = (time: ClientTime, more: Partial<Options> = {}) =>
    observeRun(flags, { ...options, ...more, time }, io)
  const time = isFast ? jumpingTime(patience) : realTime()
  const { run: healthy, core, work } = await observe(time)
  const runs = (note: string, one: TimedRuns['observe']): TimedRuns => ({
    healthy,
    vocabulary: core.vocabulary,
    note,
    observe: one,
  })
  const real = async (more: Options) => (await observe(realTime(), more)).run
  if (!isFast) return runs('Client time: real.', real)
  if (time.isFast())
    return runs('Client time: fast; it jumps while the client only waits.', async (more) => {
      const { run } = await observe(jumpingTime(patience), more)
      return run
    })
  const scale =
    unusable(healthy) === undefined ? await findScale({ healthy, work }, options, observe) : 'no request'
  if (typeof scale === 'string') return runs(`Client time: real (${scale}).`, real)
  return runs(`Client time: ${scale.speed} times as fast, by libfaketime.`, async (more) => {
    // A client that does not wait long needs no other time than the real one, which is exact.
    const timeout = Math.min(options.timeout, shortRun + healthy.seconds * 1000)
    const { run } = await observe(realTime(), { ...more, timeout })
    if (run.end.kind !== 'hung' || options.signal.aborted) return run
    const limit = Math.max(options.timeout, (patience / scale.speed) * 1.5)
    return (await observe(scaledTime(scale, patience), { ...more, timeout: limit })).run
  })
}

/** The longest time, in milliseconds, by which a short run is longer than the healthy run. */
const shortRun = 2000

const speeds = [50, 20, 10, 5]
/** The healthy runs with which a speed is tried. */
const tries = 3
/** How long the client's work may seem to take in fast time, in milliseconds: shorter than most time-outs. */
const longestWork = 2000

/** The highest speed at which healthy runs are healthy; otherwise the reason why there is none. */
async function findScale(
  { healthy, work }: { readonly healthy: ObservedRun; readonly work: number },
  { signal, timeout }: Options,
  observe: (time: ClientTime) => Promise<{ readonly run: ObservedRun }>,
): Promise<Scale | string> {
  const library = findLibrary()
  if (process.platform !== 'linux') return 'only Node.js programs can be fast on this system'
  if (library === undefined)
    return 'for programs other than Node.js install libfaketime: apt-get install faketime'
  for (const speed of speeds.filter((one) => one * work <= longestWork)) {
    if (signal.aborted) break
    const scale = { library, speed, work }
    const times = Array.from({ length: tries }, () => scaledTime(scale, timeout * speed))
    const all = await Promise.all(times.map(async (time) => (await observe(time)).run))
    if (!times.every((time) => time.isFast())) return 'the program does not use libfaketime'
    if (all.every((run) => isLike(run, healthy))) return scale
  }
  return 'the program works too long between its requests'
}

const isLike = (run: ObservedRun, healthy: ObservedRun): boolean =>
  run.end.kind === 'exited' &&
  run.end.code === 0 &&
  run.entries.length === healthy.entries.length &&
  run.findings.length <= healthy.findings.length
