/**
 * A conversation in neutral words, whatever API it came through: what was said, what tools may be called,
 * what shape the answer must have.
 */

/** The result of a tool, as the client sent it back. */
export interface ToolResult {
  readonly name: string | undefined
  readonly text: string
}

export interface Conversation {
  /** Everything that instructs: system and developer messages. */
  readonly instructions: string
  /** The last message of the user, its text parts joined. */
  readonly lastUser: string
  /** Results that stand after the last turn of the model; empty when the model is not waiting for any. */
  readonly toolResults: readonly ToolResult[]
}

/** A tool the model may call. */
export interface Tool {
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly description: string
  /**
   * JSON Schema of a function's arguments, or of a custom tool's input; undefined for no arguments, or for
   * any text.
   */
  readonly parameters?: unknown
  /** True when the input must follow a grammar that the simulator cannot write. */
  readonly unwritable?: boolean
  /** Where the schema or the grammar stands in the request: `tools[0].function.parameters`. */
  readonly path: string
}

/** Whether and which tools must be called. */
export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'named'; readonly name: string }

/** The shape an answer in text must have; `path` is where the schema stands in the request. */
export type AnswerFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | { readonly kind: 'schema'; readonly schema: unknown; readonly path: string }
