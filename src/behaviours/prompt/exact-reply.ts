/**
 * Finds the reply that a prompt dictates ("Reply with exactly: pong"), or the answers that it offers ("yes or
 * no").
 */

const verb = String.raw`\b(?:say|repeat|echo|reply|respond|answer|write|output|print|return|type|send)\b`
const verbs = new RegExp(verb, 'gi')
// Most prompts have none; looking for one is quicker than setting out to find all.
const anyVerb = new RegExp(verb, 'i')

// What may stand between such a verb and its text without saying that something else is wanted.
const filler =
  'back out to me after with using only just exactly precisely literally simply verbatim nothing but ' +
  'else and more the this these following exact single one word words text phrase sentence string ' +
  'message line number digit letter token answer reply response output content value code emoji ' +
  'character symbol aloud loud for no without any other additional extra explanation explanations ' +
  'commentary punctuation quotes quotation marks formatting changes in your json'
const gap = `((?:[\\s,(]+(?:${filler.split(' ').join('|')})(?=[\\s,:()]))*)`

// What may stand behind the text: the end of its sentence, or words that ask for nothing more.
const end =
  String.raw`(?=\s*(?:$|[.!?](?:\s|$)|[,;:)\n]|(?:and|with|but) no(?:thing|t)?\b|or nothing\b|` +
  String.raw`and (?:do not|don't|stop|end|only)\b|(?:only|exactly|back|please|verbatim|if|when|once|` +
  String.raw`so|without|twice)\b|to (?:me|confirm|show|acknowledge|indicate|verify)\b|as (?:your|the|` +
  String.raw`a)\b|word for word\b))(?!\s*(?:[,;]\s*)?(?:and |but )?then\b)`
const quote =
  '(?:"([^"]{1,4000})"|“([^”]{1,4000})”|«([^»]{1,4000})»|「([^」]{1,4000})」|' +
  String.raw`\x60([^\x60]{1,4000})\x60|'((?:[^'\n]|(?<=\p{L})'(?=\p{L})){1,4000})'|‘([^’\n]{1,4000})` +
  '’)'
