/** What a prompt is about: the topic that a text speaks of, the subject that a value is filled for. */

import { things } from './requested-length.ts'
import { smallNumber } from './words.ts'

const number = String.raw`(${smallNumber}|\d{1,4})`
const word = String.raw`[^\s.,;:!?()]`
const phrase = String.raw`(${word}[^.,;:!?\n()]{0,70}?)`
const stop =
  String.raw`(?=\s*(?:[.,;:!?\n()]|$)|\s+(?:in (?:${smallNumber}|a|an|\d+|simple|plain|your|` +
  "less|under|at most|no more|short|detail|brief|bullet)|as (?:a|an|if)|like (?:i'm|i am|a)" +
  '|using|so that|but|please|briefly|because|to (?:me|a|my)|for (?:a|my|the|me)|which|' +
  String.raw`within|with (?:${smallNumber}|\d+))\b)`
const noPronoun =
  '(?!(?:its?|this|that|these|those|them|their|his|her|you|your|the following|in|how|what|' +
  String.raw`why)\b)`

interface Pattern {
  readonly find: RegExp
  /** What the topic is made of; the first group unless given. */
  readonly topic: ((found: readonly string[]) => string) | undefined
}
const pattern = (find: string, topic?: Pattern['topic']): Pattern => ({ find: new RegExp(find, 'i'), topic })

const patterns: readonly Pattern[] = [
  pattern(
    String.raw`\b(?:who|what) are you\b|\bwhat can you do\b|\bintroduce yourself\b`,
    () => 'what I can do',
  ),
  pattern(
    String.raw`\b(?:summari[sz]e|translate|analy[sz]e|review|rewrite|improve|proofread|correct|` +
      String.raw`paraphrase)\b[^:.!?\n]{0,60}:\s*(${word}[^\n]{0,70})`,
    ([, text = '']) => quoted(text),
  ),
  pattern(
    String.raw`\b(?:about|regarding|concerning|on the (?:topic|subject) of)\s+${noPronoun}${phrase}${stop}`,
  ),
  pattern(
    String.raw`\b(?:${things}|words|sentences?|lines?|paragraphs?)\s+(?:for|on|to|of)\s+` +
      noPronoun +
      phrase +
      stop,
  ),
  pattern(
    String.raw`\bhow (do|does|did)\s+(?!i\b|you\b|we\b|one\b)${phrase}\s+works?\b`,
    ([, aux = '', subject = '']) =>
      `how ${subject} ${{ do: 'work', does: 'works', did: 'worked' }[aux.toLowerCase()]}`,
  ),
  pattern(
    String.raw`\bhow (?:(?:do|can|should|would|could)\s+(?:i|you|we|one)|to)\s+${phrase}${stop}`,
    ([, what = '']) => `how to ${what}`,
  ),
  pattern(
    String.raw`\bwhy (is|are|was|were) ((?:the |an? |my |our |your )?${word}+) ${phrase}${stop}`,
    ([, be = '', subject = '', rest = '']) => `why ${subject} ${be} ${rest}`,
  ),
  pattern(
    String.raw`\b(?:what|who|where|when)(?:['’]s|\s+(?:is|are|was|were))\s+${noPronoun}${phrase}${stop}`,
  ),
  pattern(
    String.raw`\b(?:list|name|suggest|recommend|give me)\s+(?:${number}|some|a few|several)` +
      String.raw`\s+(?!${things})${phrase}${stop}`,
    (found) => found.at(-1) as string,
  ),
  pattern(
    String.raw`\b(?:explain|describe|define|discuss|summari[sz]e|compare|analy[sz]e|translate|review|` +
      String.raw`introduce|outline)\s+(?:me\s+|to me\s+|briefly\s+)?${noPronoun}${phrase}${stop}`,
  ),
]

const asking = new RegExp(
  [
    '^(?:(?:please|can you|could you|would you|will you|i want you to|i would like you to|',
    "i'd like you to|i need you to|help me(?: to)?|tell me|give me|show me|let me know|",
    'write(?: me)?|create|generate|make|compose|draft|produce|hello|hi|hey|good (?:morning|',
    String.raw`evening|day)|ok|okay|so|now|and)\b[\s,:!.]*)+|`,
    '^(?:请问?|帮我|给我|告诉我|介绍一下|介绍|',
    '解释一下|解释|什么是|写一[篇首个]?|关于)+',
  ].join(''),
  'i',
)
const greeting = new RegExp(
  [
    '^(?:(?:hello|hi|hey|hiya|greetings|good (?:morning|afternoon|evening|day)|yo|howdy|there|',
    'everyone|again|ping|test|testing|thanks|thank you|',
    String.raw`你好|您好)(?![\p{L}\p{N}])[\s,!.?。！，]*)*$`,
  ].join(''),
  'iu',
)

