/** The runs of a trial in fast or in real client time, which depends on the program. */
import type { Vocabulary } from '../../protocol/operations.ts'
import { counted } from '../../text/printable.ts'
import { type ClientTime, realTime } from '../../trial/client-time/client-time.ts'
import { jumpingTime } from '../../trial/client-time/jumping.ts'
import { findLibrary, type Scale, scaledTime } from '../../trial/client-time/scaled.ts'
import type { ObservedRun } from '../../trial/judge.ts'
import { unusable } from '../../trial/trial.ts'
import type { ArgsOf, Io } from '../command.ts'
import { patienceOf, type timeFlags } from '../exec/time-flags.ts'
import { type Observation, observeRun, type RunFlags, type RunOptions } from './observe-run.ts'

type Options = Omit<RunOptions, 'time'>
type Observe = (time: ClientTime, more?: Partial<Options>) => Promise<Observation>

export interface TimedRuns {
  /** Observes one run, with the failure of `options.scenario`. */
  observe(options: Options): Promise<ObservedRun>
  /** How the client's time has run, in one sentence. */
  note(): string
}

/** Performs the healthy run, which shows how the time of the client can run. */
export async function startRuns(
  flags: RunFlags & ArgsOf<ReturnType<typeof timeFlags>>,
  options: Options,
  io: Io,
): Promise<TimedRuns & { readonly healthy: ObservedRun; readonly vocabulary: Vocabulary }> {
  const patience = patienceOf(flags)
  const observe: Observe = (time, more = {}) => observeRun(flags, { ...options, ...more, time }, io)
  const isFast = flags.clientTime === 'fast'
  const time = isFast ? jumpingTime(patience) : realTime()
  const first = await observe(time)
  const { run: healthy } = first
  const { vocabulary } = first.core
  const reference = { healthy, vocabulary }
  if (isFast && unusable(healthy)?.outcome === 'failed') {
    // Fast time may be what fails: node rejects unknown modules with `--permission`.
    const { run } = await observe(realTime())
    return { healthy: run, vocabulary, ...realRuns('real (the command fails in fast time)', observe) }
  }
  if (time.isFast()) return { ...reference, ...jumpingRuns(patience, observe) }
  if (!isFast || unusable(healthy) !== undefined) return { ...reference, ...realRuns('real', observe) }
  const scale = await findScale(first, options, observe)
  if (typeof scale === 'string') return { ...reference, ...realRuns(`real (${scale})`, observe) }
  return { ...reference, ...scaledRuns(scale, { ...options, patience, first }, observe) }
}

const realRuns = (how: string, observe: Observe): TimedRuns => ({
  observe: async (options) => (await observe(realTime(), options)).run,
  note: () => `Client time: ${how}.`,
})

const jumpingRuns = (patience: number, observe: Observe): TimedRuns => ({
  observe: async (options) => (await observe(jumpingTime(patience), options)).run,
  note: () => 'Client time: fast; it jumps while the client only waits.',
})

interface ScaledOptions extends Options {
  readonly patience: number
  readonly first: Observation
}

/** How much longer a run may take than the healthy run before its time is fast, in milliseconds. */
const shortRun = 1000

function scaledRuns(scale: Scale, { timeout, patience, first }: ScaledOptions, observe: Observe): TimedRuns {
  let unlike = 0
  const scaled = async (speed: number, options: Options): Promise<ObservedRun> => {
    const limit = Math.max(timeout, (patience / speed) * 1.5)
    const time = scaledTime({ ...scale, speed }, patience)
    return (await observe(time, { ...options, timeout: limit })).run
  }
  const inRealTime = async (options: Options) => (await observe(realTime(), options)).run
  return {
    async observe(options) {
      // A client that does not wait for long needs no other time than the real one, which is exact.
      const limit = Math.min(timeout, shortRun + first.run.seconds * 1000)
      const short = await inRealTime({ ...options, timeout: limit })
      if (short.end.kind !== 'hung' || options.signal.aborted) return short
      const other = new AbortController()
      const signal = AbortSignal.any([options.signal, other.signal])
      const slower = scaled(scale.speed / 2, { ...options, signal })
      const run = await scaled(scale.speed, options)
      if (run.end.kind === 'hung') other.abort()
      // The client's time must not depend on the speed. Some programs take the time from elsewhere.
      const isSteady = run.end.kind === 'hung' || isLike(run, await slower)
      if (isSteady || options.signal.aborted) return run
      unlike++
      return inRealTime(options)
    },
    note: () =>
      `Client time: ${scale.speed} times as fast, by libfaketime` +
      (unlike === 0 ? '.' : `; real in ${counted(unlike, 'run')} in which it was not steady.`),
  }
}

/** Whether two runs took about as long, by the client's time. Back-offs are often random. */
function isLike(one: ObservedRun, other: ObservedRun): boolean {
  const [less = 0, more = 0] = [one.seconds, other.seconds].sort((a, b) => a - b)
  return one.end.kind === other.end.kind && more <= less * 1.3 + 2
}

const speeds = [50, 20, 10, 5]
/** The healthy runs with which a speed is tried. */
const tries = 3
/** How long the client's work may seem to take in fast time, in milliseconds: shorter than most time-outs. */
const longestWork = 2000

/** The highest speed at which healthy runs are healthy; otherwise the reason why there is none. */
async function findScale(
  { run: healthy, work }: Observation,
  { signal, timeout }: Options,
  observe: Observe,
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
    if (all.every((run) => isHealthy(run, healthy))) return scale
  }
  return 'the program works too long between its requests'
}

const isHealthy = ({ end, entries, findings }: ObservedRun, healthy: ObservedRun): boolean =>
  end.kind === 'exited' &&
  end.code === 0 &&
  entries.length === healthy.entries.length &&
  findings.length <= healthy.findings.length
