/** Reads whether a text asks for an answer in JSON, and in what dress. */
import { type DescribedShape, describedShape } from './described-shape.ts'
import { requestedLength } from './requested-length.ts'
import { objectOf, type Schema } from './value-notes.ts'

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
  const shape = describedShape(text, data) ?? labelledData(text)
  if (asks === undefined && !(shape !== undefined && asksByShape(text, shape))) return undefined
  const fenced = withFence.test(text) && !withoutFence.test(text)
  return { fenced, list: listIn(text, shape), shape, rest: restOf(text, shape) }
}

const verbs =
  '(?:return|output|respond|reply|answer|give|provide|produce|generate|print|emit|write|send|create|make|' +
  'show|use|need|want|expect|get|extract|convert|turn|transform|put|present|render|express|encode|' +
  'format|list|describe|summari[sz]e|classify|identify|find|tell|parse|structure|analy[sz]e|rate|name|' +
  'suggest|label|fill|invent|compare|rewrite|represent|plan|pick|rank|model|build)(?:s|es)?'
const modifiers =
  String.raw`(?:\s*["'\x60*(<]*(?:an?|the|only|just|valid|strict|raw|pure|plain|well-?formed|single|` +
  String.raw`compact|minified|structured|parse?able|your|final|flat|nested|application\/)` +
  String.raw`(?=[\s"'\x60]|json|$))*\s*["'\x60*(<]*$`
const endsIn = (pattern: string): RegExp => new RegExp(pattern + modifiers, 'i')

/** "JSON parser" is no answer. */
const otherThing =
  /^[ -]*(?:pars|valid|view|edit|web tokens?|lint|path|patch|rpc|decod|encod|seriali|module|librar|server)/i
const onlyThis = endsIn(String.raw`\b(?:but|except|besides|other than|outside(?: of)?|apart from)`)
const denied = endsIn(
  String.raw`\b(?:no|not|never|without|instead of|rather than|avoid|don['’]t)(?:\s+\w+){0,3}?`,
)
/** It is somebody else's, or what a question or an explanation is about. */
const aside = new RegExp(
  String.raw`^\W*(?:how|why|(?:please )?explain|define|discuss|teach)\b|` +
    String.raw`\b(?:this|these|those|that|my|our|following|given|above|below|input|some|his|her|its|their)` +
    String.raw`\s+(?:valid |raw )?["'\x60(]*$|` +
    String.raw`\b(?:i|we|my|our|they|he|she|the (?:api|server|endpoint|service|client|function|code|app|` +
    String.raw`library|page|site|tool|file|backend))\b(?![^]*\b(?:you|need|want|like|expect|prefer)\b)`,
  'i',
)
const question =
  /^\W*(?:what|which|where|when|who|is|are|does|do|did|has|have|should|(?:can|could|would|will) (?!you))\b/i
/** "A function that returns JSON" */
const relative =
  /\b(?:that|which|who|how|whether|about|functions?|script|program|class|endpoint|handler|parser|api)\b/i
