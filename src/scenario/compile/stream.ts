/** Stream scripts of scenario files as plans hold them. */
import type { PlannedPace } from '../../protocol/plan.ts'
import type {
  Frames,
  Script,
  ScriptedCall,
  ScriptedLogprob,
  ScriptItem,
  Words,
} from '../../protocol/script.ts'
import type { FrameSpec, ScriptItemSpec, StreamSpec, ToolCallSpec } from '../format/stream.ts'
import { plannedFault } from './fault.ts'

export function scriptOf(items: readonly ScriptItemSpec[]): Script {
  return items.map(itemOf)
}

/** A stream by hand. Data that is not text is JSON; each of its lines is one of the event. */
export function framesOf(frames: readonly FrameSpec[]): Frames {
  return frames.map((frame) => {
    if (typeof frame === 'string') return { kind: 'raw', text: frame }
    if ('wait' in frame) return { kind: 'wait', ms: frame.wait }
    if ('fault' in frame) return { kind: 'fault', fault: plannedFault(frame.fault) }
    const { event, data } = frame
    const lines = (typeof data === 'string' ? data : JSON.stringify(data ?? null)).split('\n')
    const named = event === undefined ? '' : `event: ${event}\n`
    return { kind: 'raw', text: `${named}${lines.map((line) => `data: ${line}\n`).join('')}\n` }
  })
}

export function paceOf({ firstAfter, every, tokensPerSecond, jitter }: StreamSpec): PlannedPace | undefined {
  const between = tokensPerSecond === undefined ? every : 1000 / tokensPerSecond
  if (firstAfter === undefined && between === undefined && jitter === undefined) return undefined
  return {
    ...(firstAfter === undefined ? {} : { firstAfter }),
    ...(between === undefined ? {} : { every: between }),
    ...(jitter === undefined ? {} : { jitter }),
  }
}

function itemOf(item: ScriptItemSpec): ScriptItem {
  if ('text' in item) {
    const { text, logprobs, citations } = item
    return {
      kind: 'text',
      ...wordsOf(text),
      ...(logprobs === undefined ? {} : { logprobs: logprobs.map(logprobOf) }),
      ...(citations === undefined ? {} : { citations }),
    }
  }
  if ('reasoning' in item) {
    const { reasoning, signature } = item
    return { kind: 'reasoning', ...wordsOf(reasoning), ...(signature === undefined ? {} : { signature }) }
  }
  if ('redacted' in item)
    return item.redacted === true ? { kind: 'redacted' } : { kind: 'redacted', data: item.redacted }
  if ('refusal' in item) return { kind: 'refusal', ...wordsOf(item.refusal) }
  if ('toolCall' in item) return { kind: 'toolCalls', calls: [callOf(item.toolCall)] }
  if ('toolCalls' in item) return { kind: 'toolCalls', calls: item.toolCalls.map(callOf) }
  if ('usage' in item) return item.usage === 'none' ? { kind: 'noUsage' } : { kind: 'usage', ...item.usage }
  if ('finish' in item) return finishOf(item.finish)
  if ('wait' in item) return { kind: 'wait', ms: item.wait }
  if ('raw' in item) return { kind: 'raw', text: item.raw }
  if ('fault' in item) return { kind: 'fault', fault: plannedFault(item.fault) }
  return 'partial' in item
    ? { kind: 'partial', picture: item.partial }
    : { kind: 'picture', picture: item.picture }
}

const logprobOf = (written: number | ScriptedLogprob): ScriptedLogprob =>
  typeof written === 'number' ? { logprob: written } : written

type FinishSpec = Extract<ScriptItemSpec, { finish: unknown }>['finish']

function finishOf(finish: FinishSpec): ScriptItem {
  return typeof finish === 'string'
    ? { kind: 'finish', reason: finish }
    : { kind: 'finish', reason: 'stop_sequence', sequence: finish.stop_sequence }
}

function wordsOf(written: string | readonly string[]): Words {
  return typeof written === 'string' ? { text: written } : { text: written.join(''), chunks: written }
}

function callOf({ name, arguments: given, id }: ToolCallSpec): ScriptedCall {
  const input =
    typeof given === 'string' || Array.isArray(given)
      ? wordsOf(given as string | readonly string[])
      : { text: JSON.stringify(given) }
  return { name, input, ...(id === undefined ? {} : { id }) }
}
