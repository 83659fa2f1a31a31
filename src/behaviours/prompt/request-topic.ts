/** What a prompt is about, without "please write" and the like. */

import { numberWord } from './number-words.ts'
import { things } from './requested-length.ts'

/** The opening words of a request. */
const OPENING = new RegExp(
  [
    '^(?:please|kindly|pls|plz|come up with|can you|could you|would you|will you|',
    'i want you to|i would like(?: you)? to|',
    'id like(?: you)? to|i need(?: you)? to|i need|i want to|i want|help me(?: to)?|',
    'tell me(?: about)?|give me|show me|remind me(?: to)?|write(?: me)?|create|generate|',
    'make(?: me)?|find(?: me)?|google|search(?: the web)?(?: for)?|look(?: up)?(?: for)?|get(?: me)?|',
    'list|describe|explain|summari[sz]e|extract|analy[sz]e|classify|translate|compare|plan|book|',
    "schedule|send|set(?: up)?|add|draft|compose|recommend|suggest|whats?|what(?:'s| is| are|",
    " was)|who(?:'s| is| was)|where(?: is|'s)|how (?:is|are)|how (?:can|do|should|would) (?:i|we|",
    String.raw`you) \p{L}+)(?=[\s,:]|$)[ ,:]*`,
  ].join(''),
  'iu',
)

/** The first sentence of the last line without its opening, and the opening's last words (or `''`). */
function withoutOpening(prompt: string): { rest: string; opening: string } {
  const line =
    prompt
      .split('\n')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .at(-1) ?? ''
  let rest = line.split(/[.!?](?:\s|$)/u)[0]?.trim() ?? ''
  let opening = ''
  for (let i = 0; i < 4; i++) {
    const match = OPENING.exec(rest)?.[0] ?? ''
    if (match === '' || match.length === rest.length) break
    opening = match
    rest = rest.slice(match.length)
  }
  return { rest, opening }
}

const courtesy = /(?:,? (?:please|pls|plz|thanks|thank you|thx|for me))+$/iu
// "Three titles for a novel" is about the novel.
const counted = new RegExp(
  String.raw`^(?:${numberWord}|\d{1,3}|some|a few|several)(?: [\p{L}-]{2,15}){0,2}? (?:${things})` +
    String.raw` (?:for|on|about|to|of) (?=\S)`,
  'iu',
)

export function topicOf(prompt: string): string {
  const rest = withoutOpening(prompt).rest.replace(courtesy, '').replace(counted, '')
  return rest.length <= 80 ? rest : rest.slice(0, 80).replace(/\s+\S*$/u, '')
}

const kept =
  '(?:wiki|web|internet|docs?|documents?|documentation|inbox|mailbox|e-?mails?|mails?|messages?|' +
  'catalogue|catalog|knowledge base|database|archives?|notes?|files?|pages?|articles?|posts?|' +
  'drive|logs?|tickets?|library|site|website|channel|handbook|manual|faq|records?|entries|threads?)'
const asked = /^(?:are there|is there|do (?:we|you|i|they) have|have (?:we|you) got|did (?:i|we) get) /iu
// "The mails that mention the invoice", "our docs for invoices".
const within = new RegExp(
  String.raw`^(?:(?:the|my|our|your|all|any|every|some|a|an) )*(?:[\p{L}-]{2,15} )?${kept} ` +
    '(?:for|about|on|regarding|concerning|mentioning|containing|covering|' +
    String.raw`(?:that|which) (?:\p{L}+ )?(?:mentions?|contains?|covers?|talks? about|` +
    'is about|are about|deals? with|says?|includes?)) (?:the (?=\\S)|' +
    '(?:anything|something|information|info) (?:on|about) )?',
  'iu',
)
const afterwards = new RegExp(
  '(?:,| and| then)+ (?:then )?(?:read|open|show|tell|summari[sz]e|send|give|list|reply|archive|delete|' +
    String.raw`print|let|forward|report|check|pick|return|use|write|save|fetch|get)\b.*$`,
  'iu',
)

/** What to look for, of a topic such as "the wiki for onboarding and read the page you find". */
export function soughtOf(topic: string): string {
  const plain = topic
    .replace(asked, '')
    .replace(afterwards, '')
    .replace(within, '')
    .replace(new RegExp(` (?:in|on|from) (?:the|my|our|your) ${kept}$`, 'iu'), '')
  return plain === '' ? topic : plain
}

const clauseStart = new RegExp(
  [
    '^(?:i|we|he|she|they|it|you|me|to|this|that|these|those|there|if|call|text|ask|go|do|be|buy|',
    String.raw`pay|pick|take)\b`,
  ].join(''),
  'iu',
)

export function subjectOf(prompt: string): string {
  const { rest, opening } = withoutOpening(prompt)
  // Behind "I need to" comes a verb, behind "Summarize:" a text.
  if (opening === '' || /(?:\b(?:to|you|please)|:)\s*$/iu.test(opening)) return ''
  const short =
    (/ about (.+)$/iu.exec(rest)?.[1] ?? rest)
      .split(/[,:;"“(]| (?:with|using|that|which|titled|named|called|without|so that|tomorrow|today) /iu)[0]
      ?.trim() ?? ''
  return short === '' || short.length > 48 || clauseStart.test(short) ? '' : short
}
