/** The length and the topic that a prompt requests for its response. */
import { matchesIn } from './matches.ts'

/** From `least` to `most` units. For a list: the kind of its items and their markers. */
export interface RequestedLength {
  readonly unit: 'word' | 'sentence' | 'paragraph' | 'line' | 'item' | 'title'
  readonly least: number
  readonly most: number
  readonly noun: string
  readonly style: 'numbers' | 'bullets' | 'lines' | 'commas'
}

/** The instructions of a prompt: its beginning and its end. The material is in between. */
const askedPart = (prompt: string): string =>
  prompt.length <= 600 ? prompt : `${prompt.slice(0, 200)}\n${prompt.slice(-400)}`

const small = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const counts: Readonly<Record<string, number>> = {
  ...Object.fromEntries(small.map((word, at) => [word, at + 1])),
  ...{ single: 1, couple: 2, few: 3, several: 4, dozen: 12, twenty: 20, fifty: 50, hundred: 100 },
}
const aText = 'an?(?= (?:(?:short|brief|concise) )?(?:sentence|paragraph))'
const inWords = Object.keys(counts).join('|')
const count = `\\d{1,4}|${inWords}|${aText}`
/** A quick test: every request for a length contains one of these. */
const mayCount = new RegExp(
  String.raw`\d|\b(?:${inWords}|sentence|paragraph|haiku|title|headline|slogan|tagline)\b`,
  'i',
)
/** The start of an amount. "Part 17." contains a number but no amount. */
const amountBegins = new RegExp(String.raw`(?:\d|\b(?:${inWords}))(?:[\s–-]|to|or|and)|\b${aText}`, 'i')
/** "3 short sentences", "five to seven fun facts" */
const amount = new RegExp(
  String.raw`(?<![\w.,-])(?<low>${count})(?: of)?(?:\s?(?:-|–|to|or|and)\s?(?<high>${count}))?[ -]` +
    '(?:(?!(?:of|or|and|to|for|in|on|about|with|from|is|was)[ -])[a-z]{1,15}[ -]){0,3}?' +
    String.raw`(?:(?<unit>sentence|paragraph|word|line)s?\b(?! each| per)(?<behind> or (?:less|fewer))?|` +
    '(?!(?:minute|hour|day|week|month|year|second|time|dollar|euro|letter|character)s)(?<noun>[a-z]{2,19}' +
    String.raw`(?<![sui])s|people|children|men|women|(?:item|point|bullet|step)(?= list| plan))\b)`,
  'gi',
)
/** The bound before an amount. */
const bound =
  /\b(?:(at most|not? more than|up to|max\w*|under|less than|below|within)|(at least|more than|over)) $/i
const answers = /\b(?:reply|respond|answer|return|list|array|output|me|json) (?:with|as|of) \S*\s?$/i
/** A request for a list, before the amount and its bound. */
const asksForItems = new RegExp(
  String.raw`(?:\b(?:list|give|name|suggest|share|tell|provide|need|want|are|write|create|generate|` +
    'find|show|pick|return|make|get|top|describe|output|brainstorm|come up with|propose|think of|' +
    String.raw`recommend|in|(?<joint>with|as|of)) |^\s*|[.!?:;,\n]\s*)` +
    String.raw`(?:(?:me|us|the|top|my|exactly|only|just|about|a|(?:\w+ )?(?:list|array) of) )*$`,
  'i',
)
/** A title as the whole response rather than a part. */
const title = new RegExp(
  String.raw`(?:^|[.!?:,\n]\s*)(?:please |(?:can|could|would) you )?(?:write|give|make|create|suggest|` +
    'generate|think of|come up with|i need)(?: me| us)? (?:an?|one|the) (?:(?!with|and|for|of|on|about)' +
    String.raw`[\w-]+ ){0,3}?(?:title|headline|slogan|tagline)\b(?! (?:page|and|with|that|case))`,
  'i',
)

