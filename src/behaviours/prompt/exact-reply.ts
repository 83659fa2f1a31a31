/** What a prompt dictates: the words of the answer, answers to choose from, or a bare value. */
import { type JsonWish, numbersIn, objectOf } from './json-shape.ts'

const verbs = /\b(?:say|repeat|echo|reply|respond|answer|write|output|print|return|type|send|be)\b/gi
/** What may stand in front of such a verb: it begins a clause, or stands behind words of asking. */
const asking = new RegExp(
  String.raw`^\s*(?:(?:please|just|now|simply|only|always|and|then|so|ok|hi|hello|you|must|should|can|` +
    String.raw`could|would|will|need|have|i|want|your|task|job|is|to|the|answer|reply|response|output)\s+)*$`,
  'i',
)
/** What may stand between the verb and its text without saying that something else is wanted. */
const filler =
  'a|back|out|to|me|after|with|using|only|just|exactly|precisely|literally|simply|verbatim|nothing|but|' +
  String.raw`else|and|the|this(?!\sis)|following|exact|single|one|words?|text|phrase|string|sentence|` +
  'message|number|letter|answer|reply|response|no|without|any|other|additional|extra|explanation|in|your|json'
/** The end of the sentence, or words that ask for nothing more. */
const end =
  String.raw`(?=\s*(?:$|[.!?](?:\s|$)|[,;:)\n]|(?:and|with|but|or) no|and (?:do not|don't|stop|end|only)\b|` +
  String.raw`to (?:me|confirm|show)|as (?:your|the|a) |(?:only|exactly|back|please|if|when|so|without)\b))` +
  String.raw`(?![\s,;]*(?:and |but )?then\b)`
const quotes = [
  ...['```[\\w-]*\\n([^]{1,20000}?)\\n?```', '"([^"]{1,4000})"', '“([^”]{1,4000})”'],
  ...['«([^»]{1,4000})»', '`([^`]{1,4000})`', "['‘]((?:[^'’\\n]|(?<=\\p{L})['’](?=\\p{L})){1,4000})['’]"],
]
/** The filler, and what may be dictated: a quotation, all behind a colon, or plain words. */
const dictation = new RegExp(
  String.raw`(?<words>(?:[\s,(]+(?:${filler})(?=[\s,:()]))*)(?:[\s,:]*(?:${quotes.join('|')})${end}|` +
    String.raw`\)?\s*:\s*(?<rest>\S[^]*)$|\s+(?<plain>\S(?:[^\n]{0,80}?\S)??)${end})`,
  'iuy',
)
const exactly = /\b(?:exactly|precisely|literally|verbatim|exact|nothing but)\b/
/** In capitals a word stands for itself; in small letters only the usual words of tests do. */
const common = /^(?:[A-Z][A-Z0-9_-]+|\d+|yes|no|ok|okay|pong|ping|hello|hi|true|false|done|ready|ack|test)$/
const describes = new RegExp(
  '^(?:(?:an?|the|of|that|what|why|how|if|in|from|to|for|with|as|like|about|your|my|it|you|some|something|' +
    'anything|more|count|below|above|is|one|two|three|four|five|each|all|only|just|\\d+ )\\b|' +
    '(?:JSON|XML|HTML|YAML|CSV|SQL)\\b|["\'“‘«`[{])',
)

/** Whether what stands behind a colon is the answer. */
function isRestMeant(verb: string, words: string, rest: string): boolean {
  if (rest.endsWith('?') || (words.includes(' json') && !exactly.test(words))) return false
  if (/ (?:one|single)\b/.test(words)) return words.endsWith(' word') && !rest.includes(' ')
  if (/^(?:say|repeat|echo)$/.test(verb) || exactly.test(words) || words.includes(' with')) return true
  return verb !== 'answer' && /\b(?:only|just|nothing|following|words?|phrase|text|string)\b/.test(words)
}

/** Whether plain words are the answer, and no description of one. */
function isPlainMeant(verb: string, words: string, plain: string): boolean {
  if (common.test(plain)) return words !== '' || !/^(?:write|type|send|be)$/.test(verb)
  if (describes.test(plain)) return false
  if (verb === 'say' && words === '')
    return !/\b(?:in|about|to|like|as|for|with|or|and|because|times|twice)\b/.test(plain)
  const isWord = / (?:the|this|single|exact) (?:\w+ )?(?:word|string|number|letter)$/.test(words)
  return /\b(?:words|phrase|text)$/.test(words) || exactly.test(words) || (isWord && !plain.includes(' '))
}

/**
 * The text a prompt asks to be given back word for word, or undefined. `instructing` leaves out what is asked
 * on a condition. Of a long prompt the beginning and the end are read, where instructions stand.
 */
