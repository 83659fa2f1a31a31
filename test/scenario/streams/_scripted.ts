/** Simulators whose every call of some operations gets one stream script, written as in a scenario file. */
import { takeCall } from '../../../src/core.ts'
import type { Plan, PlannedPace } from '../../../src/protocol/plan.ts'
import type { Script, ScriptedCall, ScriptItem, Words } from '../../../src/protocol/script.ts'
import { simulator } from '../../_setup.ts'

type Written = string | readonly string[]
export interface WrittenCall {
  readonly name: string
  readonly arguments: Written | Readonly<Record<string, unknown>>
  readonly id?: string
}
/** An item as scenario files write it. */
export type Item =
  | { readonly text: Written }
  | { readonly reasoning: Written }
  | { readonly refusal: Written }
  | { readonly toolCall: WrittenCall }
  | { readonly toolCalls: readonly WrittenCall[] }
  | { readonly usage: { readonly input?: number; readonly output?: number; readonly reasoning?: number; readonly cached?: number } }
  | { readonly finish: 'stop' | 'length' | 'tool_calls' | 'content_filter' }
  | { readonly wait: number }
  | { readonly raw: string }
  | { readonly fault: string | { readonly kind: string; readonly [option: string]: unknown } }
  | { readonly partial: number }
  | { readonly picture: number }

/** A simulator that says this script whatever it is asked; every reply is held against its schema. */
export function scripted(script: readonly Item[], { pace, ...options }: NonNullable<Parameters<typeof simulator>[0]> & { readonly pace?: PlannedPace } = {}): ReturnType<typeof simulator> {
  const sim = simulator({ clock: 'auto', ...options })
  const plan: Plan = { script: script.map(read), ...(pace === undefined ? {} : { pace }) }
  const { router, settings, sessions, facilities, warn } = sim.core
  const [first] = router.routes
  Object.assign(sim.core, {
    take(...[call, match]: Parameters<typeof sim.core.take>) {
      const exchange = takeCall(call, match, { router, settings, sessions, facilities: facilities.loaded, director: { plan: () => plan }, fallback: (first as { group: never }).group, selfCheck: true })
      if (exchange.bug !== undefined) warn(`bug of the simulator in ${call.method} ${call.path}: ${exchange.bug.stack ?? exchange.bug.message}`)
      return exchange
    },
  })
  return sim
}

const wordsOf = (written: Written): Words => (typeof written === 'string' ? { text: written } : { text: written.join(''), chunks: written })
const callOf = ({ name, arguments: input, id }: WrittenCall): ScriptedCall => ({ name, input: typeof input === 'string' || Array.isArray(input) ? wordsOf(input as Written) : { text: JSON.stringify(input) }, ...(id === undefined ? {} : { id }) })

function read(item: Item): ScriptItem {
  const [[kind, value]] = Object.entries(item) as [[string, never]]
  switch (kind) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return { kind, ...wordsOf(value) }
    case 'toolCall':
      return { kind: 'toolCalls', calls: [callOf(value)] }
    case 'toolCalls':
      return { kind, calls: (value as WrittenCall[]).map(callOf) }
    case 'usage':
      return { kind, ...(value as object) }
    case 'finish':
      return { kind, reason: value }
    case 'wait':
      return { kind, ms: value }
    case 'raw':
      return { kind, text: value }
    case 'fault':
      return { kind, fault: typeof value === 'string' ? { kind: value, how: 'reset', type: 'api_error', message: 'The server had an error while streaming.' } : value }
    default:
      return { kind: kind as 'partial', picture: value }
  }
}
