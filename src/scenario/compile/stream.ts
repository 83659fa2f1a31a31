/** Stream scripts of scenario files as plans hold them. */
import type { PlannedPace } from '../../protocol/plan.ts'
import type { Script, ScriptedCall, ScriptItem, Words } from '../../protocol/script.ts'
import type { ScriptItemSpec, StreamSpec, ToolCallSpec } from '../format/stream.ts'
import { plannedFault } from './fault.ts'

export function scriptOf(items: readonly ScriptItemSpec[]): Script {
  return items.map(itemOf)
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
  if ('text' in item) return { kind: 'text', ...wordsOf(item.text) }
  if ('reasoning' in item) return { kind: 'reasoning', ...wordsOf(item.reasoning) }
  if ('refusal' in item) return { kind: 'refusal', ...wordsOf(item.refusal) }
  if ('toolCall' in item) return { kind: 'toolCalls', calls: [callOf(item.toolCall)] }
  if ('toolCalls' in item) return { kind: 'toolCalls', calls: item.toolCalls.map(callOf) }
  if ('usage' in item) return { kind: 'usage', ...item.usage }
  if ('finish' in item) return { kind: 'finish', reason: item.finish }
  if ('wait' in item) return { kind: 'wait', ms: item.wait }
  if ('raw' in item) return { kind: 'raw', text: item.raw }
  if ('fault' in item) return { kind: 'fault', fault: plannedFault(item.fault) }
  return 'partial' in item
    ? { kind: 'partial', picture: item.partial }
    : { kind: 'picture', picture: item.picture }
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
