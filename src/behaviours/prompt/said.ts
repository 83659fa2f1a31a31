/** What a prompt hands over in its own words: what to say, translate, run, buy or remember. */
import { notNames } from './names.ts'

const language =
  'english|french|german|spanish|italian|portuguese|dutch|russian|chinese|mandarin' +
  '|japanese|korean|arabic|hindi|' +
  'turkish|polish|swedish|greek|latin|ukrainian|czech|danish|norwegian|finnish|hebrew|thai|vietnamese'
const person =
  String.raw`(?:him|her|them|me|us|everyone|the \p{L}+|\S{1,64}@\S{1,64}|\p{Lu}[\p{L}'-]*(?: ` +
  String.raw`\p{Lu}[\p{L}'-]*)?)`
/** To the end of the sentence. */
const sentence = String.raw`((?:[^.!?\n]|[.!?](?!\s|$)){1,1000})`

/** Words to be passed on: a message, a text to work on. Best first. */
const messages: readonly RegExp[] = [
  /\b(?:saying|(?:that|which) (?:says|reads)|reading|stating)(?: that)?:? (?=\S)([^\n]{1,2000})/iu,
  new RegExp(
    String.raw`\b(?:[Tt]ell|[Ii]nform|[Nn]otify|[Rr]emind|[Aa]sk|[Ll]et|[Tt]ext|[Mm]essage|[Ee]mail` +
      '|[Ww]arn|[Ww]rite)(?: to)? ' +
      `${person}(?: know)?,? ` +
      `(?:that |to |about )${sentence}`,
    'u',
  ),
  new RegExp(
    String.raw`\b(?:message|note|mail|email|reminder|comment|post|remember|sms)\b[^.!?\n]{0,40}? ` +
      `that ${sentence}`,
    'iu',
  ),
  new RegExp(
    String.raw`\b(?:translate|say|convert)\b (?!this|that|it\b|the following|from|to)((?:the ` +
      String.raw`\p{L}+ )?[^.!?\n:]{1,400}?)` +
      String.raw`(?: from (?:${language}))? (?:to|into|in) (?:${language})\b`,
    'iu',
  ),
  new RegExp(
    String.raw`\b(?:string|word|phrase|text|sentence|characters?|letters)\b(?: of| in)?(?: the ` +
      String.raw`(?:string|word|phrase))? (?=\S)(?!to\b|in\b|of\b|for\b|and\b|from\b|with\b|is\b` +
      String.raw`|into\b|that\b|file\b|about\b)([^\s,;:!?]{1,60})(?=[.,;:!?]|$|\s)`,
    'iu',
  ),
]
/** What stands behind a colon: "Add a todo: water the plants", "Summarize this: …". */
const behindColon = /^[^:\n]{3,120}:\s+(\S[^]{0,4000})$/u
/** What to do: "remind me to call Mom", "a task to water the plants". */
const tasks: readonly RegExp[] = [
  new RegExp(String.raw`\b[Rr]emind(?:er for)? (?:me|us|${person}) (?:to|about|of) ${sentence}`, 'u'),
  new RegExp(
    String.raw`\b(?:to-?do|task|reminder|ticket|issue|item|note)s?\b(?: for me)? (?:to|about) ${sentence}`,
    'iu',
  ),
]
/** What to run. */
const commands: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:run|execute|exec|eval)\b(?:(?: the)?(?: following)?(?: shell| bash| sql| python)?` +
      String.raw`(?: command| query| script| code))?:? (?!this|that|it\b|the\b)(\S[^\n]{0,1000}?)` +
      String.raw`(?=[.?!]?(?:$|\n)|[,;] | and (?:then|show|tell|give|report|print|return)\b)`,
    'iu',
  ),
]
const statements = [
  new RegExp(
    String.raw`(?<!\p{L})((?:select [^\n]{1,400}? from|insert into|delete from|create table|drop table|` +
      String.raw`update \w+ set)\s[^\n]{1,1000}?)(?=[?!]?(?:$|\n))`,
    'iu',
  ),
]
/** What to look for. */
const sought = [
  new RegExp(
    String.raw`\b(?:search|look|grep|find|scan|occurrences)(?: for| of)? (?!all\b|the\b|a\b` +
      String.raw`|me\b)(\S{1,80}) (?:in|under|within|inside|across)\b`,
    'iu',
  ),
]
const subjects = [
  new RegExp(
    String.raw`\b(?:about|regarding|concerning) (?!me\b|you\b|it\b|that\b)((?:[^.!?,\n]|[.!?](?!\s` +
      String.raw`|$)){1,80}?)(?=[.!?,\n]|$| (?:saying|and (?:say|tell|ask|write))\b)`,
    'iu',
  ),
]
const jobs = [
  new RegExp(
    String.raw`\b(?:works?|working|worked|job) as (?:an? |the )?([\p{L} -]{3,40}?)(?= (?:at|for|in` +
      String.raw`|with|and)\b|[.,;\n]|$)`,
    'iu',
  ),
  new RegExp(
    String.raw`\bis an? (?:\d{1,3}[ -]years?[ -]old )([\p{L} -]{3,40}?)(?= (?:at|for|from|in|with` +
      String.raw`|and|who)\b|[.,;\n]|$)`,
    'iu',
  ),
]

/** What a prompt says, each kind read on first use and in order, best first. */
export class SaidFacts {
  readonly #text: string
  #messages: readonly string[] | undefined
  #told: readonly string[] | undefined

  constructor(prompt: string) {
    this.#text = prompt.slice(-8000)
  }

  get messages(): readonly string[] {
    return (this.#messages ??= [
      ...this.#all(messages),
      ...[this.#behindColon()].filter((colon) => colon !== ''),
      ...this.#tasksTold(),
    ])
  }

  get tasks(): readonly string[] {
    const colon = this.#behindColon()
    return [...this.#tasksTold(), ...(colon === '' || colon.length > 200 ? [] : [colon])]
  }

  get commands(): readonly string[] {
    return this.#all([...commands, ...statements])
  }

  /** Statements of SQL. */
  get statements(): readonly string[] {
    return this.#all(statements)
  }

  /** What a mail is about. */
  get subjects(): readonly string[] {
    return this.#all(subjects)
  }

  /** What to look for in files. */
  get sought(): readonly string[] {
    return this.#all(sought)
  }

  /** What people work as. */
  get jobs(): readonly string[] {
    return this.#all(jobs)
  }

  /** What is wanted, as a thing: "Order a dozen eggs", "Buy an iPhone 15 for Ada". */
  get things(): readonly string[] {
    return thingsIn(this.#text)
  }

  #tasksTold(): readonly string[] {
    return (this.#told ??= this.#all(tasks))
  }

  #behindColon(): string {
    return this.#text.includes(':') ? trimmed(behindColon.exec(this.#text.trim())?.[1] ?? '') : ''
  }

  #all(patterns: readonly RegExp[]): readonly string[] {
    const found = patterns.map((pattern) => trimmed(pattern.exec(this.#text)?.[1] ?? ''))
    return [...new Set(found)].filter((one) => one !== '')
  }
}

const wanting =
  String.raw`\b(?:buy|order|purchase|get|find|need|want|add|sell|rent|reserve|book|search for` +
  '|look for|looking for|' +
  'price of|cost of|much is|much are|much does|bring|send me|ship|deliver)'
const thing = new RegExp(
  `${wanting} (?:me |us |up |another |(?:the|an?|some|my|your|any|one|two|three|four` +
    String.raw`|five|six|\d+|a dozen|dozen) )*` +
    String.raw`((?!to\b|me\b|it\b|that\b|this\b)[\p{L}\d][\p{L}\p{N}' -]{1,60}?)(?= (?:to|for|from` +
    '|in|on|with|at|under|below|over|by|and|' +
    String.raw`please|cost|costs|online|near|as|into|that|which|of)\b|[.,;:?!\n(]|$)`,
  'giu',
)

function thingsIn(text: string): readonly string[] {
  const things: string[] = []
  for (const [, found = ''] of text.matchAll(thing)) {
    if (!notNames.has(found.toLowerCase())) things.push(found.trim())
    if (things.length === 20) break
  }
  return things
}

function trimmed(text: string): string {
  if (text === '') return text
  const plain = text.trim()
  const quoted = /^["“'‘`]([^"”`]{1,4000})["”'’`][.!?]?$/u.exec(plain)?.[1]
  return quoted ?? plain
}