export function exactReply(prompt: string, instructing = false): string | undefined {
  if (prompt.search(verbs) < 0) return undefined
  const last = Math.max(4000, prompt.length - 4000)
  for (const from of prompt.length > 4000 ? [0, last] : [0])
    for (const { 0: verb, index } of [...prompt.slice(from, from + 4000).matchAll(verbs)].slice(0, 24)) {
      const at = from + index
      const sentence = prompt
        .slice(Math.max(0, at - 200), at)
        .split(/[.!?]\s|\n/)
        .at(-1) as string
      const isAsked = asking.test(sentence.split(/[,;:—–()*>"”-]/).at(-1) as string)
      const isConditional = /\b(?:if|when|whenever|unless|until|asked|in case)\b/i.test(sentence)
      dictation.lastIndex = at + verb.length
      const found = isAsked && !(instructing && isConditional) ? dictation.exec(prompt) : null
      if (found === null) continue
      const { words = '', rest, plain } = found.groups ?? {}
      const [asked, said] = [verb.toLowerCase(), words.toLowerCase()]
      if (rest !== undefined && isRestMeant(asked, said, rest.trim())) return rest.trim()
      if (plain !== undefined && isPlainMeant(asked, said, plain)) return plain
      if (rest === undefined && plain === undefined) return found.slice(2).find((one) => one !== undefined)
    }
  return undefined
}

const item = `["'“‘\`]?[\\p{L}\\p{N}][\\p{L}\\p{N}_+-]*(?: (?!or |and )[\\p{L}\\p{N}_+-]+){0,2}["'”’\`]?`
/** Behind a verb with "only" or "with", "one of", "the labels are", "classify it as", "is this a". */
const lists = new RegExp(
  String.raw`(?:\b(?:answer|reply|respond|return|output|say)(?<how>(?: (?:only|just|with|exactly))*)|` +
    String.raw`\b(?:one of|between|either|(?:choose|pick|select|which)\b[^.!?\n]{0,60}?(?: from|(?=:)))` +
    '(?: (?:the|these|following|labels|words|values|options|categories))*|must be(?: either)?|' +
    String.raw`\b(?:labels|categories|options|classes|(?:classify|label|rate)\b[^.!?\n]{0,80}? as)|` +
    String.raw`(?<=^|[.!?\n] ?)is (?:this|that|it|the)(?: \w+){0,2}?(?= an? )):?\s+` +
    `(?<list>${item}(?:(?:, ?| ?[/|] ?)${item}){0,19}?(?:,? (?:or|and) |, ?| ?[/|] ?)${item})` +
    String.raw`(?=\s*(?:[.!?:;)\n]|$|,? (?:only|and|with|no|based|depending|for)\b))`,
  'giu',
)
const bullets =
  /\b(?:labels|categories|options|following)\b[^\n]{0,60}:\s*((?:\n\s*[-*•\d][.)]? [^\n]{1,99}){2,20})/i
const chooses = /\b(?:answer|reply|respond|return|output|choose|pick|select|classify|labels?|rate|options)\b/i

/** The answers that a prompt offers to choose from; empty when it offers none. */
export function offeredAnswers(prompt: string): readonly string[] {
  const asked = prompt.length <= 2000 ? prompt : `${prompt.slice(0, 1000)}\n${prompt.slice(-1000)}`
  const [, yes, no] = /\b(yes|true)(?:,? or | ?\/ ?)(no|false)\b(?! question)/i.exec(asked) ?? []
  if (yes !== undefined && no !== undefined) return [yes, no]
  if (!chooses.test(asked)) return []
  for (const { groups: { list = '', how } = {} } of asked.matchAll(lists)) {
    const parts = list.split(/,? (?:or|and) |, ?| ?[/|] ?/i)
    const answers = parts.map((one) => one.replace(/^(?:an?|the) |^["'“‘`]|["'”’`]$/g, ''))
    if (how !== '' || answers.every((one) => /^[A-Z]+$/.test(one))) return answers
  }
  const marked = /\bletter\b/i.test(asked)
    ? asked.matchAll(/^\s*\(?([A-H])[).:]\s/gm)
    : (bullets.exec(asked)?.[1] ?? '').matchAll(/^\s*[-*•\d][.)]? ["'`*]*([^\n:(–"'`*]{1,40})/gm)
  return [...marked].map(([, one = '']) => one.trim())
}

const numbers = 'number|integer|digit|score|rating|count|total|sum|price|age|amount|result'
const bare = new RegExp(
  String.raw`(?<!\b(?:in|for|at|of|is|was|has) )\b(?:only|just|solely|simply|nothing but|a single)` +
    '(?: (?:with|give|return|output|write|say|reply|respond|answer|the|an?|its|final|me|name of)){0,6} ' +
    String.raw`(?:[a-z]+ )??(?:${numbers}|(?<name>city|country|name|colou?r|date|e-?mail|title))\b|` +
    String.raw`\b(?:number|(?<last>name|title)) only\b|\b(?:one|single|1)[- ](?<word>word)\b`,
  'i',
)
const closed = /^(?:is|are|was|were|does|do|did|has|have|can|should|will) [^\n]*\?/im

/** The bare value that a text asks for, if any: "only the number", "in one word". */
export function bareValue(text: string, question: string, anyWord: readonly string[]): JsonWish | undefined {
  const { groups } = bare.exec(text) ?? {}
  if (groups === undefined) return undefined
  const { word, name = groups['last'] ?? 'value' } = groups
  const number = name === 'value' ? (numbersIn(text) ?? { type: 'integer' }) : { type: 'string' }
  const schema = word === undefined ? number : { enum: closed.test(question) ? ['Yes', 'No'] : anyWord }
  // A question seldom holds its answer; a text that is given beside it does.
  const rest = word === undefined && /:\s|\n|\b(?:extract|from)\b/.test(question) ? question : ''
  return { schema: objectOf({ [name]: schema }), list: name, fenced: false, rest }
}
