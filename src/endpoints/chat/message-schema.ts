/** The messages of a chat request (contract 4.2; names from wire-formats 2.1). */
import * as z from 'zod'
import { looksLikePath } from '../../behaviours/uploads/address.ts'

const text = z.string()

// Searches for one wrong character: a pattern over a whole large image would overflow the stack of the
// regular expression.
const isBase64 = (text: string): boolean => text !== '' && !/[^A-Za-z0-9+/=_-]/.test(text)
const dataUrl = /^data:image\/[\w.+-]+(?:;[\w=.-]+)*;base64,/i
/** Where a picture may be that was not uploaded. */
export const pictureElsewhere = {
  fits: /^https?:\/\/[^\s/]/i,
  expected:
    'expected an http(s) address, a data: URL of an image in base64, or the `path` of an uploaded file',
}
const isImageUrl = (url: string): boolean =>
  pictureElsewhere.fits.test(url) ||
  looksLikePath(url) ||
  (dataUrl.test(url) && isBase64(url.slice(url.indexOf(',') + 1)))

const textPart = z.looseObject({ type: z.literal('text'), text })
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: text })
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z.string().refine(isImageUrl, pictureElsewhere.expected),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
})
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({
    data: z.string().refine(isBase64, 'expected base64'),
    format: z.enum(['wav', 'mp3']),
  }),
})
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z
    .looseObject({ file_id: text.optional(), file_data: text.optional(), filename: text.optional() })
    .refine(
      (file) => file.file_id !== undefined || file.file_data !== undefined,
      'expected `file_id` or `file_data`, got neither',
    ),
})

const userPart = z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])
const assistantPart = z.discriminatedUnion('type', [textPart, refusalPart])
export const plainContent = z.union([text, z.array(z.discriminatedUnion('type', [textPart])).min(1)])

const functionCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: text }),
})
const customCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('custom'),
  custom: z.looseObject({ name: z.string().min(1), input: text }),
})

const systemMessage = z.looseObject({
  role: z.literal('system'),
  content: plainContent,
  name: text.optional(),
})
const developerMessage = z.looseObject({
  role: z.literal('developer'),
  content: plainContent,
  name: text.optional(),
})
const userMessage = z.looseObject({
  role: z.literal('user'),
  content: z.union([text, z.array(userPart).min(1)]),
  name: text.optional(),
})
const assistantMessage = z.looseObject({
  role: z.literal('assistant'),
  content: z.union([text, z.array(assistantPart).min(1)]).nullish(),
  refusal: text.nullish(),
  name: text.optional(),
  audio: z.looseObject({ id: text }).nullish(),
  tool_calls: z
    .array(z.discriminatedUnion('type', [functionCall, customCall]))
    .min(1)
    .nullish(),
  function_call: z.looseObject({ name: text, arguments: text }).nullish(),
})
const toolMessage = z.looseObject({
  role: z.literal('tool'),
  content: plainContent,
  tool_call_id: z.string().min(1),
})
const functionMessage = z.looseObject({
  role: z.literal('function'),
  content: text.nullable(),
  name: z.string().min(1),
})

export const messageSchema = z.discriminatedUnion('role', [
  userMessage,
  assistantMessage,
  systemMessage,
  developerMessage,
  toolMessage,
  functionMessage,
])

export type ChatMessage = z.output<typeof messageSchema>
