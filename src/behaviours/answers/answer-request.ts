/** The request to a model and its answer, for all chat APIs. */
import type { PlannedAnswer } from '../../protocol/plan.ts'
import type { Schemas } from '../json-schema/schemas.ts'
import type { AnswerFormat, Conversation, Tool, ToolChoice } from './conversation.ts'
import type { Verbosity } from './prose.ts'

export interface ToolCall {
  readonly name: string
  /** The arguments as JSON text, or the input of a custom tool. */
  readonly input: string
}

export type ModelAnswer =
  /** `given` is text that the prompt or the plan dictates; nothing may be added to it. */
  | { readonly kind: 'text'; readonly text: string; readonly given: boolean }
  | { readonly kind: 'refusal'; readonly text: string }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[] }

export interface AnswerRequest {
  readonly conversation: Conversation
  /** The tools that may be called. */
  readonly tools: readonly Tool[]
  readonly choice: ToolChoice
  readonly parallel: boolean
  readonly format: AnswerFormat
  readonly verbosity: Verbosity
  readonly planned: PlannedAnswer | undefined
  /** The rule that planned it, for errors. */
  readonly rule: string | undefined
  readonly schemas: Schemas
  /** Virtual time, for dates without a year. */
  readonly now: number
}
