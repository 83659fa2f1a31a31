/** A conversation, independent of the API: messages, tools, the format of the answer. */

/** The result of a tool, as the client sent it back. */
export interface ToolResult {
  readonly name: string | undefined
  readonly text: string
}

export interface Conversation {
  /** The system and developer messages. */
  readonly instructions: string
  /** The last message of the user, its text parts joined. */
  readonly lastUser: string
  /** Tool results after the model's last turn; empty when it waits for none. */
  readonly toolResults: readonly ToolResult[]
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
  /** True when the input must follow a grammar that the simulator cannot write. */
  readonly unwritable?: boolean
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
