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
  return {
    fenced: withFence.test(text) && !withoutFence.test(text),
    list: listIn(text, shape),
    shape,
    rest: restOf(text, shape),
  }
}

const answering =
  'return|output|respond|reply|answer|give|provide|produce|generate|print|emit|write|send|create|make|show|' +
  'use|speak|deliver|supply|yield|want|need|expect|get'
const working =
  'extract|convert|turn|transform|translate|put|present|render|express|encode|format|list|describe|' +
  'summari[sz]e|classify|categori[sz]e|identify|find|tell|parse|structure|organi[sz]e|report|display|' +
  'seriali[sz]e|analy[sz]e|evaluate|rate|score|name|suggest|recommend|label|tag|fill|invent|imagine|' +
  'compare|' +
  'state|say|rewrite|represent|calculate|compute|review|plan|draft|compose|propose|pick|choose|rank|sort|' +
  'group|count|collect|pull|model|build|design|look|split'
const modifiers =
  String.raw`(?:\s*["'\x60*(<]*(?:an?|the|only|just|valid|strict|strictly|raw|pure|plain|bare|well-?formed|` +
  'single|one|correct|proper|compact|minified|structured|parse?able|your|final|flat|nested|simple|small|' +
  String.raw`complete|exact|clean|standard|application\/)(?=[\s"'\x60]|json|$))*\s*["'\x60*(<]*$`
const endsIn = (pattern: string): RegExp => new RegExp(pattern + modifiers, 'i')