const anyQuote = /["“«「`'‘]/

const fenced = new RegExp(`${gap}[\\s,]*(?::\\s*)?\`\`\`[\\w-]*\\n([^]{1,20000}?)\\n?\`\`\``, 'iuy')
const quoted = new RegExp(`${gap}[\\s,]*(?::\\s*)?${quote}${end}`, 'iuy')
// The rest of the prompt, however long: the limits of the API that says it bound it.
const afterColon = new RegExp(`${gap}\\)?\\s*:\\s*([^]+)$`, 'iuy')
const unquoted = new RegExp(`${gap}\\s+(\\S(?:[^\\n]{0,80}?\\S)??)${end}`, 'iuy')
const quotes = new RegExp(
  `${gap}(?:[\\s,(]+(?:either|of))*[\\s,]*(?::\\s*)?(${quote}(?:(?:,? or |, ?| ?/ ?)${quote})+)`,
  'iuy',
)

/**
 * The text a prompt asks to be given back word for word, or undefined. `instructing` leaves out what is asked
 * on a condition.
 */
export function exactReply(prompt: string, instructing = false): string | undefined {
  if (!anyVerb.test(prompt)) return undefined
  const [hasFence, hasQuote, hasColon] = [prompt.includes('```'), anyQuote.test(prompt), prompt.includes(':')]
  for (const { verb, after, sentence } of requests(prompt)) {
    if (instructing && /\b(?:if|when|whenever|unless|until|asked|in case)\b/i.test(sentence)) continue
    const isRepeat = /^(?:repeat|echo|say|output|print|return|reply|respond)$/.test(verb)
    const text =
      (hasFence && isRepeat ? match(fenced, prompt, after)?.[2] : undefined) ??
      (hasQuote ? match(quoted, prompt, after)?.slice(2).find(Boolean) : undefined) ??
      (hasColon ? textAfterColon(prompt, after, verb) : undefined) ??
      plainText(prompt, after, verb)
    if (text !== undefined) return text
  }
  return undefined
}

/** What a prompt may have that offers answers to choose from; any other prompt does not. */
export const mayOfferAnswers = / or |[/"“«「`'‘]/

const item =
  '(?!(?:an?|the|some|your|my|in|with|to|as|one|two|answer|reply|respond|return|output|say|choose|pick) )' +
  String.raw`[^\s.!?:,;(][^.!?\n:,]{0,29}?`
const offered = new RegExp(
  // "Answer only with", "choose one of", "classify it as"; a question or a bracket in front
  String.raw`(?:\b(?:(?:answer|reply|respond|return|output|say)(?: (?:me|back|only|just|simply|with|using|` +
    'the|words?|single|one|of|either|exactly|following))*|(?:pick|choose|select|return|output)' +
    String.raw`\b[^.!?:\n]{0,40}\b(?:one of|either|one)|(?:classify|categori[sz]e|label|tag|rate)` +
    String.raw`\b[^.!?\n]{0,80}\bas)(?: the following)?(?: words?| labels?| options?| categories| values?)?` +
    String.raw`:? |[?(] ?|^)(${item}(?:, ${item}){0,20}(?:,? or |\/)${item})(?=[.!?:)\n]|$|,? (?:and )?` +
    String.raw`(?:answer|reply|respond|return|output|give|with|only|just|no|based|depending|to)\b)`,
  'gi',
)
const yesOrNo = /^(?:yes(?: or |\/)no|true(?: or |\/)false)$/i

/** The answers that a prompt offers to choose from; empty when it offers none. */
export function offeredAnswers(prompt: string): readonly string[] {
  for (const { after } of anyQuote.test(prompt) && anyVerb.test(prompt) ? requests(prompt) : []) {
    const found = match(quotes, prompt, after)?.[2]
    if (found !== undefined)
      return [...found.matchAll(new RegExp(quote, 'giu'))].map((one) => one.slice(1).find(Boolean) as string)
  }
  const ending = prompt.slice(-1000)
  if (!ending.includes(' or ') && !ending.includes('/')) return []
  for (const { 0: whole, 1: list = '' } of ending.matchAll(offered)) {
    const parts = list.split(/,? or |, |\//i)
    const answers = parts.map((one) => one.replace(/^["'“‘`]|["'”’`]$/g, '').trim())
    const lead = whole.slice(0, whole.indexOf(list))
    // "Answer politely or not at all" offers nothing; "answer A or B" and "(yes or no)" do.
    const isAsked =
      /\b(?:with|as|of|either|one)\b/i.test(lead) ||
      yesOrNo.test(list) ||
      (lead !== '' && answers.every((one) => /^[A-Z]+$/.test(one)))
    if (isAsked && answers.every((one) => one !== '' && one.split(/\s+/).length <= 3)) return answers
  }
  return []
}

interface Request {
  readonly verb: string
  /** Where the verb ends. */
  readonly after: number
  /** The sentence up to the verb. */
  readonly sentence: string
}

// Only the beginning and the end of a long prompt are searched: that is where instructions stand.
const searchedLength = 4000
const maxRequests = 24
const asking = new RegExp(
  String.raw`^\s*(?:(?:please|just|now|simply|only|always|kindly|and|then|so|ok|okay|hey|hi|` +
    "hello|you|must|should|shall|can|could|would|will|need|have|are|i|i'd|want|like|your|" +
    String.raw`task|job|is|to|instead|first|next|finally|also|test)\s+)+$`,
  'i',
)

/** The verbs that ask for something to be said: they begin a clause, or stand behind words of asking. */
function* requests(prompt: string): Generator<Request> {
  const lastPart = Math.max(searchedLength, prompt.length - searchedLength)
  let found = 0
  for (const [from, to] of [
    [0, searchedLength],
    [lastPart, prompt.length],
  ] as const)
    for (const { 0: verb, index } of prompt.slice(from, to).matchAll(verbs)) {
      const sentence = prompt
        .slice(Math.max(0, from + index - 200), from + index)
        .split(/[.!?]\s|\n/)
        .at(-1) as string
      const clause = sentence.split(/[,;:—–()*>"”-]/).at(-1) as string
      if (clause.trim() !== '' && !asking.test(clause)) continue
      yield { verb: verb.toLowerCase(), after: from + index + verb.length, sentence }
      if (++found === maxRequests) return
    }
}

const dictates = new RegExp(
  String.raw`\b(?:exactly|precisely|literally|verbatim|only|just|nothing|following|exact|words?|` +
    String.raw`phrase|text|string|sentence|letter|number|message|with)\b`,
  'i',
)

function textAfterColon(prompt: string, after: number, verb: string): string | undefined {
  const [, words = '', rest = ''] = match(afterColon, prompt, after) ?? []
  const text = rest.trim()
  if (/\b(?:one|single) word\b/i.test(words)) return /^([\p{L}\p{N}'’-]+)[.!]?$/u.exec(text)?.[1]
  const isRepeat = /^(?:say|repeat|echo)$/.test(verb)
  const isDictated =
    dictates.test(words) && !text.endsWith('?') && (verb !== 'answer' || /\bwith\b/i.test(words))
  // "Respond with JSON: the name and the age" describes what to say.
  const describes = /\bone (?!word\b)/i.test(words) || (/\bjson\b/i.test(words) && !/^[[{"]/.test(text))
  return text === '' || describes || !(isRepeat || isDictated) ? undefined : text
}

const namesText =
  /\b(?:the|this|single|one|exact) (?:exact |single |one )?(?:words?|phrase|text|number|digit|letter|emoji)$/i
const exactly = /\b(?:exactly|precisely|literally|verbatim|nothing but)$/i
// In capitals a word stands for itself; in small letters only the usual words of tests do.
const inCapitals = /^[A-Z][A-Z0-9_-]+$/
const commonReply = new RegExp(
  String.raw`^(?:\d+|yes|no|ok|okay|pong|ping|hello|hi|hey|bye|goodbye|true|false|done|ready|ack|` +
    'acknowledged|test|success|confirmed|understood|received|pass|fail)$',
  'i',
)
const formats = /^(?:JSON|XML|HTML|YAML|CSV|SQL|CSS|TSV|PDF|HTTP|URL|ASCII|UTF-?8|ISO|API|I)$/i
const description = new RegExp(
  '^(?:an?|the|of|that|which|what|why|how|when|where|who|whether|if|in|from|to|for|' +
    'with|without|as|like|about|your|my|our|his|her|their|its|you|it|this [a-z]+$|these|' +
    'those|some|something|anything|nothing|more|less|count|limit|below|above|and|or|is|' +
    'so|one|two|three|four|five|six|seven|eight|nine|ten|several|only|just|both|each|' +
    String.raw`every|all|\d+ )\b`,
  'i',
)
const asksForMore = /\b(?:in|about|to|like|as|for|with|or|and|then|because|if|times|twice|using)\b/i

function plainText(prompt: string, after: number, verb: string): string | undefined {
  const [, words = '', text = ''] = match(unquoted, prompt, after) ?? []
  const count = text.split(/\s+/).length
  if (text === '' || count > 8 || formats.test(text) || /^["'“‘«「`]/.test(text)) return undefined
  const isDescription = description.test(text)
  if (namesText.test(words))
    return isDescription || (count > 1 && !/\b(?:words|phrase|text)$/i.test(words)) ? undefined : text
  if (exactly.test(words)) return isDescription ? undefined : text
  if (inCapitals.test(text) || commonReply.test(text))
    return words === '' && /^(?:write|type|send)$/.test(verb) ? undefined : text
  if ((verb !== 'say' && verb !== 'echo') || asksForMore.test(text)) return undefined
  // "Say this is a test": the words of the gap belong to what is to be said.
  if (/^ this$/i.test(words)) return `${words.trim()} ${text}`
  return words === '' && !isDescription ? text : undefined
}

function match(sticky: RegExp, prompt: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(prompt)
}
