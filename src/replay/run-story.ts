/** Takes the steps of one scenario, as a client does, and says what held. */
import { formatDuration } from '../engine/duration.ts'
import { formatInstant } from '../engine/instant.ts'
import type { Match } from '../protocol/router.ts'
import type {
  AdvanceStep,
  CallStep,
  Expectation,
  FetchStep,
  ParallelStep,
  Step,
} from '../scenario/format/steps.ts'
import { callRequest, fetchRequest, type RequestParts } from './build-request.ts'
import { createChanges } from './changes.ts'
import { deviations } from './contract.ts'
import { shown } from './differences.ts'
import type { Exchange, StepRequest } from './exchange.ts'
import { type CallView, changesShown, unfired, unmet, viewOf } from './judge.ts'
import { hasEndMarker } from './read-stream.ts'
import type { Failure, StepReport, StoryReport } from './report.ts'
import { filledIn, namesIn, partAt, UnknownNames } from './saved-values.ts'
import { sendRequest } from './send-request.ts'
import type { Target } from './target.ts'

/** What is to be run. */
export interface Story {
  readonly file: string
  readonly title: string
  readonly seed: string | undefined
  readonly steps: readonly Step[]
  /** Whether the scenario has a rule about an operation; none has one when left out. */
  ruled?(operation: string): boolean
}

export interface RunOptions {
  readonly target: Target
  readonly parts: RequestParts
  /** The operation of a path, for replies to `fetch`. */
  match(method: string, path: string): Match
  /** Why a step cannot be taken here, by its number; undefined for those that can. */
  skip?(step: string): string | undefined
  /** What is said beside a key that is not known, where none was given. */
  readonly keyless?: string | undefined
  /** Hears of each step that has been taken, and of waiting that takes real time. */
  onStep?(report: StepReport): void
  onProgress?(step: string, words: string): void
  /** Where time cannot be moved: how long to look again, in milliseconds. */
  readonly limit?: number
}

const defaultEvery = 1000
const defaultLimit = 3_600_000
const idleLimit = 86_400_000
/** Calls that one step makes at most; each of them is kept. */
const maxCalls = 10_000
/** Deviations that are told of one step. */
const maxDeviations = 5

/** Runs all steps; failures are part of the report. Rejects only when the replay itself cannot go on. */
export async function runStory(story: Story, options: RunOptions): Promise<StoryReport> {
  const { target } = options
  const { pacer } = target
  const start = pacer.now()
  const run = createRun(story, options, start)
  const taken: StepReport[] = []
  for (const [index, step] of story.steps.entries()) taken.push(...(await run(step, String(index + 1))))
  const reports = withoutIdleAdvances(taken)
  const count = (outcome: StepReport['outcome']): number =>
    reports.filter((report) => report.outcome === outcome).length
  const counts = { held: count('held'), failed: count('failed'), skipped: count('skipped') }
  return {
    file: story.file,
    title: story.title,
    against: target.name,
    base: target.base,
    seed: story.seed,
    start,
    end: pacer.now(),
    outcome: counts.held + counts.failed === 0 ? 'empty' : counts.failed > 0 ? 'failed' : 'held',
    steps: reports,
    counts,
  }
}

// Where every call is skipped, nothing has been tried: an `advance` that held would say otherwise.
function withoutIdleAdvances(reports: readonly StepReport[]): StepReport[] {
  const calls = reports.filter(({ kind }) => kind !== 'advance')
  if (calls.length === 0 || calls.some(({ outcome }) => outcome !== 'skipped')) return [...reports]
  return reports.map((report) =>
    report.outcome === 'held'
      ? { ...report, outcome: 'skipped', reason: 'every call of this scenario is skipped' }
      : report,
  )
}

/** How a step is looked at, in milliseconds: after `wait`, and again until it is so. */
interface Repeated {
  readonly until?: Expectation
  readonly every: number
  readonly limit: number
  readonly wait: number
}

type Run = (step: Step, number: string) => Promise<StepReport[]>

