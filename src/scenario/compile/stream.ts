/** Stream scripts of scenario files as plans hold them. */
import { parseDuration } from '../../engine/duration.ts'
import type { PlannedPace } from '../../protocol/plan.ts'
import type { Script, ScriptedCall, ScriptItem, Words } from '../../protocol/script.ts'
import type { WrittenCall, WrittenItem, WrittenStream } from '../written.ts'
import { faultOf } from './fault.ts'

export function scriptOf(items: readonly WrittenItem[]): Script {
  return items.map(itemOf)
}

export function paceOf({
  firstAfter,
  every,
  tokensPerSecond,
  jitter,
}: WrittenStream): PlannedPace | undefined {
  const between = tokensPerSecond === undefined ? parseDuration(every) : 1000 / tokensPerSecond
  const first = parseDuration(firstAfter)
  const spread = parseDuration(jitter)
  if (first === undefined && between === undefined && spread === undefined) return undefined
  return {
    ...(first === undefined ? {} : { firstAfter: first }),
    ...(between === undefined ? {} : { every: between }),
    ...(spread === undefined ? {} : { jitter: spread }),
  }
}

function itemOf(item: WrittenItem): ScriptItem {
  if ('text' in item) return { kind: 'text', ...wordsOf(item.text) }
  if ('reasoning' in item) return { kind: 'reasoning', ...wordsOf(item.reasoning) }
  if ('refusal' in item) return { kind: 'refusal', ...wordsOf(item.refusal) }
  if ('toolCall' in item) return { kind: 'toolCalls', calls: [callOf(item.toolCall)] }
  if ('toolCalls' in item) return { kind: 'toolCalls', calls: item.toolCalls.map(callOf) }
  if ('usage' in item) return { kind: 'usage', ...item.usage }
  if ('finish' in item) return { kind: 'finish', reason: item.finish }
  if ('wait' in item) return { kind: 'wait', ms: parseDuration(item.wait) ?? 0 }
  if ('raw' in item) return { kind: 'raw', text: item.raw }
  if ('fault' in item) return { kind: 'fault', fault: faultOf(item.fault) }
  return 'partial' in item
    ? { kind: 'partial', picture: item.partial }
    : { kind: 'picture', picture: item.picture }
}

function wordsOf(written: string | readonly string[]): Words {
  return typeof written === 'string' ? { text: written } : { text: written.join(''), chunks: written }
}

function callOf({ name, arguments: given, id }: WrittenCall): ScriptedCall {
  const input =
    typeof given === 'string' || Array.isArray(given)
      ? wordsOf(given as string | readonly string[])
      : { text: JSON.stringify(given) }
  return { name, input, ...(id === undefined ? {} : { id }) }
}
