/** The response that a prompt dictates: its exact words, or the answers to choose from. */
import { jsonIn } from '../../engine/fields.ts'
import { matchesIn } from './matches.ts'

const verbs = /\b(?:say|repeat|echo|reply|respond|answer|write|output|print|return|type|send|be)\b/gi
/** The words before such a verb: it begins a clause or follows words of request. */
const asking = new RegExp(
  String.raw`^\s*(?:for (?:each|every|any|all) (?:[\w'’]+ ){1,4})?` +
    '(?:(?:please|just|now|simply|only|always|and|then|so|ok|hi|hello|you|must|should|can|' +
    String.raw`could|would|will|need|have|i|want|your|task|job|is|to|the|answer|reply|response|output)\s+)*$`,
  'i',
)
/** Words between the verb and its text that do not change the request. */
const filler =
  'a|back|out|to(?= me)|me|after|with|using|only|just|exactly|precisely|literally|simply|verbatim|nothing|' +
  String.raw`but|else|and|the|this(?!\sis)|following|exact|single|one|words?|text|phrase|string|sentence|` +
  'message|number|letter|answer|reply|response|no|without|any|other|additional|extra|explanation|' +
  'in(?= your)|your|valid|object|json'
/** The end of the sentence, or words that request nothing more. */
const end =
  String.raw`(?=\s*(?:$|[.!?](?:\s|$)|[,;:)\n]|(?:and|with|but) no|or nothing|` +
  String.raw`and (?:do not|don't|stop|end|only)\b|to (?:me|confirm|show|every|each|any|all)\b|` +
  String.raw`as (?:your|the|a) |(?:only|exactly|back|please|if|when|so|without)\b))` +
  String.raw`(?![\s,;]*(?:(?:and |but )?then\b|(?:or )?["“'\x60]))`
const quotes = [
  ...['```[\\w-]*\\n([^]{1,20000}?)\\n?```', '"([^"]{1,4000})"', '“([^”]{1,4000})”'],
  ...['«([^»]{1,4000})»', '`([^`]{1,4000})`', "['‘]((?:[^'’\\n]|(?<=\\p{L})['’](?=\\p{L})){1,4000})['’]"],
]
/** The filler and the dictated text: a quotation, JSON, everything after a colon, or plain words. */
const dictation = new RegExp(
  String.raw`(?<words>(?:[\s,(]+(?:${filler})(?=[\s,:()]))*)(?:[\s,:]*(?:${quotes.join('|')})${end}|` +
    String.raw`\)?[\s:]*(?<json>[{[][^]{0,4000}[}\]])[\s.]*$|\)?\s*:\s*(?<rest>\S[^]*)$|` +
    String.raw`\s+(?<plain>\S(?:[^\n]{0,80}?\S)??)${end})`,
  'iuy',
)
const exactly = /\b(?:exactly|precisely|literally|verbatim|exact|nothing but)\b/
const exactlyThis = new RegExp(`${exactly.source}$`)
/** A word in capitals is literal; in lower case, only words that are common in tests are. */
const common = /^(?:[A-Z][A-Z0-9_-]+|\d+|yes|no|ok|okay|pong|ping|hello|hi|true|false|done|ready|ack|test)$/
const describes = new RegExp(
  '^(?:(?:an?|the|of|that|what|why|how|if|in|from|to|for|with|as|like|about|your|my|it|you|some|something|' +
    'anything|more|count|below|above|is|one|two|three|four|five|each|all|only|just|these|those|once|' +
    'twice|half|which|who|whose|where|when|whether|\\d+ )\\b|(?:JSON|XML|HTML|YAML|CSV|SQL)\\b|["\'“‘«`[{])',
)

/** Whether the text after a colon is the answer. */
function isRestMeant(verb: string, words: string, rest: string): boolean {
  if (rest.endsWith('?') || (/ (?:json|object)/.test(words) && !exactly.test(words))) return false
  if (/ (?:one|single)\b/.test(words)) return words.endsWith(' word') && !rest.includes(' ')
  if (/^(?:say|repeat|echo)$/.test(verb) || exactly.test(words) || words.includes(' with')) return true
  return verb !== 'answer' && /\b(?:only|just|nothing|following|words?|phrase|text|string)\b/.test(words)
}