function createRun(story: Story, options: RunOptions, start: number): Run {
  const { target, parts } = options
  const { pacer } = target
  const saved = new Map<string, unknown>()
  const changes = createChanges()
  /** Time that was asked to pass where nobody can move it, in milliseconds. */
  let owed = 0
  /** How long is waited where nobody can move it, in milliseconds. */
  const most = options.limit ?? defaultLimit

  const report = (
    number: string,
    step: CallStep | FetchStep | AdvanceStep,
    kind: StepReport['kind'],
    title: string,
    at: number,
    more: Partial<StepReport>,
  ): StepReport[] => {
    const { failures = [], reason } = more
    const made: StepReport = {
      step: number,
      kind,
      name: step.name,
      title,
      at: at - start,
      endedAt: pacer.now() - start,
      outcome: reason !== undefined ? 'skipped' : failures.length > 0 ? 'failed' : 'held',
      reason,
      exchanges: [],
      failures,
      changed: [],
      saved: {},
      fired: [],
      notes: [],
      ...more,
    }
    options.onStep?.(made)
    return [made]
  }

  const parallel: (step: ParallelStep, number: string) => Promise<StepReport[]> = async (step, number) => {
    const lanes = step.parallel.map(
      (one, index) => () =>
        run(
          one.name === undefined && step.name !== undefined ? { ...one, name: step.name } : one,
          `${number}.${index + 1}`,
        ),
    )
    return (await pacer.together(lanes)).flat()
  }

  const advance = async (step: AdvanceStep, number: string): Promise<StepReport[]> => {
    const at = pacer.now()
    const { advance: by } = step
    const to = typeof by === 'object' && 'to' in by ? by.to : undefined
    const until = typeof by === 'object' && 'until' in by ? by.until : undefined
    const wanted = typeof by !== 'object' ? by : to === undefined ? undefined : Math.max(0, to - at)
    const title = `advance ${typeof by !== 'object' ? formatDuration(by) : to === undefined ? `until ${until}` : `to ${formatInstant(to)}`}`
    if (!target.movesTime) {
      owed += wanted ?? 0
      return report(number, step, 'advance', title, at, {
        notes: [
          `time cannot be moved here: a look that comes next is repeated until it shows what is expected, any other call waits${wanted === undefined ? '' : ' as long'}`,
        ],
      })
    }
    const unmeant = options.skip?.(number)
    const notes = unmeant === undefined ? [] : [`changes are not judged: ${unmeant}`]
    const goesBack = to !== undefined && to < at
    if (goesBack && unmeant !== undefined)
      return report(number, step, 'advance', title, at, { reason: unmeant })
    if (goesBack)
      return report(number, step, 'advance', title, at, {
        failures: [
          {
            kind: 'expectation',
            field: 'advance',
            expected: `an instant from now on (${new Date(at).toISOString()}): time does not go backwards`,
            got: formatInstant(to),
          },
        ],
      })
    const from = pacer.fired.length
    if (until !== undefined) await pacer.sleepUntil(until, idleLimit)
    else await pacer.sleep(wanted ?? 0)
    const fired = pacer.fired.slice(from)
    return report(number, step, 'advance', title, at, {
      fired,
      changed: changesShown(fired),
      notes,
      failures:
        unmeant !== undefined
          ? []
          : unfired(wantedChanges(step), fired).map((found) => ({ kind: 'expectation', ...found })),
    })
  }

  // A name that nobody has saved stays as it is written, and no change is like it.
  const wantedChanges = ({ expect }: AdvanceStep): readonly unknown[] =>
    (expect?.fired ?? []).map((change) =>
      namesIn(change).every((name) => saved.has(name)) ? filledIn(change, saved) : change,
    )

  const exchange = async (step: CallStep | FetchStep, number: string): Promise<StepReport[]> => {
    const kind = 'call' in step ? 'call' : 'fetch'
    const at = pacer.now()
    let title = 'call' in step ? step.call : `${step.method ?? 'GET'} ${step.fetch}`
    const reason = options.skip?.(number)
    if (reason !== undefined) return report(number, step, kind, title, at, { reason })
    if ('fetch' in step && !target.movesTime && !/^(?:\/|\$\{)/.test(step.fetch))
      return report(number, step, kind, title, at, {
        reason: 'only addresses of this server, and those that its replies gave, are loaded',
      })
    let filled: typeof step
    let request: StepRequest
    try {
      filled = filledIn(step, saved)
      request = 'call' in filled ? await callRequest(filled, parts) : await fetchRequest(filled, parts)
    } catch (error) {
      if (!(error instanceof UnknownNames)) throw error
      return report(number, step, kind, title, at, {
        reason: `it needs ${error.names.map((name) => `\${${name}}`).join(' and ')}, which no step before it has saved`,
      })
    }
    if (kind === 'fetch') title = `${request.method} ${pathOf(request.url)}`

    const again = repeated(filled, request)
    // To go on at once would be to try something else; what comes behind it needs the same time.
    if (again.wait > most)
      return report(number, step, kind, title, at, {
        reason: `it needs ${formatDuration(again.wait)} to pass, time cannot be moved here, and --limit is ${formatDuration(most)}`,
      })
    owed = 0
    const from = pacer.fired.length
    const { exchanges, view, late } = await look(filled, request, number, again)
    const last = exchanges.at(-1) as Exchange
    const { expected, notes } = judgeable(filled.expect ?? {})
    const failures: Failure[] = late.map((found) => ({ kind: 'expectation', ...found }))
    if (late.length === 0)
      failures.push(
        ...unmet(expected, view, last.reason, 'call' in filled && filled.stopAfter !== undefined).map(
          (found): Failure => ({ kind: 'expectation', ...found }),
        ),
      )
    const { broken, beyond } = contract(exchanges, expected)
    failures.push(...broken)
    const kept: Record<string, unknown> = {}
    for (const [name, path] of Object.entries(filled.save ?? {})) {
      const value = partAt(view, path)
      if (value === undefined) {
        if (failures.length === 0)
          failures.push({
            kind: 'expectation',
            field: path,
            expected: `something to save as "${name}"`,
            got: thereIn(view, path),
          })
        continue
      }
      kept[name] = value
      saved.set(name, value)
    }
    const { fired } = pacer
    return report(number, step, kind, title, at, {
      exchanges,
      failures,
      changed: changes.of(view, `${request.method} ${pathOf(request.url)}`),
      saved: kept,
      fired: fired.slice(from),
      notes: [
        ...notes,
        ...beyond,
        ...(failures.length > 0 && view.status === 401 && options.keyless !== undefined
          ? [options.keyless]
          : []),
      ],
    })
  }

  /** Calls once, or again and again until it is so. */
  const look = async (
    step: CallStep | FetchStep,
    request: StepRequest,
    number: string,
    again: Repeated,
  ): Promise<{ exchanges: Exchange[]; view: CallView; late: ReturnType<typeof unmet> }> => {
    const stopAfter = 'call' in step ? step.stopAfter : undefined
    const send = async (): Promise<Exchange> =>
      sendRequest(request, target, { stopAfter, isLast: hasEndMarker })
    if (again.wait > 0) {
      options.onProgress?.(number, `waiting ${formatDuration(again.wait)}`)
      await pacer.sleep(again.wait)
    }
    const began = pacer.now()
    const exchanges: Exchange[] = []
    for (;;) {
      const made = await send()
      exchanges.push(made)
      const view = viewOf(made)
      if (again.until === undefined) return { exchanges, view, late: [] }
      const missing = unmet(again.until, view, made.reason)
      if (missing.length === 0) return { exchanges, view, late: [] }
      if (isFinal(view, 'call' in step ? step.call : undefined))
        return {
          exchanges,
          view,
          late: [
            { field: 'until', expected: 'this, or a refusal that waiting mends', got: refusalWords(view) },
          ],
        }
      if (pacer.now() - began + again.every > again.limit || exchanges.length >= maxCalls) {
        return {
          exchanges,
          view,
          late: [
            {
              field: 'until',
              expected: `this within ${formatDuration(again.limit)}`,
              got: `${exchanges.length} calls without it${exchanges.length >= maxCalls ? ', the most that one step makes: let `every` be longer' : ''}`,
            },
            ...missing,
          ],
        }
      }
      options.onProgress?.(number, `${exchanges.length} calls, ${missing[0]?.field} is ${missing[0]?.got}`)
      await pacer.sleep(again.every)
    }
  }

  // A rule about the operation may refuse now and answer later; the service itself does not change its mind
  // about these.
  const isFinal = ({ status, body }: CallView, operation: string | undefined): boolean => {
    if (operation === undefined || status === undefined || story.ruled?.(operation) === true) return false
    // What is asked for too early (the content of a video that is not finished) is a 400 about the id.
    return [401, 403, 404].includes(status) || (status === 400 && !/id$/i.test(String(paramOf(body) ?? '')))
  }

  // Where time cannot be moved, a look that reads is repeated instead; what would act twice waits.
  const repeated = (step: CallStep | FetchStep, { method }: StepRequest): Repeated => {
    const due = owed
    if ('call' in step && step.until !== undefined) {
      const limit = step.limit ?? defaultLimit
      return {
        until: step.until,
        every: Math.max(1, step.every ?? defaultEvery),
        limit: target.movesTime ? limit : Math.min(limit, most),
        wait: 0,
      }
    }
    if (due > 0 && method === 'GET' && step.expect !== undefined)
      return {
        until: judgeable(step.expect).expected,
        every: Math.min(defaultEvery, due),
        limit: most,
        wait: 0,
      }
    return { every: defaultEvery, limit: most, wait: due }
  }

  // Real time depends on machines and networks: nothing that counts its milliseconds can be judged.
  const judgeable = (
    expected: Expectation,
  ): { readonly expected: Expectation; readonly notes: readonly string[] } => {
    const timed =
      expected.took !== undefined ||
      expected.stream?.events?.some(({ after }) => after !== undefined) === true
    if (target.movesTime || !timed) return { expected, notes: [] }
    const { took: _, stream, ...rest } = expected
    const events = stream?.events?.map(({ after: _after, ...event }) => event)
    return {
      expected: {
        ...rest,
        ...(stream === undefined
          ? {}
          : { stream: { ...stream, ...(events === undefined ? {} : { events }) } }),
      },
      notes: ['`took` and `after` are judged on virtual time only'],
    }
  }

  const contract = (
    exchanges: readonly Exchange[],
    expected: Expectation,
  ): { readonly broken: readonly Failure[]; readonly beyond: readonly string[] } => {
    const found = new Map<string, Failure>()
    const beyond = new Set<string>()
    for (const made of exchanges) {
      if (made.broken !== undefined) continue
      const match = made.request.url.startsWith(`${target.base}/`)
        ? options.match(made.request.method, pathOf(made.request.url))
        : undefined
      const route =
        made.request.operation === undefined
          ? match?.kind === 'found'
            ? match.route
            : undefined
          : parts.routeOf(made.request.operation)
      if (route === undefined) continue
      for (const { beyond: more, ...deviation } of deviations(made, route)) {
        if (more === true) beyond.add(deviation.field)
        else found.set(`${deviation.field} ${deviation.expected}`, { kind: 'contract', ...deviation })
      }
    }
    if (expected.offContract === true)
      return {
        beyond: [],
        broken:
          found.size + beyond.size > 0
            ? []
            : [
                {
                  kind: 'expectation',
                  field: 'offContract',
                  expected: 'a reply that breaks the contract',
                  got: 'one that keeps it',
                },
              ],
      }
    return {
      broken: [...found.values()].slice(0, maxDeviations),
      beyond:
        beyond.size === 0 ? [] : [`beyond the contract: ${[...beyond].slice(0, maxDeviations).join(', ')}`],
    }
  }

  const pathOf = (url: string): string =>
    (url.startsWith(target.base) ? url.slice(target.base.length) : url).replace(/[?#].*$/s, '')

  const run: Run = async (step, number) => {
    if ('parallel' in step) return parallel(step, number)
    if ('advance' in step) return advance(step, number)
    return exchange(step, number)
  }
  return run
}

/** What stands where a path ends that leads nowhere: the names that would have been right. */
function thereIn(view: CallView, path: string): string {
  const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  for (let length = parts.length - 1; length > 0; length--) {
    const front = parts.slice(0, length).join('.')
    const holder = front === 'headers' ? view.headers : partAt(view, front)
    if (holder === undefined) continue
    if (Array.isArray(holder)) return `nothing: ${front} is a list of ${holder.length}`
    if (holder === null || typeof holder !== 'object') return `nothing: ${front} is ${shown(holder)}`
    const names = Object.keys(holder)
    const listed = names.slice(0, maxNames).join(', ')
    return `nothing: ${front} has ${names.length === 0 ? 'no fields' : listed}${names.length > maxNames ? ` and ${names.length - maxNames} more` : ''}`
  }
  return 'nothing'
}

/** Names of fields that are listed at most. */
const maxNames = 20

function paramOf(body: unknown): unknown {
  return partAt({ body }, 'body.error.param')
}

function refusalWords({ status, body }: CallView): string {
  const message = partAt({ body }, 'body.error.message')
  return `${status}${typeof message === 'string' ? ` ${JSON.stringify(message)}` : ''}`
}
