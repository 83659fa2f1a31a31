/** A request to a model and its answer, independent of the API: messages, tools, the format of the answer. */
import type { PlannedAnswer } from '../../protocol/plan.ts'
import type { Schemas } from '../json-schema/schemas.ts'
import type { Verbosity } from './prose.ts'

/** A tool call of the model and its result. */
export interface PastCall {
  /** Undefined for the result of a tool call outside the conversation. */
  readonly name: string | undefined
  /** The arguments as JSON text, or the input of a custom tool. */
  readonly input: string
  /** The text of the result, if any. */
  readonly result: string | undefined
}

export interface AnsweredCall extends PastCall {
  readonly result: string
}

export interface Conversation {
  /** The last user message with a request, its text parts joined. */
  readonly lastUser: string
  /** The calls since that message, in order. */
  readonly calls: readonly PastCall[]
  /** The tool calls with results after the model's last turn. */
  readonly toolResults: readonly AnsweredCall[]
}

/** A tool the model may call. */
export interface Tool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly description: string
  /**
   * JSON Schema of a function's arguments or a custom tool's input; undefined for no arguments, or any
   * text.
   */
  readonly parameters?: unknown
  /** The path of the schema or grammar in the request: `tools[0].function.parameters`. */
  readonly path: string
}

/** Whether and which tools must be called. */
export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'named'; readonly name: string }

/** The format of an answer in text; `path` is that of the schema in the request. */
export type AnswerFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | { readonly kind: 'schema'; readonly schema: unknown; readonly path: string }

export interface ToolCall {
  readonly name: string
  /** The arguments as JSON text, or the input of a custom tool. */
  readonly input: string
}

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
}