/** Whether plain words are the answer rather than its description. */
function isPlainMeant(verb: string, words: string, plain: string): boolean {
  // "One word" is a length. A quotation mark in the words closes a quotation that began before the verb.
  if (/ (?:one|single)$/.test(words) || /["“”]/.test(plain)) return false
  if (describes.test(plain)) return false
  if (common.test(plain)) return words !== '' || !/^(?:write|type|send|be)$/.test(verb)
  if (verb === 'say' && words === '')
    return !/\b(?:in|about|to|like|as|for|with|or|and|because|times|twice)\b/.test(plain)
  const isWord = / (?:the|this|single|exact) (?:\w+ )?(?:word|string|number|letter)$/.test(words)
  return /\b(?:words|phrase|text)$/.test(words) || exactlyThis.test(words) || (isWord && !plain.includes(' '))
}

/** Whether a quotation is the answer rather than the question. */
const isQuoteMeant = (verb: string, words: string, quoted: string): boolean =>
  verb !== 'answer' || / with| just| only/.test(words) || (words === '' && !quoted.endsWith('?'))

/** A placeholder value in JSON, which marks an example of an answer. */
const template =
  /[:[,]\s*(?:0(?=\s*[,}\]])|null|"(?:[.…]+|<.*?>|[^"]*[|][^"]*|(?:str|num|int|bool|your )[^"]*)?"(?!\s*:))/i

