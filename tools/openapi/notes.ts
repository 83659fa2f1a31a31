/** Parts of the document that endpoints do not declare: names, descriptions and the calls of its examples. */
import { chatNotes } from './notes/chat.ts'
import { controlNotes } from './notes/control.ts'
import { filesNotes, uploadsNotes } from './notes/files.ts'
import { imageJobsNotes } from './notes/image-jobs.ts'
import { imagesNotes } from './notes/images.ts'
import { messagesNotes } from './notes/messages.ts'
import { systemoneNotes } from './notes/systemone.ts'
import { operationsNotes } from './notes/video-operations.ts'
import { videosNotes } from './notes/videos.ts'

/** A part of a form; one with a filename is a file. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string
      readonly filename: string
      readonly type: string
      readonly bytes: Uint8Array<ArrayBuffer>
    }

/** A call; its response becomes an example. */
export interface ExampleCall {
  /** The example's name in the document. */
  readonly name: string
  /** One line for people. */
  readonly summary: string
  /** Values of the path's parameters, not encoded. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Headers, except the API key and the content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** A JSON body. */
  readonly json?: unknown
  readonly form?: readonly FormPart[]
  /** A body that is neither, with its media type. */
  readonly raw?: { readonly type: string; readonly text: string }
  /** The API key; null for none. Default: a valid key. */
  readonly key?: string | null
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

/** Makes a call that an example needs first, such as a submission, and returns its JSON response. */
export type Made = (
  operation: string,
  call: Omit<ExampleCall, 'name' | 'summary'>,
) => Promise<Readonly<Record<string, unknown>>>

export interface OperationNotes {
  /** Where the rules come from: the contract, or another source where it is silent. */
  readonly source: string
  /** More than the summary says; Markdown. */
  readonly description?: string
  /** The calls of the examples, the simplest first. */
  calls(made: Made): readonly ExampleCall[] | Promise<readonly ExampleCall[]>
}

export interface GroupNotes {
  /** The tag's heading. */
  readonly title: string
  readonly description: string
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
  readonly operations: Readonly<Record<string, OperationNotes>>
  /** Names of schemas by their place: `chat.create response choices[]` (see components.ts). */
  readonly names?: Readonly<Record<string, string>>
  /** Descriptions that the schemas lack, by name: `ChatCompletion`, `ChatCompletion.choices`. */
  readonly fields?: Readonly<Record<string, string>>
}

/** The notes by group name. A group without notes is in the document too. */
export const groupNotes: Readonly<Record<string, GroupNotes>> = {
  chat: chatNotes,
  messages: messagesNotes,
  images: imagesNotes,
  'image-jobs': imageJobsNotes,
  videos: videosNotes,
  'video-operations': operationsNotes,
  files: filesNotes,
  uploads: uploadsNotes,
  systemone: systemoneNotes,
  control: controlNotes,
}
