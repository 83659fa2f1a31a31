/** What is wrong with what came of a step. */
import { planned, problemOf } from '../hostile/_envelope.ts'
import type { Step } from './steps.ts'
import { textOf } from './steps.ts'
import type { Outcome, PlainResponse } from './targets.ts'

export interface Find {
  readonly what:
    | 'crash'
    | 'hang'
    | 'slow'
    | 'bug'
    | 'status'
    | 'envelope'
    | 'protocol'
    | 'rejection'
    | 'bytes'
    | 'growth'
  readonly detail: string
}

/**
 * Whether somebody has asked for trouble: a scenario or a fault that is in force may answer anything, a
 * reserved value what it says.
 */
export class Trouble {
  #asked = false

  /** Remembers what a step makes possible for those after it. */
  noted({ operation }: Step, outcome: Outcome): void {
    if (outcome.kind !== 'responses') return
    const [response] = outcome.responses
    if (
      /^sim\.(?:addScenario|addOverride|createSession|releaseRequest)$/.test(operation) &&
      (response?.status ?? 500) < 300
    )
      this.#asked = true
  }

  /** Whether responses of the service say nothing about the simulator. */
  get asked(): boolean {
    return this.#asked
  }
}

const asksByWord = /sim[-:]/

export function check(step: Step, outcome: Outcome, trouble: boolean): Find | undefined {
  if (outcome.kind === 'wrong')
    return {
      what: outcome.reason.startsWith('fetch threw') ? 'rejection' : 'protocol',
      detail: outcome.reason,
    }
  if (outcome.kind !== 'responses') return undefined
  for (const response of outcome.responses) {
    const find = checkResponse(step, response, trouble)
    if (find !== undefined) return find
  }
  return undefined
}

function checkResponse(
  step: Step,
  { status, headers, body }: PlainResponse,
  trouble: boolean,
): Find | undefined {
  const what = `${step.operation}${step.kind === 'call' ? ` ${step.method} ${step.path.slice(0, 100)}` : ''}`
  const type = headers['content-type'] ?? ''
  if (body.includes('simulator_bug')) return { what: 'bug', detail: `${what}: ${body.slice(0, 600)}` }
  const control = type.startsWith('application/problem+json')
  if (!control && (trouble || wordsOf(step))) return undefined
  const small = status >= 400 || !planned.has(status)
  if (!small) return undefined
  try {
    const problem = problemOf({ status, type, text: textOf(body) }, what)
    return problem === undefined
      ? undefined
      : { what: planned.has(status) ? 'envelope' : 'status', detail: problem }
  } catch (error) {
    return { what: 'envelope', detail: `${what} → ${status}: ${String(error)} in ${body.slice(0, 300)}` }
  }
}

function wordsOf(step: Step): boolean {
  if (step.kind === 'call')
    return asksByWord.test(`${step.path} ${step.body ?? ''} ${Object.values(step.headers).join(' ')}`)
  if (step.kind !== 'bytes') return false
  // A word may stand in several chunks.
  return asksByWord.test(step.chunks.join('').replaceAll(/\r\n[\da-f]{1,4}(?:;x=y)?\r\n/g, ''))
}

/** What makes two finds the same: numbers, ids and quoted texts aside. */
export function keyOf({ what, detail }: Find, { operation }: Pick<Step, 'operation'>): string {
  const said = detail
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/[\d.]+|\b[0-9a-f-]{8,}\b/g, '0')
    .slice(0, 120)
  return ['crash', 'hang', 'slow', 'bytes', 'growth'].includes(what)
    ? `${what} ${operation}`
    : `${what} ${operation} ${said}`
}
