/**
 * The parts of a rule's response. One table says which operations each part acts on, and which other parts it
 * makes useless.
 */
import {
  canBlockImages,
  canSpeak,
  canStream,
  canSubmit,
  hasUpstream,
  type Selector,
} from '../../protocol/operations.ts'
import type { Plan } from '../../protocol/plan.ts'
import { valueAt } from '../../protocol/wording.ts'
import type { AnswerSpec } from '../format/rule.ts'

export type PartName = keyof AnswerSpec | 'job.blocked' | 'stream.script'

export interface Part {
  readonly name: PartName
  /** The operations that it acts on. Default: all. */
  readonly needs?: Selector
  /** The parts that have no effect beside it. */
  readonly excludes?: readonly PartName[]
  /** Why, after its name. */
  readonly why?: string
}

const content = ['text', 'call', 'choices', 'stream', 'patch', 'unset', 'upstream'] as const

export const parts: readonly Part[] = [
  {
    name: 'response',
    excludes: ['error', 'timeline', 'job', ...content],
    why: 'which defines the whole response: keep one of them',
  },
  { name: 'error', excludes: content, why: 'which rejects the request: keep one of them' },
  {
    name: 'timeline',
    needs: canSubmit,
    excludes: ['job'],
    why: 'which defines every state of the job: keep one of them',
  },
  { name: 'job', needs: canSubmit },
  { name: 'job.blocked', needs: canBlockImages },
  { name: 'text', needs: canSpeak },
  {
    name: 'call',
    needs: canSpeak,
    excludes: ['text', 'choices', 'stream.script'],
    why: 'which is the whole content: keep one of them (for text and calls together, write a `script`)',
  },
  { name: 'choices', needs: canSpeak, excludes: ['text'], why: 'which contain the text: put it there' },
  { name: 'stream', needs: canStream },
  { name: 'stream.script', excludes: ['text', 'choices'], why: 'which contains the text: put it there' },
  { name: 'upstream', needs: hasUpstream },
]

/** The same for faults, by what their plan contains. */
export const faultParts: readonly (Omit<Part, 'name' | 'needs'> & { readonly plans: keyof Plan })[] = [
  {
    plans: 'reject',
    excludes: ['error', 'response', ...content],
    why: 'which rejects the request: keep one of them',
  },
  {
    plans: 'answer',
    excludes: ['text', 'call', 'choices', 'stream.script', 'error', 'response'],
    why:
      'which determines how the response ends: keep one of them (in a script, write ' +
      '`finish: content_filter`)',
  },
  {
    plans: 'job',
    excludes: ['timeline', 'response', 'job', 'error'],
    why: 'which determines the outcome of the job: keep one of them',
  },
]

/** Whether a response has a part. A rejection whose job is created has no part `job`. */
export function hasPart(answer: AnswerSpec, name: PartName): boolean {
  if (name === 'job' && answer.job === 'created') return false
  return valueAt(answer, name.split('.')) !== undefined
}