/** The length that a prompt requests ("in one sentence", "list 3–5 ideas", "in at most 50 words"). */
export function requestedLength(prompt: string): RequestedLength | undefined {
  const asked = askedPart(prompt)
  if (!mayCount.test(asked)) return undefined
  let found: RequestedLength | undefined
  for (const { groups = {}, index } of amountBegins.test(asked) ? matchesIn(asked, amount) : []) {
    const { low = '', high = low, unit = 'item', behind, noun = '' } = groups
    const before = asked.slice(Math.max(0, index - 60), index).replace(/\b(?:an?|the) $/i, '')
    const [limit = '', upper = behind, lower] = bound.exec(before) ?? []
    const lead = before.slice(0, before.length - limit.length)
    const length = {
      unit: unit.toLowerCase() as RequestedLength['unit'],
      ...rangeOf(
        [low, high].map((one) => counts[one.toLowerCase()] ?? (/^an?$/i.test(one) ? 1 : Number(one))),
        upper,
        lower,
      ),
      noun: noun.toLowerCase().replace(/^bullets?$/, 'points'),
      style: styleOf(asked),
    }
    const isRejected = limit === '' && /\b(?:not|never|don['’]t|without)(?: \w+){0,3} $/i.test(lead)
    if (length.most < 1 || isRejected) continue
    const items = unit === 'item' ? asksForItems.exec(lead) : null
    if (unit !== 'item') found ??= length
    // "A family with two children" does not request a list of children.
    else if (
      items !== null &&
      (items.groups?.['joint'] === undefined || parts.test(noun) || answers.test(lead))
    )
      return length
  }
  const plain = { noun: '', style: 'lines' } as const
  if (found === undefined && /\ba haiku\b/i.test(asked)) return { ...plain, unit: 'line', least: 3, most: 3 }
  return found ?? (title.test(asked) ? { ...plain, unit: 'title', least: 1, most: 1 } : undefined)
}

const limit = new RegExp(
  String.raw`\b(?:max\w*|at most|not? more than|up to|under|below|within|less than|limit\w*)(?: of| to)? ` +
    String.raw`(\d{1,5})[ -]char(?![^.!\n]*\?)`,
  'i',
)
/** The maximum number of characters in a response. */
export function charactersAllowed(prompt: string): number | undefined {
  const found = limit.exec(askedPart(prompt))
  return found === null ? undefined : Number(found[1])
}

function rangeOf(bounds: readonly number[], upper?: string, lower?: string): { least: number; most: number } {
  const [least, most] = [Math.min(...bounds, 1000), Math.min(Math.max(...bounds), 1000)]
  const from = least + (/^(?:more|over)/i.test(lower ?? '') ? 1 : 0)
  if (lower !== undefined) return { least: from, most: Math.ceil(from * 1.2) }
  const upTo = most - (/^(?:under|less|below)/i.test(upper ?? '') ? 1 : 0)
  return upper === undefined ? { least, most } : { least: Math.ceil(upTo * 0.6), most: upTo }
}

function styleOf(prompt: string): RequestedLength['style'] {
  if (/\bcomma/i.test(prompt)) return 'commas'
  if (/bullet|\bdash(?:es)?\b/i.test(prompt)) return 'bullets'
  return /\b(?:per|on|each) (?:a |an? \w+ |its own )?(?:\w+ )?line\b/i.test(prompt) ? 'lines' : 'numbers'
}

const number = `(?:${small.join('|')}|\\d+)`
const noPronoun =
  '(?!(?:its?|this|that|these|those|them|their|his|her|you|your|the following|in|how|what|why|a hundred|' +
  String.raw`\d+ (?:words|lines|characters))\b)`
const phrase = String.raw`([^\s.,;:!?()][^.,;:!?\n()]{0,70}?)`
const languages = 'english|french|german|spanish|italian|portuguese|dutch|polish|japanese|chinese'
const stop =
  String.raw`(?=\s*(?:[.,;:!?\n()]|$)|\s+(?:in (?:${number}|an?|simple|plain|your|less|under|at most|about|` +
  "short|brief|bullet|json)|as (?:an?|if|bullet|json)|like (?:i'm|i am|a)|using|so that|but|please|briefly|" +
  String.raw`because|to (?:me|a|my)|for (?:a|my|the|me)|(?:in)?to (?:${languages})\b|which|within|` +
  String.raw`with ${number})\b)`
const asks = 'explain|describe|define|discuss|summari[sz]e|compare|analy[sz]e|translate|review|introduce'
const material = '(?:rewrite|improve|correct|paraphrase|summari[sz]e|analy[sz]e|translate|review)'
const things =
  'items|points|ideas?|tips|reasons|ways|steps|examples?|names|facts?|titles?|questions|benefits|options|' +
  'headlines?|slogans?|taglines?|things|words|sentences?|lines?|paragraphs?'
const parts = new RegExp(`^(?:${things})$`, 'i')
/** The introduction of a topic, and the topic: `<thing>` is a phrase but not a pronoun. */
const topics = [
  ['(?:who|what) are you|what can you do|introduce yourself', 'what I can do'],
  [String.raw`${material}\b[^:.!?\n]{0,60}:\s*([^\s.,;:!?()][^\n]{0,70})`, '“$1”'],
  ['(?:about|regarding|concerning|on the (?:topic|subject) of) <thing>', '$1'],
  [`(?:${things}) (?:for|on|to|of) <thing>`, '$1'],
  [`how do (?!i\\b|you\\b|we\\b|one\\b)${phrase} work`, 'how $1 work'],
  [`how (?:does|did) (?!one\\b)${phrase} works?`, 'how $1 works'],
  [`how (?:(?:do|can|should|would|could) (?:i|you|we|one)|to) ${phrase}${stop}`, 'how to $1'],
  [`why (is|are|was|were) ((?:the |an? |my |our |your )?[^\\s.,;:!?()]+) ${phrase}${stop}`, 'why $2 $1 $3'],
  ["(?:what|who|where|when)(?:['’]s| (?:is|are|was|were)) <thing>", '$1'],
  [`(?:list|name|suggest|give me) (?:${number}|some|a few) (?!${things})${phrase}${stop}`, '$1'],
  [`(?:${asks}) (?:me |to me |briefly )?<thing>`, '$1'],
].map(([find = '', topic = '']) => {
  const source = find.replace('<thing>', noPronoun + phrase + stop).replaceAll(' ', String.raw`\s+`)
  return { find: new RegExp(String.raw`\b(?:${source})`, 'i'), topic }
})

const asking = new RegExp(
  "^(?:(?:please|(?:can|could|would|will) you|i(?: want| would like|'d like| need) you to|help me(?: to)?|" +
    '(?:explain|describe|review|fix|check)(?= (?:this|these|my|the) )|' +
    '(?:tell|give|show) me|let me know|write(?: me)?|create|generate|make|compose|draft|produce|hello|hi|' +
    String.raw`hey|good (?:morning|evening|day)|ok|okay|so|now|and)\b[\s,:!.]*)+|` +
    '^(?:请问?|帮我|给我|告诉我|介绍一下|介绍|解释一下|解释|什么是|写一[篇首个]?|关于)+',
  'i',
)
const greeting = new RegExp(
  '^(?:(?:hello|hi|hey|hiya|greetings|good (?:morning|afternoon|evening|day)|yo|howdy|there|everyone|again|' +
    String.raw`ping|test|testing|thanks|thank you|你好|您好)(?![\p{L}\p{N}])[\s,!.?。！，]*)*$`,
  'iu',
)

const fences = /```[^]*?(?:```|$)/g
const quoted = /(?<![\p{L}\p{N}])'([^'\n]{1,80})'(?![\p{L}\p{N}])/gu
/** "Standalone question:" at the end. */
const cue = /(?:^|\n|[.!?"”]\s)\s*\p{Lu}\p{L}*(?: \p{L}+){0,2}:\s*$/u
const answering = 'reply|respond|answer|return|output|write|give|print|state'
/** A sentence about the format of the response. */
const onForm = new RegExp(
  String.raw`(?<=^|[.!?\n]\s*)(?:please )?(?:(?:only|just|simply) (?:${answering})\b|(?:${answering}) ` +
    '(?:(?:me |back )?(?:only|just|nothing)|with (?:only |just )?(?:the|an?|one|your)|in (?:json|one|a)|' +
    String.raw`as)\b|(?:max\w*|at most|up to|no more than|no longer than|limit|keep (?:it|the|your)|` +
    'use (?:at most|no)|(?:no|without) (?:prose|preamble|markdown|explanations?|comments?|additional)|' +
    String.raw`(?:do not|don['’]t|never) (?:explain|add|include|use|write|output|give))\b)[^.!?\n]*[.!?]*`,
  'gi',
)
const label = /^\p{Lu}\p{L}*(?: \p{L}+)?:\s+(?=\S)/u
/** The characters of a phrase that needs no quotation marks in a sentence. */
const isThing = new RegExp(
  String.raw`^(?:an?|the|my|our|this|these)\s(?!.*\s(?:is|are|was|were|has|have|will)\s)|` +
    String.raw`^(?!(?:is|are|was|do|does|did|can|could|should|will)\s)(?:\S+\s){0,2}\S+$`,
  'i',
)
const imperative = new RegExp(
  '^(?:please |(?:can|could|would) you )?(?:write|create|generate|make|compose|draft|produce|plan|design|' +
    'build|translate|rewrite|explain|describe|summari[sz]e|compare|classify|extract|convert|suggest|' +
    'brainstorm|recommend|help)\\b',
  'i',
)

/** A prompt with several sentences or lines, without code, format instructions and a final cue. */
function withoutForm(prompt: string): string {
  const plain = prompt.replace(fences, ' ').replace(quoted, '$1').trim()
  const asked = plain.replace(onForm, ' ').trim().replace(cue, ' ').trim()
  return /[\p{L}\p{N}]/u.test(asked) ? asked : plain || prompt
}

/** The topic in the words of the prompt: "honey bees"; undefined for a greeting or an empty prompt. */
export function topicOf(prompt: string): string | undefined {
  const part = askedPart(prompt)
  const plain = (/[`':\n]|[.!?]\s/.test(part) ? withoutForm(part) : part)
    .replace(/["“”«»`#[\]{}<>|]|\*(?! \d)/g, ' ')
    .trim()
  if (greeting.test(plain)) return undefined
  for (const { find, topic } of topics) {
    const found = find.exec(plain)
    if (found === null) continue
    return topic === '$1'
      ? shorten(found[1] ?? '')
      : topic.replace(/\$(\d)/g, (_, at) => shorten(found[at] ?? ''))
  }
  const sentences = plain.split(/[.!?]+(?:\s|$)|[。！？\n，]/u)
  const said = sentences.map((sentence) => sentence.trim()).filter((one) => /[\p{L}\p{N}]/u.test(one))
  const main = said.find((one) => imperative.test(one)) ?? said.at(-1) ?? plain
  const topic = shorten(main.replace(label, '').replace(asking, ''))
  if (topic === '') return 'your question'
  // A few words name a topic. A longer clause is quoted to fit into a sentence.
  return isThing.test(topic) ? topic : `“${topic}”`
}

/** The beginning of a truncated phrase. */
const dangling = /(?<=.{20})(?:,|\s(?:for|to|with|of|about|in|on|and|or|is|that|from|by)(?:\s\S+){0,2})+$/
/**
 * Removes punctuation at both ends, and truncates between words, or between characters in scripts without
 * spaces.
 */
function shorten(phrase: string): string {
  const text = phrase.replace(/\s+/g, ' ').replace(/^[ ,:;'’-]+|[ ,:;.'’-]+$/g, '')
  if (text.length <= 60) return text
  const cut = text.slice(0, 60)
  return /\s/.test(cut)
    ? cut.replace(/\s+\S*$/, '').replace(dangling, '')
    : cut.replace(/[\ud800-\udbff]$/, '')
}

/** The topic of the last line as a noun phrase for titles; `''` if there is none. */
export function subjectOf(prompt: string): string {
  const topic = topicOf(prompt.trimEnd().split('\n').at(-1) ?? '') ?? ''
  return topic.length > 48 || /^(?:“|your question$|(?:i|we|it|that|this|to) )/i.test(topic) ? '' : topic
}
