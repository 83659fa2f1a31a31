/**
 * Calls as commands of a model: each is sent to one or two simulators, and what comes back is held against
 * what every call must get. The model knows what earlier responses have named, and what may go wrong by wish.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { planned, problemOf } from '../hostile/_envelope.ts'
import { type Call, calls } from './_calls.ts'
import { filled, type Names, remember } from './_names.ts'
import type { Seeds } from './_seeds.ts'
import type { Outcome, Target } from './_targets.ts'

interface Model {
  readonly names: Names
  /** Whether a scenario, an override or a breakpoint is in force, which may answer anything or nothing. */
  isTroubled: boolean
  /** Whether a client has left a call, so that the journals tell of chance. */
  hasLeft: boolean
}

/** One simulator, or two whose bytes must be the same. */
type Real = readonly Target[]

const newModel = (): Model => ({ names: new Map(), isTroubled: false, hasLeft: false })

/** A call may cost this many seconds of CPU of the event loop. */
const allowedCpu = 1
/** Milliseconds after which a client leaves a call that may hang by wish, and any other. */
const patience = { troubled: 300, otherwise: 20_000 }

const asksForTrouble = /^sim\.(?:addScenario|addOverride|addBreakpoint|createSession|releaseRequest)$/
const reservedWord = /sim[-:]/

export class Send implements fc.AsyncCommand<Model, Real> {
  readonly call: Call

  constructor(call: Call) {
    this.call = call
  }

  check = (): boolean => true

  async run(model: Model, real: Real): Promise<void> {
    const { operation, path, body, headers } = this.call
    const call: Call = {
      ...this.call,
      path: escaped(filled(path, model.names)),
      ...(body === undefined ? {} : { body: filled(body, model.names) }),
    }
    const texts = [call.path, call.body ?? '', ...Object.values(headers)]
    const isTroubled = model.isTroubled || texts.some((text) => reservedWord.test(text))
    const outcomes: Outcome[] = []
    for (const target of real) {
      const before = loopCpu()
      const outcome = await target.send(call, patience[isTroubled ? 'troubled' : 'otherwise'])
      const used = loopCpu() - before
      const problem = target.complaint() ?? problemIn(call, outcome, isTroubled)
      if (problem !== undefined) throw new Error(problem)
      if (used > allowedCpu) throw new Error(`${used.toFixed(1)} s of CPU for one call`)
      outcomes.push(outcome)
    }
    compare(model, operation, outcomes)
    const [outcome] = outcomes
    if (outcome?.kind !== 'answered') return
    if (asksForTrouble.test(operation) && outcome.status < 300) model.isTroubled = true
    if (outcome.status < 500) remember(operation, outcome.body, model.names)
  }

  /** As a failed property shows it, and as found.json keeps it. */
  toString(): string {
    return JSON.stringify(this.call)
  }
}

/** What cannot stand in the first line of a request is escaped, as clients do. */
const escaped = (path: string): string =>
  path
    .replace(/^(?!\/)/, '/')
    .replace(/[^\x21-\x7e]/gu, (letter) => encodeURIComponent(letter.toWellFormed()))

/** What is wrong with what came of a call. */
function problemIn(
  { operation, method, path }: Call,
  outcome: Outcome,
  isTroubled: boolean,
): string | undefined {
  const what = `${operation} ${method} ${path.slice(0, 100)}`
  if (outcome.kind === 'wrong') return `${what}: ${outcome.reason}`
  if (outcome.kind === 'left') return isTroubled ? undefined : `${what} was not answered`
  if (outcome.kind === 'broken') return isTroubled ? undefined : `${what} broke: ${outcome.reason}`
  const { status, headers, body } = outcome
  const type = headers['content-type'] ?? ''
  if (body.includes('simulator_bug')) return `${what}: ${body.slice(0, 600)}`
  // A rule answers what it likes, but the control API has no rules.
  if (isTroubled && type !== 'application/problem+json') return undefined
  if (status < 400 && planned.has(status)) return undefined
  return problemOf({ status, type, text: body }, what)
}

/** Two simulators with one seed answer with the same bytes. */
function compare(model: Model, operation: string, [one, other]: readonly Outcome[]): void {
  if (one === undefined || other === undefined) return
  model.hasLeft ||= one.kind === 'left' || other.kind === 'left'
  // Clients leave by the wall clock, and the journals tell how far each one came; health tells of the loop.
  if (one.kind !== 'answered' || other.kind !== 'answered') return
  if ((model.hasLeft && operation.startsWith('sim.')) || operation === 'sim.health') return
  const [a, b] = [told(one), told(other)]
  let from = 0
  while (from < a.length && a[from] === b[from]) from++
  const near = (text: string): string => JSON.stringify(text.slice(Math.max(0, from - 60), from + 100))
  if (a !== b) throw new Error(`${operation}: the bytes differ: ${near(a)} and ${near(b)}`)
}

/** All that the seed decides: the wall clock writes `date`, and when a call came or was saved. */
function told({ status, headers, body }: Extract<Outcome, { kind: 'answered' }>): string {
  const { date: _, ...others } = headers
  const lines = Object.entries(others).map(([name, value]) => `${name}: ${value}`)
  return `${status}\n${lines.sort().join('\n')}\n\n${body}`.replaceAll(
    /"(?:real|saved)At":"?[^",}]*"?|127\.0\.0\.1:\d+/g,
    '',
  )
}

/** Seconds of CPU that this thread has used, without those that draw; only Linux says so. */
function loopCpu(): number {
  try {
    const stat = readFileSync('/proc/thread-self/stat', 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

const json = (operation: string, path: string, body: unknown): Send =>
  new Send({
    operation,
    method: 'POST',
    path,
    headers: { authorization: 'Bearer sk-fuzz', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Things of each kind, most of which have ended well, so that later calls have ids to name. */
const beginning: readonly Send[] = [
  json('videos.create', '/v1/videos', { model: 'sim-finished', prompt: 'a sunset' }),
  json('imageJobs.create', '/v1/tob/diffusion', { model: 'sim-finished', text: 'a lighthouse' }),
  json('videoOperations.submit', '/v1beta/models/veo-3:predictLongRunning', {
    instances: [{ prompt: 'a sunset [sim:finished]' }],
  }),
  json('images.generate', '/v1/images/generations', { prompt: 'a fox', model: 'dall-e-2', size: '256x256' }),
  json('files.createUploadUrl', '/v1/files/upload_url', { path: 'images/cat.png' }),
  json('videos.create', '/v1/videos', { model: 'video-1', prompt: 'a sunrise' }),
  json('imageJobs.create', '/v1/tob/diffusion', { model: 'image-job-v7', text: 'a harbour' }),
]

export type Commands = Iterable<fc.AsyncCommand<Model, Real>>

/** Up to forty calls, one after the other. */
export const commandsOf = (seeds: Seeds): fc.Arbitrary<Commands> =>
  fc.commands<Model, Real, false>([calls(seeds).map((call) => new Send(call))], {
    maxCommands: 40,
    size: 'max',
  })

/** Runs commands against fresh simulators. */
export async function runCommands(commands: Commands, real: Real): Promise<void> {
  const model = newModel()
  try {
    for (const one of beginning) await one.run(model, real)
    await fc.asyncModelRun(() => ({ model, real }), commands)
  } finally {
    for (const target of real) await target.close()
  }
}