/** "JSON parser" is no answer. */
const otherThing = new RegExp(
  '^[ -]*(?:pars(?:er|ing|e)|validat|viewer|editor|web tokens?|lint|path|patch|rpc|' +
    'decod|encoder|seriali[sz]er|module|package|librar|tutorial|server|column|feature|' +
    'spec)',
  'i',
)
const onlyThis = endsIn(String.raw`\b(?:but|except|besides|other than|outside(?: of)?|beyond|apart from)`)
const denied = endsIn(
  String.raw`\b(?:no|not|never|without|instead of|rather than|avoid|don['’]t|doesn['’]t|isn['’]t)` +
    String.raw`(?:\s+(?:in|as|use|return|write|give|output|reply|respond|answer|with|me|be|using|any|` +
    'to)){0,3}',
)
const owned = new RegExp(
  String.raw`\b(?:this|these|those|that|my|our|following|given|above|below|attached|provided|` +
    String.raw`input|incoming|some|his|her|its|their|two|both|any|more|what)\s+(?:valid |raw |` +
    String.raw`pure )?["'\x60(]*$`,
  'i',
)
const questions = new RegExp(
  String.raw`^\W*(?:what|which|where|when|who|is|are|does|do|did|has|have|should|was|were|(?:can|` +
    String.raw`could|would|will) (?!you))\b`,
  'i',
)
const explains = /^\W*(?:how|why|(?:please )?explain|define|discuss|teach)\b/i
/** The clause belongs to somebody else: "My server returns JSON". */
const others = new RegExp(
  String.raw`\b(?:i|we|my|our|they|he|she|the (?:api|server|endpoint|service|client|function|code|app|` +
    String.raw`library|page|site|tool|file|browser|backend))\b(?![^]*\byou\b)`,
  'i',
)
const wishes = new RegExp(
  String.raw`\b(?:i|we)(?:['’]d|['’]ll| would)?(?: (?:only|just|really|also))? (?:need|want|like|` +
    String.raw`expect|prefer|require)\b`,
  'i',
)
/** "A function that returns JSON" */
const relative = new RegExp(
  String.raw`\b(?:that|which|who|how|why|whether|about|code(?! ?-?(?:block|snippet|fence))|` +
    'functions?|script|program|class|method|endpoint|route|handler|query|parser|server|' +
    'api|poem|story|essay|article|tutorial|guide|documentation|blog|command|regex|' +
    String.raw`library|difference|example of)\b`,
  'i',
)
const aModel = /\b(?:you|assistant|model|bot)\b/i
/** "The output must be JSON", "Format: JSON" */
const ordered = endsIn(
  String.raw`\b(?:response|answer|output|reply|result|message|it|this|everything|content|text|format)s?\b` +
    String.raw`[^]{0,40}\b(?:must|should|shall|ha(?:s|ve) to|needs? to|will|is to|is|are|be|expected|` +
    'required)' +
    String.raw`\b[^]{0,60}?|\b(?:format|output|response|answer|reply|result|return|type|in|as)s?\s*[:=]`,
)
const inForm = endsIn(String.raw`\b(?:as|in|into|to|using|with|of|via|→|->)(?:\s+the form of)?`)
const asksDirectly = endsIn(
  String.raw`\b(?:${answering})s?(?:\s+(?:to\s+)?(?:me|us|back|out|nothing but|everything|it))*`,
)
const request = new RegExp(String.raw`\b(?:${answering}|${working})(?:s|es)?\b`, 'i')
const bare = endsIn('^')
const states = /\b(?:is|are|was|were|been|has|have|stored?|saved?|returns?|sends?|uses?|works?|comes?)\b/i
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
  let tries = 0
  for (const { 0: word, index } of text.matchAll(mentions)) {
    if (++tries > maxMentions) break
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
  if (owned.test(before) || explains.test(before)) return undefined
  const ending = /^[^.!?\n]*(?:[.!?](?!\s|$)[^.!?\n]*)*([.!?\n]|$)/.exec(after)?.[1]
  const isForm = inForm.test(before)
  if (ending === '?' && questions.test(before))
    return isForm && /,\s*(?:as|in|using|with)\s[^,]*$/i.test(before) ? true : undefined
  if (bare.test(before))
    return /\b(?:only|just|valid|strictly|pure|raw)\b/i.test(before) ||
      /^["'`*)]*\s*(?:only|output|please|response|format|array|object)\b/i.test(after)
      ? true
      : undefined
  const isDirect = asksDirectly.test(before)
  if (wishes.test(before) && (isDirect || isForm)) return true
  if (others.test(before)) return undefined
  if (ordered.test(before)) return true
  const verb = request.exec(before)
  if (verb === null) return isForm && !states.test(before) && endsThere.test(after) ? true : undefined
  if (!aModel.test(before) && relative.test(before.slice(verb.index))) return undefined
  return isDirect || isForm ? true : undefined
}
/** "Three colours as JSON" */
const endsThere = /^["'`*)]*(?: (?:format|please|object|array|only|list)){0,2}\s*(?:[.!:\n]|$)/i

const requestsShape = new RegExp(
  String.raw`(?:^|[\n.,;:!?)]\s*|\b(?:please|and|then|you|must|should|always|only|to)\s+)(?:${answering}|` +
    String.raw`${working}|conform|match|adhere|follow|comply|stick|fit)\b[^\n{}]{0,100}$|` +
    String.raw`\b(?:response|output|answer|reply|return|expected|required|desired|` +
    String.raw`result)s?\b[^\n{}]{0,40}\b` +
    String.raw`(?:format|schema|shape|structure|template|type|form)\b[^{}]{0,60}$|` +
    String.raw`\b(?:this|the|following|given|exact|such|same) (?:\w+ ){0,2}(?:format|schema|shape|` +
    'structure|' +
    String.raw`template|type|form)\b[^{}]{0,60}$|\bschemas?\s*[:>]\s*[\x60a-z]*\s*$`,
  'i',
)
const aboutShape = new RegExp(
  String.raw`^\W*(?:please |(?:can|could|would) you )?(?:what|how|why|is|does|are|explain|` +
    'describe|review|validate|check|fix|convert|translate|summari[sz]e|document|improve|' +
    String.raw`who|where|which|when)\b`,
  'i',
)
const conforms = /\b(?:match|conform|adhere|follow|valid|according|instance|comply|schema above)/i

/** Whether the words around a shape ask for an answer of this shape, without the word JSON. */
function asksByShape(text: string, { by, from, to }: DescribedShape): boolean {
  if (by === 'list') return false
  const before = text.slice(Math.max(0, from - 200), from)
  const sentence = before.split(/[.!?](?=\s)|\n\s*\n/).at(-1) as string
  if (
    aboutShape.test(sentence) &&
    !/\b(?:using|as|in|with|by|to) (?:the|this|that) [^]{0,60}$/i.test(sentence)
  )
    return false
  return (
    requestsShape.test(before.trimEnd()) ||
    (by === 'schema' && conforms.test(`${before} ${text.slice(to, to + 200)}`))
  )
}

const fence =
  '(?:code ?-?(?:block|fence|snippet)|markdown (?:block|snippet|fence)|' +
  String.raw`fenced?\b|triple |\x60{3})`
const withFence = new RegExp(
  String.raw`\b(?:in|inside|within|as|with|into|by|us(?:e|ing)|return|output|includ(?:e|ing))\b` +
    String.raw`(?:[^.\n]|\.(?!\s)){0,60}?${fence}`,
  'i',
)
const withoutFence = new RegExp(
  String.raw`\b(?:no|not|without|never|don['’]t|avoid|omit|free of|remove)\b(?:[^.\n]|\.(?!\s)){0,60}?` +
    `(?:${fence}|markdown|backticks)`,
  'i',
)

const array = new RegExp(
  String.raw`\bjson[ -](?:array|list)\b(?: (?:of|with|containing) (?:(?:exactly|the|up to|about|top|my|all|` +
    String.raw`\w{1,6}) ){0,2}([\p{L}]{3,20}(?: [\p{L}]{3,20}s)?))?|\b(?:${answering}|with|as|is|be) ` +
    String.raw`(?:only )?(?:an? |the )?(?:valid )?(?:json )?(?:array|list) of (?:(?:exactly|\w{1,6}) )?` +
    String.raw`(?:json )?([\p{L}]{3,20})\b`,
  'iu',
)
const plainNouns = /^(?:objects?|strings|values|items|elements|entries|results|records|data|dicts|them|it)$/
const partNouns = /^(?:keys|fields|properties|attributes|columns)$/

function listIn(text: string, shape: DescribedShape | undefined): JsonWish['list'] {
  const found = array.exec(text)
  if (found === null) {
    const isEach = /\b(?:for each|each (?:one|item|object|entry|with|having)|per item)\b/i.test(text)
    if (!isEach && shape?.by !== 'list') return undefined
    const length = requestedLength(text)
    const isList = length.unit === 'item' && (isEach || length.least > 1) && !partNouns.test(length.noun)
    return isList ? { noun: undefined } : undefined
  }
  const noun = (found[1] ?? found[2])?.toLowerCase().split(' ')[0]
  if (noun !== undefined && !plainNouns.test(noun)) return { noun }
  const every = /\b(?:every|all(?: of)?(?: the)?|each|any) ([a-z]{3,20})\b/i.exec(text)?.[1]?.toLowerCase()
  return { noun: every === undefined || plainNouns.test(every) ? undefined : every }
}

const converted = new RegExp(
  String.raw`\b(?:convert|turn|transform|put|format|represent|structure|express|encode|write|` +
    String.raw`extract)\b[^:\n]{0,60}\bjson\b[^:\n]{0,30}[:\n]([^]{1,2000})$`,
  'i',
)
const labelled =
  /^\s*(?:[-*•]\s*)?["']?([\p{L}_][\p{L}\p{N}_ -]{0,30}?)["']?\s*[:=]\s*(\S.{0,200}?)\s*\.?\s*$/u

/** "Turn this into JSON: name: Ada, age: 36" */
function labelledData(text: string): DescribedShape | undefined {
  const data = converted.exec(text)?.[1]
  if (data === undefined) return undefined
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
  return {
    schema: objectOf(values),
    rest: text,
    by: 'template',
    from: text.length - data.length,
    to: text.length,
  }
}
const plain = (text: string): unknown =>
  /^-?\d{1,15}(?:\.\d+)?$/.test(text)
    ? Number(text)
    : /^(?:true|false)$/.test(text)
      ? text === 'true'
      : text.replace(/^["'](.*)["']$/, '$1')

const form = new RegExp(String.raw`(?:\s*(?:[,;]|\b(?:as|in|into|to|using|with|of|via)\b))*${modifiers}`, 'i')
const bareRequest = new RegExp(
  String.raw`^\W*(?:(?:please|only|you|must|should|always|now|and|then|can|could|just)\s+)*(?:${answering}|` +
    String.raw`${working})\b(?:\s+(?:it|this|them|that|me|us|back|the|your|result|results|answer|response|` +
    String.raw`output|data|everything|following|list))*[^\p{L}]*$`,
  'iu',
)
const aboutForm = new RegExp(
  String.raw`^["'\x60*)]*(?:[\s:,]+(?:objects?|arrays?|lists?|formats?|output|response|document|only|` +
    'please|' +
    'with|containing|that|has|having|including|of|using|in|the|this|these|following|keys?|fields?|' +
    'properties|' +
    String.raw`schema|format|structure|shape|strings|file|describing)\b)*[\s:.,]*`,
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
