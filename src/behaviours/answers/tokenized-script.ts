/** The parts of a script, its texts in pieces of tokens. */
import type { ScriptedCitation, ScriptedLogprob, ScriptItem } from '../../protocol/script.ts'
import type { Piece } from '../tokens/pieces.ts'

/** Items that act on the wire of a stream and write nothing. */
export type WireItem = Extract<ScriptItem, { kind: 'wait' | 'raw' | 'fault' }>

/** A tool call. Its pieces make up the JSON text of its arguments, or the input of a custom tool. */
export interface TokenizedCall {
  readonly name: string
  /** The id of the script, if it has one. */
  readonly id: string | undefined
  readonly input: string
  readonly pieces: readonly Piece[]
}

export type TokenizedPart =
  | {
      readonly kind: 'text' | 'reasoning' | 'refusal'
      readonly text: string
      readonly pieces: readonly Piece[]
      /** One for each piece, where the script gives them. */
      readonly logprobs?: readonly ScriptedLogprob[]
      readonly citations?: readonly ScriptedCitation[]
      /** Of reasoning, when the script gives one. */
      readonly signature?: string
    }
  | { readonly kind: 'redacted'; readonly data: string | undefined }
  | { readonly kind: 'calls'; readonly calls: readonly TokenizedCall[] }
  | WireItem
  /** Where the stream gives its finish reason; no text follows. */
  | { readonly kind: 'finish' }
  /** Where the stream reports its usage, in APIs with an event for it; after `finish`. */
  | { readonly kind: 'usage' }