/** "The output must be JSON", "Format: JSON" */
const ordered = endsIn(
  String.raw`\b(?:response|answer|output|reply|result|it|this|everything|content|format)s?\b[^]{0,40}\b(?:` +
    String.raw`must|should|shall|ha(?:s|ve) to|needs? to|will|is|are|be)\b[^]{0,60}?|` +
    String.raw`\b(?:format|output|response|answer|reply|result|return|type)s?\s*[:=]`,
)
const inForm = endsIn(String.raw`\b(?:as|in|into|to|using|with|of|via|→|->)(?:\s+the form of)?`)
const asksDirectly = endsIn(String.raw`\b${verbs}(?:\s+(?:me|us|back|out|nothing but|everything|it))*`)
const request = new RegExp(String.raw`\b${verbs}\b`, 'i')
const states = /\b(?:is|are|was|were|has|have|stored?|saved?|returns?|sends?|uses?|works?|comes?)\b/i
/** "Three colours as JSON" */
const endsThere = /^["'`*)]*(?: (?:format|please|object|array|only|list)){0,2}\s*(?:[.!:\n]|$)/i
const maxMentions = 60

const mentions = /\bjson(?!l\b|p\b|5\b|_)/gi
const sentenceBefore = (text: string, at: number, from = 0): string =>
  text
    .slice(Math.max(from, at - 240), at)
    .split(/[.!?](?=\s)|\n/)
    .at(-1) as string

/** Whether a text asks for JSON by that name; false when it asks for anything but JSON. */
function asksByName(text: string): boolean | undefined {
  let asked: boolean | undefined
  for (const { 0: word, index } of [...text.matchAll(mentions)].slice(0, maxMentions)) {
    const end = index + word.length
    const said = isAskedBy(sentenceBefore(text, index), text.slice(end, end + 160))
    if (said === true) return true
    asked ??= said
  }
  return asked
}

function isAskedBy(before: string, after: string): boolean | undefined {
  if (otherThing.test(after)) return undefined
  if (onlyThis.test(before)) return true
  if (denied.test(before)) return /\bonly\b/i.test(before) ? undefined : false
  if (aside.test(before)) return undefined
  const isForm = inForm.test(before)
  if (question.test(before) && /^[^.!\n]*\?/.test(after))
    return isForm && /,\s*(?:as|in|using|with)\s[^,]*$/i.test(before) ? true : undefined
  if (/^[\s"'`*(<]*$/.test(before))
    return /^["'`*)]*\s*(?:only|output|please|response|format|array|object)\b/i.test(after) ? true : undefined
  if (ordered.test(before)) return true
  const verb = request.exec(before)
  if (verb === null) return isForm && !states.test(before) && endsThere.test(after) ? true : undefined
  if (!/\byou\b/i.test(before) && relative.test(before.slice(verb.index))) return undefined
  return isForm || asksDirectly.test(before) ? true : undefined
}

const requestsShape = new RegExp(
  String.raw`(?:^|[\n.,;:!?)]\s*|\b(?:please|and|then|you|must|should|always|only|to)\s+)(?:${verbs}|` +
    String.raw`conform|match|adhere|follow|comply|stick|fit)\b[^\n{}]{0,100}$|` +
    String.raw`\b(?:format|schema|shape|structure|template|type)\b[^{}]{0,60}$`,
  'i',
)
const aboutShape = new RegExp(
  String.raw`^\W*(?:please |(?:can|could|would) you )?(?:what|how|why|is|does|are|explain|describe|review|` +
    String.raw`validate|check|fix|convert|translate|summari[sz]e|document|improve|who|where|which|when)\b`,
  'i',
)

/** Whether the words around a shape ask for an answer of this shape, without the word JSON. */
function asksByShape(text: string, { by, from, to }: DescribedShape): boolean {
  if (by === 'list') return false
  const before = text.slice(Math.max(0, from - 200), from)
  const sentence = before.split(/[.!?](?=\s)|\n\s*\n/).at(-1) as string
  const isAbout =
    aboutShape.test(sentence) && !/\b(?:using|as|in|with|by|to) (?:the|this|that) [^]{0,60}$/i.test(sentence)
  const around = `${before} ${text.slice(to, to + 200)}`
  const isConforming =
    by === 'schema' && /\b(?:match|conform|adhere|follow|valid|instance|comply)/i.test(around)
  return !isAbout && (requestsShape.test(before.trimEnd()) || isConforming)
}

const fence = '(?:code ?-?(?:block|fence|snippet)|markdown|fenced?\\b|triple |\\x60{3})'
const withFence = new RegExp(
  String.raw`\b(?:in|inside|within|as|with|into|us(?:e|ing)|output)\b(?:[^.\n]|\.(?!\s)){0,60}?${fence}`,
  'i',
)
const withoutFence = new RegExp(
  String.raw`\b(?:no|not|without|never|don['’]t|avoid)\b(?:[^.\n]|\.(?!\s)){0,60}?(?:${fence}|backticks)`,
  'i',
)

const array = new RegExp(
  String.raw`\bjson[ -](?:array|list)\b(?: (?:of|with|containing) (?:\w{1,7} ){0,2}?` +
    String.raw`([\p{L}]{3,20}(?: \p{L}{3,20}s)?))?|` +
    String.raw`\b(?:${verbs}|with|as|is|be) (?:only )?(?:an? |the )?(?:valid )?(?:array|list) of ` +
    String.raw`(?:\w{1,7} )?(?:json )?([\p{L}]{3,20})\b`,
  'iu',
)
const plainNouns = /^(?:objects?|strings|values|items|elements|entries|results|records|data|dicts|them|it)$/

function listIn(text: string, shape: DescribedShape | undefined): JsonWish['list'] {
  const found = array.exec(text)
  if (found === null) {
    const isEach = /\b(?:for each|each (?:one|item|object|entry|with|having)|per item)\b/i.test(text)
    if (!isEach && shape?.by !== 'list') return undefined
    const length = requestedLength(text)
    const isOfFields =
      length.unit === 'item' && /^(?:keys|fields|properties|attributes|columns)$/.test(length.noun)
    return length.unit === 'item' && (isEach || length.least > 1) && !isOfFields
      ? { noun: undefined }
      : undefined
  }
  const noun = (found[1] ?? found[2])?.toLowerCase().split(' ')[0]
  return { noun: noun === undefined || plainNouns.test(noun) ? undefined : noun }
}

const converted =
  /\b(?:convert|turn|transform|put|format|write)\b[^:\n]{0,60}\bjson\b[^:\n]{0,30}[:\n]([^]{1,2000})$/i
const labelled =
  /^\s*(?:[-*•]\s*)?["']?([\p{L}_][\p{L}\p{N}_ -]{0,30}?)["']?\s*[:=]\s*(\S.{0,200}?)\s*\.?\s*$/u

/** "Turn this into JSON: name: Ada, age: 36" */
function labelledData(text: string): DescribedShape | undefined {
  const data = converted.exec(text)?.[1] ?? ''
  const pairs = data
    .split(/[;\n]|,(?=[^,:=]{1,32}[:=])/)
    .filter((part) => part.trim() !== '')
    .map((part) => labelled.exec(part))
  const values = new Map(
    pairs.flatMap((pair): [string, Schema][] => {
      const [, name = '', value = ''] = pair ?? []
      return name === '' || name === '__proto__'
        ? []
        : [[name.trim().replaceAll(' ', '_'), { const: plain(value) }]]
    }),
  )
  if (values.size < 2 || values.size < pairs.length) return undefined
  const from = text.length - data.length
  return { schema: objectOf(values), rest: text, by: 'template', from, to: text.length }
}
const plain = (text: string): unknown =>
  /^-?\d{1,15}(?:\.\d+)?$/.test(text)
    ? Number(text)
    : /^(?:true|false)$/.test(text)
      ? text === 'true'
      : text.replace(/^["'](.*)["']$/, '$1')

const form = new RegExp(String.raw`(?:\s*(?:[,;]|\b(?:as|in|into|to|using|with|of|via)\b))*${modifiers}`, 'i')
const bareRequest = new RegExp(
  String.raw`^\W*(?:(?:please|only|you|must|should|always|now|and|then|can|could|just)\s+)*${verbs}\b` +
    String.raw`(?:\s+(?:it|this|them|that|me|us|back|the|your|results?|answer|response|output|data|` +
    String.raw`everything|following|list))*[^\p{L}]*$`,
  'iu',
)
const aboutForm = new RegExp(
  String.raw`^["'\x60*)]*(?:[\s:,]+(?:objects?|arrays?|lists?|formats?|output|response|document|only|` +
    'please|with|containing|that|has|having|including|of|using|in|the|this|these|following|keys?|' +
    String.raw`fields?|properties|schema|structure|shape|strings|describing)\b)*[\s:.,]*`,
  'i',
)

/** What a text is about, without what it says of the form of the answer. */
function restOf(text: string, shape: DescribedShape | undefined): string {
  // Frameworks explain schemas in paragraphs of their own.
  const paragraphs = shape?.by === 'schema' ? shape.rest.split(/\n\s*\n/) : []
  if (paragraphs.length > 1) return paragraphs.filter((one) => !/\bschema\b/i.test(one)).join('\n\n')
  const said = shape?.rest ?? text
  let rest = ''
  let end = 0
  for (const { 0: word, index } of said.matchAll(mentions)) {
    if (index < end) continue
    const sentence = sentenceBefore(said, index, end)
    const asked = sentence.replace(form, '')
    const behind = aboutForm.exec(said.slice(index + word.length, index + 400)) as RegExpExecArray
    rest += `${said.slice(end, index - sentence.length)}${bareRequest.test(asked) ? '' : asked} `
    end = index + word.length + behind[0].length
  }
  return (rest + said.slice(end)).trim().replace(shape === undefined ? /^$/ : /^[\s.,;:)]+/, '')
}
