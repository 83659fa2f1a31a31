/** A process that puts batches through simulators; whoever started it kills it when it hangs. */
import { readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Library from '../../src/index.ts'
import { type Mode, makeBatch } from './batch.ts'
import { isKnownTo, type LocalBench, localBench, type Server, startServer } from './benches.ts'
import { type Find, Trouble } from './check.ts'
import type { Job, JobResult, LaneFind } from './jobs.ts'
import { allowedCpu, type Bench, firstDifference, type Ran, runSteps, slow } from './run-steps.ts'
import { type Seeds, seedsOf } from './seeds.ts'
import type { Area, Step } from './steps.ts'
import type { Outcome } from './targets.ts'

interface Options {
  readonly root: string
  readonly mode: Mode
  readonly seed: string
  readonly only?: Area
}

const { root, mode, seed, only } = JSON.parse(process.argv[2] ?? '{}') as Options
const { createSimulator } = (await import(
  pathToFileURL(join(root, 'dist', 'index.js')).href
)) as typeof Library
const { gc } = globalThis as { gc?: () => void }

let seeds: Seeds | undefined
const known = async (): Promise<Seeds> => (seeds ??= await seedsOf(createSimulator({ clock: 'auto' }), root))

const rejections: Find[] = []
process.on('unhandledRejection', (error) => {
  rejections.push({
    what: 'rejection',
    detail: `unhandled: ${error instanceof Error ? (error.stack ?? '') : String(error)}`,
  })
})

/** Counts what has been answered, on any lane. */
let progress = 0
const after = (outcome: Outcome): void => {
  if (outcome.kind !== 'left') progress++
}
/** The step of the batch that is under way. */
let current = 0

/** The step that is under way, where whoever kills this process can read it. */
function blackBox(lane: number, at: number): void {
  current = at
  writeSync(3, `${lane} ${at}`.padEnd(20), 0)
}

/** A bench in this process, watched for rejections. */
function local(): LocalBench {
  const bench = localBench(createSimulator)
  return { ...bench, complaint: () => rejections.shift() ?? bench.complaint() }
}

async function twice(steps: readonly Step[]): Promise<Ran> {
  const runs: Ran[] = []
  while (runs.length < 2) {
    const fresh = mode === 'http' ? await startServer(root) : undefined
    const bench = fresh ?? local()
    // The second is sent exactly what the first was: a client that left early knows fewer ids.
    const sent = runs[0]?.sent ?? steps
    const run = (): Promise<Ran> => runSteps(sent, bench, { before: (at) => blackBox(0, at), after })
    runs.push(await (fresh === undefined ? run() : guarded(fresh, run)))
    bench.close()
    fresh?.kill()
  }
  const [one, other] = runs as [Ran, Ran]
  const difference = firstDifference(one, other)
  return difference === undefined ? one : { ...one, finds: [...one.finds, difference] }
}

/** Given steps, against a fresh simulator. */
async function given(steps: readonly Step[], isTwice: boolean): Promise<Ran> {
  if (isTwice) return twice(steps)
  if (mode === 'in-process') return runSteps(steps, local(), { before: (at) => blackBox(0, at), after })
  const server = await startServer(root)
  const ran = await guarded(server, () => runSteps(steps, server, { before: (at) => blackBox(0, at), after }))
  server.kill()
  return ran
}

/** Runs, but for no longer than a server that answers nobody keeps its CPU busy. */
async function guarded(server: Server, run: () => Promise<Ran>): Promise<Ran> {
  let timer: NodeJS.Timeout | undefined
  const started = server.cpu() ?? 0
  let last = { answered: progress, cpu: started }
  const stuck = new Promise<Ran>((resolve) => {
    timer = setInterval(() => {
      const cpu = server.cpu() ?? 0
      if (progress !== last.answered) last = { answered: progress, cpu }
      else if (cpu - last.cpu > 10 * allowedCpu)
        resolve({
          finds: [{ what: 'hang', detail: 'no end after ten seconds of CPU', at: current }],
          outcomes: [],
          sent: [],
        })
    }, 200)
  })
  const ran = await Promise.race([run(), stuck])
  clearInterval(timer)
  return ran
}

let bench: LocalBench | undefined
let server: Server | undefined
let busy = new Trouble()

async function fuzzLocal(indexes: readonly number[]): Promise<JobResult> {
  bench ??= local()
  const result: JobResult = { requests: {}, finds: [] }
  for (const index of indexes) {
    const { steps, area } = makeBatch(await known(), seed, index, mode, only)
    const ran = await runSteps(steps, bench, { before: (at) => blackBox(index, at), after })
    count(result, area, steps, ran)
    result.finds.push(...ran.finds.map((find) => ({ index, find, steps: steps.slice(0, find.at + 1) })))
    await bench.reset()
  }
  return result
}

/** Several batches side by side over as many connections, as a team shares a server. */
async function fuzzServer(indexes: readonly number[]): Promise<JobResult> {
  const shared = (server ??= await startServer(root))
  const result: JobResult = { requests: {}, finds: [] }
  busy = new Trouble()
  const lanes = await Promise.all(
    indexes.map(async (index) => ({ index, ...makeBatch(await known(), seed, index, mode, only) })),
  )
  const sent: Step[] = []
  const position = lanes.map(() => 0)
  const watch = stalls(shared, (used) => {
    for (const [lane, { index, steps }] of lanes.entries()) {
      const at = position[lane] ?? 0
      if (at < steps.length)
        result.finds.push({
          index,
          find: { ...slow(used), at },
          steps: steps.slice(0, at + 1),
          suspect: true,
        })
    }
  })
  const ran = Promise.all(
    lanes.map(async ({ index, area, steps }, lane) => {
      const client: Bench = shared.lane()
      const done = await runSteps(steps, client, {
        trouble: busy,
        after,
        before(at) {
          position[lane] = at
          sent.push(steps[at] as Step)
        },
      })
      position[lane] = steps.length
      client.close()
      count(result, area, steps, done)
      const finds: LaneFind[] = done.finds.map((find) => ({
        index,
        find,
        steps: steps.slice(0, find.at + 1),
      }))
      result.finds.push(...finds)
    }),
  )
  await Promise.race([ran, watch.gaveUp])
  watch.stop()
  if (result.finds.length > 0) result.context = sent.slice()
  if (result.finds.some(({ find }) => ['crash', 'hang', 'slow'].includes(find.what))) {
    shared.kill()
    server = undefined
  } else await shared.reset()
  return result
}

/** Watches a server that several clients share: `late` when it worked on and on and answered none of them. */
function stalls(shared: Server, late: (used: number) => void) {
  let last = { progress, cpu: shared.cpu() ?? 0 }
  let isLate = false
  let giveUp: () => void = () => {}
  const gaveUp = new Promise<void>((resolve) => (giveUp = resolve))
  const timer = setInterval(() => {
    const cpu = shared.cpu() ?? 0
    if (progress !== last.progress) {
      last = { progress, cpu }
      isLate = false
    } else if (cpu - last.cpu > allowedCpu && !isLate) {
      isLate = true
      late(cpu - last.cpu)
    } else if (cpu - last.cpu > 10 * allowedCpu) giveUp()
  }, 100)
  return { gaveUp, stop: () => clearInterval(timer) }
}

function count({ requests }: JobResult, area: Area, steps: readonly Step[], { outcomes }: Ran): void {
  for (const [at, outcome] of outcomes.entries()) {
    const key = `${area} ${steps[at]?.operation}`
    const tally = (requests[key] ??= { sent: 0, answered: 0, rejected: 0, left: 0 })
    tally.sent++
    const status = outcome.kind === 'responses' ? (outcome.responses[0]?.status ?? 0) : 0
    if (status === 0) tally.left++
    else if (status < 400) tally.answered++
    else tally.rejected++
  }
}

async function work(job: Job): Promise<JobResult> {
  if (job.kind === 'memory') return { requests: {}, finds: [], memory: await memory() }
  if (job.kind === 'make') {
    const { steps } = makeBatch(await known(), seed, job.index, mode, only)
    return { requests: {}, finds: [], context: [...steps] }
  }
  if (job.kind === 'fuzz') return mode === 'http' ? fuzzServer(job.indexes) : fuzzLocal(job.indexes)
  const steps = job.kind === 'steps' ? job.steps : await comparable(job.index)
  const usable = steps.filter((step) => isKnownTo(step, mode === 'http' ? 'server' : 'local'))
  const ran = await given(usable, job.twice)
  const result: JobResult = { requests: {}, finds: [] }
  count(result, only ?? 'calls', usable, ran)
  result.finds = ran.finds.map((find) => ({ index: -1, find, steps: usable.slice(0, find.at + 1) }))
  return result
}

/** What comes over a socket of its own is cut where chance cuts it: such batches are not compared. */
async function comparable(index: number): Promise<readonly Step[]> {
  const batch = makeBatch(await known(), seed, index, mode, only)
  return (batch.area === 'sockets' ? makeBatch(await known(), seed, index, mode, 'calls') : batch).steps
}

async function memory(): Promise<{ heap: number; descriptors: number }> {
  if (server !== undefined) return server.memory()
  gc?.()
  return { heap: process.memoryUsage().heapUsed, descriptors: readdirSync('/proc/self/fd').length }
}

process.on('message', (job: Job) => {
  work(job).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      console.error(error)
      process.exit(9)
    },
  )
})
process.on('disconnect', () => {
  server?.kill()
  process.exit(0)
})
process.send?.('ready')
