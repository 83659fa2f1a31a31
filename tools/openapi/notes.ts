/**
 * Parts of the document that endpoints do not declare: names, descriptions and the calls of its examples, in
 * a file for each group (notes/*.yaml).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** A field of a form: its text, or a file, which is always the same small PNG. */
export type FormValue = string | { readonly file: string }

/** What a call sends. Texts in it may contain `${name}`: what the call `made.name` returned. */
export interface Sent {
  /** A path with its query, from which the parameters are read; instead of `params` and `query`. */
  readonly url?: string
  /** Values of the path's parameters, not encoded. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Headers, except the API key and the content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** A JSON body. */
  readonly json?: unknown
  /** A form; a list is a field that is sent several times. */
  readonly form?: Readonly<Record<string, FormValue | readonly FormValue[]>>
  /** A body that is neither, with its media type. */
  readonly raw?: { readonly type: string; readonly text: string }
  /** The API key; null for none. Default: a valid key. */
  readonly key?: string | null
}

/** A call; its response becomes an example. */
export interface ExampleCall extends Sent {
  /** The example's name in the document. */
  readonly name: string
  /** One line for people. */
  readonly summary: string
}

/** A call that examples need first, such as a submission. */
export interface MadeCall extends Sent {
  /** The operation. */
  readonly call: string
  /** The value that `${name}` stands for: its place in the response, such as `data.0.url`. */
  readonly save?: string
}

/** A call with its response. */
export interface Recorded {
  readonly call: ExampleCall
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The media type of the response, without parameters; empty when it has no body. */
  readonly type: string
  /** The parsed JSON, the text of a stream or of XML, or undefined for a file. */
  readonly body: unknown
}

export interface OperationNotes {
  /** Where the rules come from: the contract, or another source where it is silent. Default: the group's. */
  readonly source?: string
  /** More than the summary says; Markdown. */
  readonly description?: string
  /** The names of calls under `made` that the examples need without using their values. */
  readonly needs?: readonly string[]
  /** The calls of the examples, the simplest first. */
  readonly examples: readonly ExampleCall[]
}

export interface GroupNotes {
  /** The tag's heading. */
  readonly title: string
  readonly description: string
  readonly source?: string
  /** Request headers of the group's operations, except the API key. */
  readonly headers?: readonly {
    readonly name: string
    readonly required: boolean
    readonly description: string
    readonly schema: Readonly<Record<string, unknown>>
    readonly example: string
  }[]
  /** Path parameters by name. */
  readonly params?: Readonly<Record<string, string>>
  readonly made?: Readonly<Record<string, MadeCall>>
  readonly operations: Readonly<Record<string, OperationNotes>>
  /** Names of schemas by their place: `chat.create response choices[]` (see components.ts). */
  readonly names?: Readonly<Record<string, string>>
  /** Descriptions that the schemas lack, by name: `ChatCompletion`, `ChatCompletion.choices`. */
  readonly fields?: Readonly<Record<string, string>>
}

// The generator and the tests run in the root of the repository.
const folder = 'tools/openapi/notes'

/** The notes by group name. A group without notes is in the document too. */
export const groupNotes: Readonly<Record<string, GroupNotes>> = Object.fromEntries(
  readdirSync(folder).map((file) => [
    file.replace('.yaml', ''),
    parse(readFileSync(`${folder}/${file}`, 'utf8')) as GroupNotes,
  ]),
)