/** The topic of a prompt in its own words: "honey bees"; undefined for a greeting or an empty prompt. */
export function topicOf(prompt: string): string | undefined {
  const plain = prompt.replace(/["“”«»`*#[\]{}<>|]/g, ' ').trim()
  if (greeting.test(plain)) return undefined
  for (const { find, topic } of patterns) {
    const found = find.exec(plain)
    if (found === null) continue
    return topic === undefined ? shorten(found[1] ?? '') : topic(found.map((part) => shorten(part ?? '')))
  }
  const sentences = plain.split(/[.!?]+(?:\s|$)|[。！？\n，]/u).map((sentence) => sentence.trim())
  const last = shorten(
    (sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence)).at(-1) ?? plain).replace(asking, ''),
  )
  // A few words name a thing; a longer clause is quoted so that it fits into a sentence.
  return last === ''
    ? 'your question'
    : /^(?:an?|the|my|our)\s|^(?:\S+\s){0,2}\S+$/i.test(last)
      ? last
      : quoted(last)
}

const quoted = (text: string): string => `“${text}”`

// Without spaces and punctuation at either end. Long phrases are cut between words, or between characters in
// scripts without spaces.
function shorten(phrase: string): string {
  const spaced = /[^\S ]| {2}/.test(phrase) ? phrase.replace(/\s+/g, ' ') : phrase
  let start = 0
  let end = spaced.length
  while (start < end && edges.includes(spaced.charAt(start))) start++
  while (end > start && (edges.includes(spaced.charAt(end - 1)) || spaced.endsWith('.', end))) end--
  const text = spaced.slice(start, end)
  if (text.length <= 60) return text
  const cut = text.slice(0, 60)
  return (/\s/.test(cut) ? cut.replace(/\s+\S*$/, '') : cut).replace(/[\ud800-\udbff]$/, '')
}

const edges = " ,;:'’-"

/** The opening words of a request. */
const opening = new RegExp(
  '^(?:please|kindly|pls|plz|come up with|(?:can|could|would|will) you|i want(?: you)?(?: to)?|' +
    '(?:i would|id) like(?: you)? to|i need(?: you)?(?: to)?|help me(?: to)?|tell me(?: about)?|give me|' +
    'show me|' +
    'remind me(?: to)?|write(?: me)?|create|generate|make(?: me)?|find(?: me)?|google|' +
    'search(?: the web)?(?: for)?|look(?: up)?(?: for)?|get(?: me)?|list|describe|explain|summari[sz]e|' +
    'extract|' +
    'analy[sz]e|classify|translate|compare|plan|book|schedule|send|set(?: up)?|add|draft|compose|recommend|' +
    "suggest|whats?|what(?:'s| is| are| was)|who(?:'s| is| was)|where(?: is|'s)|how (?:is|are)|" +
    String.raw`how (?:can|do|should|would) (?:i|we|you) \p{L}+)(?=[\s,:]|$)[ ,:]*`,
  'iu',
)
const clauseStart = new RegExp(
  '^(?:i|we|he|she|they|it|you|me|to|this|that|these|those|there|if|call|text|ask|go|' +
    String.raw`do|be|buy|pay|pick|take)\b`,
  'iu',
)

/** A short noun phrase of what the last line asks; `''` when there is none. */
export function subjectOf(prompt: string): string {
  const lines = prompt.split('\n').filter((line) => line.trim() !== '')
  let rest = (lines.at(-1) ?? '').trim().split(/[.!?](?:\s|$)/u)[0] as string
  let found = ''
  for (let i = 0; i < 4; i++) {
    const match = opening.exec(rest)?.[0] ?? ''
    if (match === '' || match.length === rest.length) break
    found = match
    rest = rest.slice(match.length)
  }
  // Behind "I need to" comes a verb, behind "Summarize:" a text.
  if (found === '' || /(?:\b(?:to|you|please)|:)\s*$/iu.test(found)) return ''
  const short =
    (/ about (.+)$/iu.exec(rest)?.[1] ?? rest)
      .split(/[,;:"“(]| (?:with|using|that|which|titled|named|called|without|so that|tomorrow|today) /iu)[0]
      ?.trim() ?? ''
  return short === '' || short.length > 48 || clauseStart.test(short) ? '' : short
}
