/** Reads whether a text asks for an answer in JSON, and in what dress. */
import { answering, asksByName, withoutWish, working } from './asks-for-json.ts'
import { type DescribedShape, describedShape } from './described-shape.ts'
import { requestedLength } from './requested-length.ts'

export interface JsonWish {
  /** Whether the JSON shall stand in a fenced block. */
  readonly fenced: boolean
  /** Whether an array is asked for, and what of: `cities`. */
  readonly list: { readonly noun: string | undefined } | undefined
  readonly shape: DescribedShape | undefined
  /** The text without its wish and the description: what the answer is about. */
  readonly rest: string
}

/** What a text may have that asks for JSON; any other text does not. */
export const mayAskForJson = /json|schema|\{/i

/**
 * Whether a text asks for JSON: with the word, by a schema, or by a shape that the answer shall have.
 * `data` is true for a message that may hold JSON to work on. Null when it asks for something else instead.
 */
export function jsonWish(text: string, data: boolean): JsonWish | undefined | null {
  if (!mayAskForJson.test(text)) return undefined
  const asks = asksByName(text)
  if (asks === false) return null
  const shape = describedShape(text, data)
  if (asks === undefined && !(shape !== undefined && asksByShape(text, shape))) return undefined
  return { fenced: asksForFence(text), list: listIn(text), shape, rest: about(text, shape) }
}

/** What a text is about, without what it says of the form of the answer. */
function about(text: string, shape: DescribedShape | undefined): string {
  if (shape === undefined) return withoutWish(text)
  // Frameworks explain schemas in paragraphs of their own.
  const paragraphs = shape.by === 'schema' ? shape.rest.split(/\n\s*\n/) : []
  return paragraphs.length > 1
    ? paragraphs.filter((one) => !/\bschema\b/i.test(one)).join('\n\n')
    : withoutWish(shape.rest).replace(/^[\s.,;:)]+/, '')
}

const requestsShape = new RegExp(
  String.raw`(?:^|[\n.,;:!?)]\s*|\b(?:please|and|then|you|must|should|always|only|` +
    String.raw`to)\s+)(?:${answering}|${working}|conform|match|adhere|follow|comply|stick|fit)\b` +
    String.raw`[^\n{}]{0,100}$|\b(?:response|output|answer|reply|return|expected|required|desired|` +
    String.raw`result)s?\b[^\n{}]{0,40}\b(?:format|schema|shape|structure|template|type|` +
    String.raw`form)\b[^{}]{0,60}$|` +
    String.raw`\b(?:this|the|following|given|exact|such|same) (?:\w+ ){0,2}(?:format|schema|shape|` +
    String.raw`structure|template|type|form)\b[^{}]{0,60}$|\bschemas?\s*[:>]\s*[\x60a-z]*\s*$`,
  'i',
)
const aboutShape = new RegExp(
  String.raw`^\W*(?:please |(?:can|could|would) you )?(?:what|how|why|is|does|are|explain|describe|` +
    'review|validate|check|fix|convert|' +
    String.raw`translate|summari[sz]e|document|improve|who|where|which|when)\b`,
  'i',
)

/** Whether the words around a shape ask for an answer of this shape, without the word JSON. */
function asksByShape(text: string, { by, from, to }: DescribedShape): boolean {
  if (by === 'list') return false
  const before = text.slice(Math.max(0, from - 200), from)
  const after = text.slice(to, to + 200)
  const sentence = before.split(/[.!?](?=\s)|\n\s*\n/).at(-1) as string
  if (
    aboutShape.test(sentence) &&
    !/\b(?:using|as|in|with|by|to) (?:the|this|that) [^]{0,60}$/i.test(sentence)
  )
    return false
  return (
    requestsShape.test(before.trimEnd()) ||
    (by === 'schema' &&
      /\b(?:match|conform|adhere|follow|valid|according|instance|comply|schema above)/i.test(
        `${before} ${after}`,
      ))
  )
}

const fence =
  '(?:code ?-?(?:block|fence|snippet)s?|markdown (?:block|snippet|fence)|' +
  String.raw`fenced|fences|triple (?:backticks|quotes)|\x60\x60\x60(?:json)?(?=["'\x60 ]|\s+(?:and|` +
  'block|code|fence|tags?)))'
const withFence = new RegExp(
  String.raw`(?:\b(?:in|inside|within|as|with|into|by|use|using|return|output|include|including|` +
    String.raw`enclosed in|wrapped in|surrounded by|respond with|reply with)\b(?:[^.\n]|` +
    String.raw`\.(?!\s)){0,60}?)${fence}`,
  'i',
)
const withoutFence = new RegExp(
  String.raw`\b(?:no|not|without|never|don['’]t|avoid|omit|free of|remove)\b(?:[^.\n]|` +
    String.raw`\.(?!\s)){0,60}?(?:${fence}|markdown|backticks)`,
  'i',
)

/** Whether the answer shall stand in a fenced block. */
const asksForFence = (text: string): boolean => withFence.test(text) && !withoutFence.test(text)

const list = new RegExp(
  String.raw`\bjson[ -](?:array|list)\b(?: (?:of|with|containing) (?:(?:exactly|the|up to|about|top|` +
    String.raw`my|all|\w{1,6}) ){0,2}([\p{L}]{3,20}(?: [\p{L}]{3,20}s)?))?|` +
    String.raw`\b(?:return|respond with|reply with|output|give me|answer with|produce|generate|as|` +
    'is|be|write|provide) (?:only )?(?:an? |the )?(?:valid )?(?:json )?(?:array|' +
    String.raw`list) of (?:(?:exactly|\w{1,6}) )?(?:json )?([\p{L}]{3,20})\b`,
  'iu',
)

const plainNouns = /^(?:objects?|strings|values|items|elements|entries|results|records|data|them|it)$/

function listIn(text: string): JsonWish['list'] {
  const found = list.exec(text)
  if (found === null)
    return /\b(?:for each|each (?:one|item|object|entry|with|having)|per item)\b/i.test(text) &&
      requestedLength(text).unit === '' + 'item'
      ? { noun: undefined }
      : undefined
  const noun = (found[1] ?? found[2])?.toLowerCase().split(' ')[0]
  if (noun !== undefined && !plainNouns.test(noun)) return { noun }
  const every = /\b(?:every|all(?: of)?(?: the)?|each|any) ([a-z]{3,20})\b/i.exec(text)?.[1]?.toLowerCase()
  return { noun: every === undefined || plainNouns.test(every) ? undefined : every }
}
