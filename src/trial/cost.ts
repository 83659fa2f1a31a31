/** The additional cost of a run, compared with the healthy run. */
import { isFields, jsonIn } from '../engine/fields.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import { isStream } from '../exchange/exchange.ts'
import { readStream } from '../protocol/read-stream.ts'
import { createdIn, hasSucceeded, type ObservedRun } from './judge.ts'
import { type JudgedCell, trialRule } from './trial.ts'

export interface Cost {
  /** Jobs, uploads and other resources beyond those of the healthy run. */
  readonly duplicates: number
  /** Requests without a result, and the tokens that their responses reported. */
  readonly wasted: { readonly requests: number; readonly tokens: number }
}

export function costOf({ cell, run }: JudgedCell, healthy: ObservedRun): Cost {
  const usual = createdIn(healthy.entries)
  let duplicates = 0
  for (const [resource, ids] of createdIn(run.entries))
    duplicates += Math.max(0, ids.size - (usual.get(resource)?.size ?? 0))
  const isDamaging = cell.failure.nature === 'damaged'
  const wasted = run.entries.filter(
    (entry) => !hasSucceeded(entry) || (isDamaging && entry.cause.rule === trialRule),
  )
  const tokens = wasted.reduce((sum, entry) => sum + tokensIn(entry), 0)
  return { duplicates, wasted: { requests: wasted.length, tokens } }
}

/** The sum of input and output in the `usage` of a response; 0 if it has none. */
function tokensIn(entry: JournalEntry): number {
  const body = jsonIn(entry.response?.body?.text)
  const inBody = isFields(body) ? body['usage'] : undefined
  const usage = isStream(entry) ? readStream(entry.response?.events ?? []).usage : inBody
  if (!isFields(usage)) return 0
  const names = ['prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens'] as const
  return names.reduce((sum, name) => sum + (typeof usage[name] === 'number' ? usage[name] : 0), 0)
}