const clauseBreaks = /[,;:—–()*>"”-]/
const conditional =
  /\b(?:if|when|whenever|unless|until|in case)\b[^.!?\n]{0,60}\b(?:users?|customers?|someone|anyone|they)\b/i
const anyCondition = /\b(?:if|when|whenever|unless|until|asked|in case)\b/i

/** A verb, the text before it, and its end. */
type Ask = Readonly<{ verb: string; before: string; end: number }>

/**
 * The requests of a text with one of these verbs. Only the beginning and the end of a long text are read,
 * because instructions are there. `instructing` excludes conditional requests.
 */
function* asksIn(prompt: string, verbs: RegExp, instructing: boolean, breaks = clauseBreaks): Generator<Ask> {
  const last = Math.max(4000, prompt.length - 4000)
  for (const from of prompt.length > 4000 ? [0, last] : [0])
    for (const { 0: verb, index } of matchesIn(prompt.slice(from, from + 4000), verbs).slice(0, 24)) {
      const at = from + index
      const before = prompt.slice(Math.max(0, at - 200), at)
      const sentence = before.split(/[.!?]\s|\n/).at(-1) as string
      const isQuoted = before.split('"').length % 2 === 0 || /[“`][^”`]*$/.test(sentence)
      const isAsked = !isQuoted && asking.test(sentence.split(breaks).at(-1) as string)
      if (isAsked && !(instructing ? anyCondition : conditional).test(sentence))
        yield { verb: verb.toLowerCase(), before, end: at + verb.length }
    }
}

/** The text that a prompt asks to repeat word for word, or undefined. */
export function exactResponse(prompt: string, instructing = false): string | undefined {
  if (prompt.search(verbs) < 0) return undefined
  for (const { verb, before, end } of asksIn(prompt, verbs, instructing)) {
    dictation.lastIndex = end
    const found = dictation.exec(prompt)
    const isUnder =
      instructing && /^[\s,]*(?:if|when|unless|otherwise)\b/i.test(prompt.slice(dictation.lastIndex))
    if (found === null || isUnder) continue
    const { words = '', json, rest = json, plain } = found.groups ?? {}
    const said = words.toLowerCase()
    // After another text, the JSON is the format of the answer to that text.
    const isAlone = !instructing && /^[^?:"“]{0,80}$/.test(before)
    const value = jsonIn(json)
    if (value !== undefined && (isAlone || exactly.test(said)) && !template.test(json as string)) return json
    if (value !== undefined) continue
    if (rest !== undefined && isRestMeant(verb, said, rest.trim())) return rest.trim()
    if (plain !== undefined && isPlainMeant(verb, said, plain)) return plain
    if (rest !== undefined || plain !== undefined) continue
    const quoted = found.slice(2).find((one) => one !== undefined) as string
    if (isQuoteMeant(verb, said, quoted)) return quoted
  }
  return undefined
}

const picks = 'choose|pick|select|use|give'
const sorts = 'classify|categori[sz]e|label|tag|rate|assign|determine|detect|identify|predict'
const choosers = new RegExp(`\\b(?:answer|reply|respond|return|output|say|be|${picks}|${sorts})\\b`, 'gi')
/** A quick test: every offer of answers contains one of these words. */
const mayOffer = new RegExp(String.raw`\b(?:yes|true)\b|${choosers.source}`, 'i')
const kinds = 'labels?|categor(?:y|ies)|class(?:es)?|options?|choices?|intents?'
const smallWords = '(?:or|and|but|no|not|without|as|if|when|for|in|to|with|on|by|about|like) '
const item =
  `(?!${smallWords})["'“‘\`]?[\\p{L}\\p{N}][\\p{L}\\p{N}_+-]*` +
  `(?: (?!${smallWords})[\\p{L}\\p{N}_+-]+){0,2}["'”’\`]?`
const list = `(?<list>${item}(?:(?:, ?| ?[/|] ?)${item}){0,19}?(?:,? (?:or|and) |, ?| ?[/|] ?)${item})`
/** The words between a verb and the answers to choose from, the answers, and the end of the request. */
const choice = new RegExp(
  String.raw`(?<how>(?:[^.!?\n:]{0,100}? as\b)?(?:[\s,(]+(?:only|just|simply|strictly|exactly|with|using|` +
    'either|the|an?|one|single|of|from|these|this|following|allowed|given|best|right|words?|values?|' +
    String.raw`answers?|${kinds}))*):?\s+[[(]?${list}(?=\s*(?:$|[.!?:;)\]\n]|,? ?(?:only|no|nothing|based|` +
    String.raw`please|depending|for|if|when|with(?:out| no)|and (?:nothing|no|do not|don['’]t|only))\b))`,
  'iuy',
)
/** "Answer yes or no" after the verb; "True or false: …" and "… yes or no?" without a verb. */
const polarAnswer =
  /[^.!?\n]{0,40}?\b(yes|true)(?:,? or | ?\/ ?)(no|false)\b(?!,? (?:then|followed|\w+ions\b|and(?! n)))/iy
const polarQuestion = new RegExp(
  String.raw`(?:(?:^|[.!?\n,(]) ?|\b(?:is|are) [^.!?\n]{1,100} )(yes|true)(?:,? or | ?\/ ?)(no|false)` +
    String.raw`(?=:|\)?\s*(?:\?|\.?\s*$))`,
  'im',
)
const named = new RegExp(
  String.raw`\b(?:${kinds}|following|(?:possible|available|allowed|valid) (?<noun>\w+?)s)\b` +
    String.raw`[^\n:.!?]{0,40}:\s*(?:[[(]?${list}(?=\s*(?:[.!?;)\]\n]|$))|` +
    String.raw`(?<bullets>(?:\n\s*[-*•\d][.)]? [^\n]{1,99}){2,20}))`,
  'iu',
)
/** "Assign a priority (low, medium, high) to …" */
const inBrackets = new RegExp(
  String.raw`\b(?:${sorts})\b[^.!?\n(]{0,60}?(?<!of )\b(?:an?|one|the|its) (?:\w+ )?\w{0,30}[^\Ws] ?` +
    String.raw`\((?:one of:? )?${list}\)`,
  'iu',
)
/** "Is this email spam or ham?", "whether it is good or bad" */
const whichOf = new RegExp(
  String.raw`\b(?:is (?:this|that|it|the)|whether)\b[^.!?\n:]{0,60}? ` +
    String.raw`(?<list>(?:an? )?[\w-]+(?:, (?:an? )?[\w-]+){0,9},? or (?:an? )?[\w-]+)[?.]`,
  'i',
)
/** A request for one of the answers listed elsewhere in the prompt. */
const anyKind = new RegExp(String.raw`\b(?:one\b|${kinds})`)
const classifies = new RegExp(`^(?:${sorts})`)
const asksForOne = new RegExp(String.raw`[^.!?\n]{0,50}?\b(?:${kinds}|(?<letter>letter)|one|word)\b`, 'iy')
const explains =
  /(?<!(?:not|never|no|without|n['’]t)(?: \w+)? )\b(?:explain|justify|and why|(?:your|with|the) reasons?)\b/i

/** Whether the words after a verb are answers to choose from rather than manners, languages or opinions. */
function isOffer(verb: string, before: string, how: string, list: string): boolean {
  const isOne = /\b(?:one|either)\b/.test(how)
  if (classifies.test(verb)) return / as\b/.test(how) && (isOne || !/ and /.test(list))
  if (picks.includes(verb)) return anyKind.test(how) || / from$/.test(how)
  if (/ as\b/.test(how) || (verb === 'be' && !/\b(?:answer|response|reply|output|label)\b/i.test(before)))
    return false
  if (isOne || / (?:an?|the)$/.test(how) || !/ or |[/|]/.test(list)) return isOne
  return how !== '' || /^["“'`]/.test(list) || /^[^a-z]+$/.test(answersIn(list).join(''))
}

/** The answers that a prompt offers to choose from; empty if there are none. */
export function offeredAnswers(prompt: string, instructing = false): readonly string[] {
  const asked = prompt.length <= 2000 ? prompt : `${prompt.slice(0, 1000)}\n${prompt.slice(-1000)}`
  if (!/[/|,:)]| or /.test(asked) || !mayOffer.test(asked) || explains.test(asked)) return []
  const polar = polarQuestion.exec(asked)
  if (polar !== null) return polar.slice(1)
  let elsewhere: RegExpExecArray['groups'] | null = null
  for (const { verb, before, end } of asksIn(asked, choosers, instructing, /[,;:—–()*>"”-]|\band\b/)) {
    for (const pattern of [polarAnswer, choice, asksForOne]) pattern.lastIndex = end
    const yesOrNo = polarAnswer.exec(asked)
    if (yesOrNo !== null) return yesOrNo.slice(1)
    const { how = '', list = '' } = choice.exec(asked)?.groups ?? {}
    if (list !== '' && isOffer(verb, before, how, list)) return answersIn(list)
    const one = asksForOne.exec(asked)?.groups
    if (one?.['letter'] !== undefined) {
      const letters = asked.matchAll(/(?<=^|\s)\(?([A-H])(?:\)|[.:](?=\s))/g)
      return [...new Set([...letters].map(([, letter = '']) => letter))]
    }
    if (elsewhere === null)
      elsewhere = (named.exec(asked) ?? inBrackets.exec(asked) ?? whichOf.exec(asked))?.groups
    if (elsewhere === undefined) continue
    const { bullets = '', list: inLine, noun } = elsewhere
    const isNamed = noun !== undefined && /^[^.!?\n]{0,50}/.exec(asked.slice(end))?.[0].includes(noun)
    if (one === undefined && !isNamed && !classifies.test(verb)) continue
    const marked = bullets.matchAll(/^\s*[-*•\d][.)]? ["'`*]*([^\n:(–"'`*]{1,40})/gm)
    return inLine === undefined ? [...marked].map(([, label = '']) => label.trim()) : answersIn(inLine)
  }
  return []
}

const answersIn = (list: string): string[] =>
  list.split(/,? (?:or|and) |, ?| ?[/|] ?/i).map((one) => one.replace(/^(?:an?|the) |^["'“‘`]|["'”’`]$/g, ''))
