/** A trial inside a test: the client is a function, and each run has a separate simulator. */
import type { JournalEntry } from '../exchange/exchange.ts'
import { createSimulator, type Simulator, type SimulatorOptions, type SimulatorSession } from '../index.ts'
import type { ObservedRun, RunEnd } from './judge.ts'
import {
  type Cell,
  type CellSelection,
  cellsOf,
  runCells,
  scenarioOf,
  selectionError,
  type TrialResult,
  titleOf,
} from './trial.ts'

/** The arguments of the client for one run. */
export interface ClientTrial {
  /** A session of this run's simulator: `new OpenAI(sim.sdk.openai())`. */
  readonly sim: SimulatorSession
  /** The simulator itself, for `listen`, `middleware` and `handlers`. */
  readonly simulator: Simulator
  /** `chat.create: disconnect, request 1`; undefined in the healthy run. */
  readonly failure: string | undefined
}

/** Uses the client once. Resolves if it succeeded, with its text if it has one; rejects if it gave up. */
export type TriedClient = (trial: ClientTrial) => unknown

export interface TryOptions extends Partial<CellSelection> {
  /** Options of each simulator. The clock is `auto` by default. */
  readonly simulatorOptions?: SimulatorOptions
  /** Milliseconds of real time after which a run counts as hung. Default: 4000. */
  readonly timeout?: number
  /** Number of concurrent runs. Default: 16. */
  readonly jobs?: number
}

/**
 * Runs a client once without a failure, and then once for each failure of its requests.
 * Each run has a simulator with the clock `auto`. Throws if the client fails without a failure, or sends no
 * request.
 *
 * @example
 * const results = await tryFailures(({ sim }) => answer(new OpenAI(sim.sdk.openai())))
 */
export async function tryFailures(client: TriedClient, options: TryOptions = {}): Promise<TrialResult[]> {
  const renderer = createSimulator()
  try {
    return await tryEach(client, options, renderer.core.media)
  } finally {
    await renderer.close()
  }
}

/** `media` renders the images and videos of all runs, each of them once. */
async function tryEach(client: TriedClient, options: TryOptions, media: SharedMedia): Promise<TrialResult[]> {
  const { only = [], except = [], quick, jobs = defaultJobs } = options
  const { run: healthy, sim } = await runClient(client, { ...options, media })
  if (healthy.end.kind !== 'exited' || healthy.end.code !== 0)
    throw new Error(`the client failed without an injected failure: ${healthy.stderr || 'it hung'}`)
  const { vocabulary } = sim.core
  const error = selectionError({ only, except }, vocabulary.operations)
  if (error !== undefined) throw new TypeError(`tryFailures: ${error}`)
  const cells = cellsOf(healthy.entries, vocabulary, { only, except, quick })
  if (cells.length === 0) throw new Error('no failure to try: the client sent no successful request')
  const judged = await runCells(cells, {
    run: async (cell) => (await runClient(client, { ...options, media }, cell)).run,
    healthy,
    vocabulary,
    jobs,
    done() {},
    isStopped: () => false,
  })
  return judged.map(({ result }) => result)
}

/** SDKs wait several seconds before they retry a request. */
const defaultTimeout = 4000
const defaultJobs = 16

type SharedMedia = Simulator['core']['media']

async function runClient(
  client: TriedClient,
  { simulatorOptions = {}, timeout = defaultTimeout, media }: TryOptions & { readonly media: SharedMedia },
  cell?: Cell,
): Promise<{ readonly run: ObservedRun; readonly sim: Simulator }> {
  const { scenarios = [], onCall, ...given } = simulatorOptions
  const entries: JournalEntry[] = []
  const sim = createSimulator({
    ...given,
    scenarios: [...(cell === undefined ? [] : [scenarioOf(cell)]), ...[scenarios].flat()],
    onCall(entry) {
      entries.push(entry)
      onCall?.(entry)
    },
  })
  sim.core.media = media
  const trial = {
    sim: sim.createSession({ name: 'trial' }),
    simulator: sim,
    failure: cell === undefined ? undefined : titleOf(cell),
  }
  const startedAt = performance.now()
  const work = (async () => client(trial))()
  const { end, stdout = '', stderr = '' } = await endOf(work, timeout)
  const seconds = (performance.now() - startedAt) / 1000
  const findings = sim.core.sessions.all().flatMap(({ sandbox }) => sim.core.clientReportOf(sandbox).findings)
  const run = { end, stdout, stderr, seconds, entries, findings }
  await sim.close()
  return { run, sim }
}

interface End {
  readonly end: RunEnd
  readonly stdout?: string
  readonly stderr?: string
}

function endOf(work: Promise<unknown>, timeout: number): Promise<End> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ end: { kind: 'hung', hang: 'timeout' } }), timeout)
    const finish = (end: End): void => {
      clearTimeout(timer)
      resolve(end)
    }
    work.then(
      (output) =>
        finish({ end: { kind: 'exited', code: 0 }, stdout: typeof output === 'string' ? output : '' }),
      (error: unknown) =>
        finish({
          end: { kind: 'exited', code: 1 },
          stderr: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    )
  })
}
