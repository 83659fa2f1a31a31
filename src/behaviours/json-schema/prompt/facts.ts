/**
 * Picks out of a prompt what a helpful answer would take over: quoted words, numbers, names, dates; knows
 * nothing of schemas.
 */

/**
 * A text that stands in the prompt, with the words around it (lower case, singular, nearest first, up to
 * four).
 */
export interface TextFact {
  readonly value: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** A number that stands in the prompt. Signs count as words: `$` is "dollar", `%` "percent", `°` "degree". */
export interface NumberFact {
  readonly value: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** A value with its name, as in `name: Ada` or `the deadline is Friday`. */
export interface LabelFact {
  readonly words: readonly string[]
  readonly value: string
}

/**
 * What stands in a prompt, each list in order of appearance. Worked out when first asked for; the same text
 * gives the same facts.
 */
export interface PromptFacts {
  /** What the prompt is about, without "please write" and the like; `''` when it is empty. */
  readonly topic: string
  /** A short noun phrase out of the topic that sentences can be made with; `''` when there is none. */
  readonly subject: string
  /** Whether there is a question mark in it. */
  readonly asks: boolean
  /** The words that carry meaning, as written but in lower case, each once. */
  readonly contents: readonly string[]
  /** All words, lower case and singular. */
  readonly words: readonly string[]
  /** All words, lower case, as written, with one space between, before and behind: for finding phrases. */
  readonly plain: string
  /** The pieces between blanks, without the punctuation at their ends: `192.0.2.1`, `api.example.com`. */
  readonly tokens: readonly string[]
  readonly quoted: readonly TextFact[]
  readonly numbers: readonly NumberFact[]
  /** Capitalised names: `Paris`, `New York`, `Ada Lovelace`. */
  readonly names: readonly TextFact[]
  readonly emails: readonly TextFact[]
  readonly urls: readonly TextFact[]
  /** As `2026-03-05`. */
  readonly dates: readonly TextFact[]
  /** As `14:30`. */
  readonly times: readonly TextFact[]
  readonly phones: readonly TextFact[]
  /** Marks such as `ORD-1234` or `#4521`. */
  readonly codes: readonly TextFact[]
  readonly labels: readonly LabelFact[]
}

/** Only the end of a long prompt is looked at: the latest message stands there. */
const LONGEST = 12_000
const MOST_FACTS = 100

/** Reads the facts of a prompt. */
export function readPromptFacts(text: string): PromptFacts {
  const prompt = text.slice(-LONGEST)
  // Mails, links, dates and the like are taken out, so that their digits and words do not count again.
  const marked = once(() => {
    let rest = prompt
    const take = (pattern: RegExp, value: (match: RegExpExecArray) => string | undefined): TextFact[] => {
      const facts: TextFact[] = []
      rest = rest.replace(pattern, (...args) => {
        const match = args as unknown as RegExpExecArray
        const index = args.find((arg) => typeof arg === 'number') as number
        const found = facts.length < MOST_FACTS ? value(match) : undefined
        if (found === undefined) return match[0]
        facts.push({ value: found, ...around(prompt, index, index + match[0].length) })
        return ' '.repeat(match[0].length)
      })
      return facts
    }
    const urls = take(/\bhttps?:\/\/[^\s"'<>()]{1,500}/giu, ([found]) => found.replace(/[.,;:!?]+$/u, ''))
    const emails = take(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/gu, ([found]) => found)
    const dates = [
      ...take(
        /\b(\d{4})-(\d\d)-(\d\d)(?!\d)/gu,
        ([found, year, month, day]) => dateOf(year, month, day) && found,
      ),
      ...take(
        /\b(\d{1,2})(?:st|nd|rd|th)? (?:of )?([A-Z][a-z]{2,8})\.?,? (\d{4})\b/gu,
        ([, day, month, year]) => dateOf(year, monthOf(month), day),
      ),
      ...take(/\b([A-Z][a-z]{2,8})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/gu, ([, month, day, year]) =>
        dateOf(year, monthOf(month), day),
      ),
    ]
    const times = take(
      /\b(\d{1,2})(?::(\d\d))?(?: ?([ap])\.?m\b\.?|(?<=:\d\d)(?!\d))/giu,
      ([, hour, minute, half]) => timeOf(hour, minute, half),
    )
    const phones = take(/(?<![\w-])\+?\(?\d[\d ()-]{6,18}\d\b/gu, ([found]) =>
      found.replace(/\D/gu, '').length >= 7 && /[ ()+-]/u.test(found) ? found : undefined,
    )
    const codes = take(
      /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|#\d{1,12}\b|\b(?:[A-Za-z]{1,8}-?\d[\w-]{0,30}|\d{1,10}-?[A-Za-z]{1,3}\d[\w-]{0,30})\b/giu,
      ([found]) => found.replace(/^#/u, ''),
    )
    return { rest, urls, emails, dates, times, phones, codes }
  })

  const facts = {
    topic: once(() => topicOf(prompt)),
    subject: once(() => subjectOf(prompt)),
    contents: once(() =>
      [
        ...new Set((prompt.toLowerCase().match(/\p{L}{4,20}/gu) ?? []).filter((word) => !NO_NAMES.has(word))),
      ].slice(0, MOST_FACTS),
    ),
    words: once(() => promptWords(prompt)),
    plain: once(() => plainOf(prompt)),
    tokens: once(() =>
      prompt.split(/\s+/u).map((token) => token.replace(/^[("'<[]{1,9}|[)"'>\],.;:!?]{1,9}$/gu, '')),
    ),
    quoted: once(() =>
      matchFacts(
        prompt,
        /"([^"\n]{1,300})"|“([^”\n]{1,300})”|«([^»\n]{1,300})»|`([^`\n]{1,300})`|(?<![\p{L}\p{N}])'([^'\n]{1,300})'(?![\p{L}\p{N}])/gu,
      ),
    ),
    numbers: once(() => numbersOf(marked().rest, prompt)),
    names: once(() => namesOf(marked().rest)),
    labels: once(() => labelsOf(prompt)),
  }
  return {
    get topic() {
      return facts.topic()
    },
    asks: prompt.includes('?'),
    get subject() {
      return facts.subject()
    },
    get contents() {
      return facts.contents()
    },
    get words() {
      return facts.words()
    },
    get plain() {
      return facts.plain()
    },
    get tokens() {
      return facts.tokens()
    },
    get quoted() {
      return facts.quoted()
    },
    get numbers() {
      return facts.numbers()
    },
    get names() {
      return facts.names()
    },
    get labels() {
      return facts.labels()
    },
    get emails() {
      return marked().emails
    },
    get urls() {
      return marked().urls
    },
    get dates() {
      return marked().dates
    },
    get times() {
      return marked().times
    },
    get phones() {
      return marked().phones
    },
    get codes() {
      return marked().codes
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/**
 * The words of a text or an identifier (`firstName`, `first_name`), lower case, singular, without
 * apostrophes.
 */
export function promptWords(text: string): string[] {
  if (/^[a-z]{1,40}$/.test(text)) return [singular(text)]
  const spread = text
    .replace(/['’]/gu, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  return (spread.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(singular)
}

const ODD: ReadonlyMap<string, string> = new Map([
  ['people', 'person'],
  ['persons', 'person'],
  ['children', 'child'],
  ['men', 'man'],
  ['women', 'woman'],
  ['movies', 'movie'],
  ['cookies', 'cookie'],
  ['series', 'series'],
  ['species', 'species'],
  ['news', 'news'],
  ['always', 'always'],
  ['lens', 'lens'],
  ['calories', 'calorie'],
  ['categories', 'category'],
])

function singular(word: string): string {
  const odd = ODD.get(word)
  if (odd !== undefined) return odd
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/u.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.slice(0, /(?:sses|xes|ches|shes|zes)$/u.test(word) ? -2 : -1)
}

/** The words next to a stretch of the text. */
function around(text: string, start: number, end: number): { before: string[]; after: string[] } {
  const stop = (part: string): string =>
    part
      .replace(/\$/gu, ' dollar ')
      .replace(/€/gu, ' euro ')
      .replace(/£/gu, ' pound ')
      .replace(/%/gu, ' percent ')
      .replace(/°/gu, ' degree ')
  const before = promptWords(
    stop(text.slice(Math.max(0, start - 60), start))
      .split(/[.!?]\s|\n/u)
      .at(-1) ?? '',
  )
    .reverse()
    .slice(0, 4)
  const after = promptWords(stop(text.slice(end, end + 60)).split(/[.!?](?:\s|$)|\n/u)[0] ?? '').slice(0, 4)
  return { before, after }
}

function matchFacts(text: string, pattern: RegExp): TextFact[] {
  const facts: TextFact[] = []
  for (const match of text.matchAll(pattern)) {
    const value = match
      .slice(1)
      .find((group) => group !== undefined)
      ?.trim()
    if (value !== undefined && value !== '')
      facts.push({ value, ...around(text, match.index, match.index + match[0].length) })
    if (facts.length === MOST_FACTS) break
  }
  return facts
}

const OPERATORS: readonly (readonly [RegExp, string])[] = [
  [/(?<=[\d)]) ?[*×] ?(?=[\d(])/gu, ' times '],
  [/(?<=[\d)]) ?\+ ?(?=[\d(])/gu, ' plus '],
  [/(?<=[\d)]) ?[/÷] ?(?=[\d(])/gu, ' divided by '],
  [/(?<=[\d)]) ?[-−] ?(?=[\d(])/gu, ' minus '],
]

/** The plain words of a text, calculations spelled out. */
function plainOf(text: string): string {
  const spelled = OPERATORS.reduce(
    (rest, [sign, word]) => rest.replace(sign, word),
    text.replace(/['’]/gu, ''),
  )
  return ` ${(spelled.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
}

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, value): [string, number] => [word, value]),
)

function numbersOf(rest: string, prompt: string): NumberFact[] {
  const facts: NumberFact[] = []
  for (const match of rest.matchAll(
    /(?<![\w.])(?:(?<![\w)])-)?\d{1,3}(?:,\d{3})+(?:\.\d{1,12})?(?!\w)|(?<![\w.])(?:(?<![\w)])-)?\d{1,15}(?:\.\d{1,12})?|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/giu,
  )) {
    const value = NUMBER_WORDS.get(match[0].toLowerCase()) ?? Number(match[0].replaceAll(',', ''))
    const { before, after } = around(prompt, match.index, match.index + match[0].length)
    // "between 5 and 10": the first is the least, the second the most.
    const lead = prompt.slice(Math.max(0, match.index - 40), match.index)
    const end = /\bbetween \D{0,4}$/iu.test(lead)
      ? ['minimum']
      : /\bbetween \D{0,4}[\d.,]{1,12}\D{0,12} and \D{0,4}$/iu.test(lead)
        ? ['maximum']
        : []
    facts.push({ value, after, before: [...end, ...before] })
    if (facts.length === MOST_FACTS) break
  }
  return facts
}

/** Words that are capitalised for standing first, or that name no one and no place. */
const NO_NAMES: ReadonlySet<string> = new Set(
  `a an the this that these those it its he she they we you i im my your our his her their there here what whats when where which who whos whose why how is are was were do does did
  can could would should will may might must please if then and or but so as at by for from in of on to with about after before between into over under please hi hello hey dear thanks thank
  yes no not ok okay also just only let lets book find show tell give get create make list write extract generate summarize summarise translate convert calculate compute add subtract multiply
  divide send email call search look explain describe compare classify analyze analyse return use using plan schedule set turn play open close buy order reserve cancel check help need want
  suggest recommend rate review count sort parse identify provide fill draft compose answer ask say name user assistant system human question text input output json api html xml sql url pdf csv http
  id usd eur gbp jpy chf monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december today tomorrow yesterday
  english french german spanish italian portuguese dutch russian chinese japanese korean arabic hindi turkish polish swedish celsius fahrenheit kelvin mr mrs ms dr each every all some any
  both either one two three four five six seven eight nine ten which include including fly go drive travel walk move set run start stop put pick remind invite meet visit weather temperature flight flights hotel`.split(
    /\s+/u,
  ),
)

function namesOf(rest: string): TextFact[] {
  const facts: TextFact[] = []
  let end = -1
  for (const match of rest.matchAll(
    /\p{Lu}[\p{L}\p{M}’'-]{1,40}(?: (?:(?:de|la|van|von|der|del|da|of) )?\p{Lu}[\p{L}\p{M}’'-]{1,40}){0,4}/gu,
  )) {
    if (match.index > 0 && /[\p{L}\p{N}_]/u.test(rest[match.index - 1] as string)) continue
    const words = match[0].replace(/['’]s\b/gu, '').split(' ')
    const first = words.findIndex((word) => !NO_NAMES.has(word.toLowerCase().replace(/['’]/gu, '')))
    const stop = words.findIndex(
      (word, index) => index > first && /^\p{Lu}/u.test(word) && NO_NAMES.has(word.toLowerCase()),
    )
    const value = first < 0 ? '' : words.slice(first, stop < 0 ? undefined : stop).join(' ')
    // "Paint a house", "Messages from friends": capitalised for standing first.
    const isFirst =
      words.length === 1 &&
      /(?:^|[.!?\n] ?)$/u.test(rest.slice(Math.max(0, match.index - 2), match.index)) &&
      /^ (?:me|an?|the|my|our|this|that|these|all|some|it|from|of|about|for|with|on)\b/u.test(
        rest.slice(match.index + match[0].length, match.index + match[0].length + 9),
      )
    if (value === '' || isFirst) continue
    const { before, after } = around(rest, match.index, match.index + match[0].length)
    const led = first > 0 ? [...promptWords(words.slice(0, first).join(' ')).reverse(), ...before] : before
    // In a list ("Paris, London and Rome") each name stands where the first one does.
    const listed = /^(?:, ?(?:and |or )?| and | or | & )$/u.test(rest.slice(end, match.index)) && end > 0
    facts.push({ value, before: listed && first === 0 ? (facts.at(-1) as TextFact).before : led, after })
    end = match.index + match[0].length
    if (facts.length === MOST_FACTS) return facts
  }
  if (facts.length > 0) return facts
  // A prompt in lower case: "weather in tokyo".
  for (const match of rest.matchAll(
    /\b(in|near|at|to|from) (\p{Ll}{4,20})(?=[?.!,]|$| (?:today|tomorrow|tonight|now|right|this|next|and|on|for|to)\b)/gu,
  )) {
    const word = match[2] as string
    if (
      NO_NAMES.has(word) ||
      /^(?:general|detail|details|order|time|particular|total|short|case|home|work|school|least|most|once|last|then|them|that|this|json|words?|line)$/u.test(
        word,
      )
    )
      continue
    facts.push({
      value: `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
      before: [match[1] as string],
      after: [],
    })
    if (facts.length === MOST_FACTS) break
  }
  return facts
}

function labelsOf(prompt: string): LabelFact[] {
  const facts: LabelFact[] = []
  for (const match of prompt.matchAll(
    /(?<=^|[\n,;.(!?-] ?|\b(?:the|my|a|our|its) )([\p{L}][\p{L}\p{N} _-]{0,30}?)(?: ?[:=] ?| is )("[^"\n]{1,200}"|(?:[^\n,;".!?]|[.!?](?!\s|$)){1,200})/gmu,
  )) {
    const value =
      (match[2] as string)
        .replace(/^"|"$/gu, '')
        .split(/ and (?:the|my|his|her|its) /u)[0]
        ?.trim() ?? ''
    if (
      value !== '' &&
      !/^(?:which|what|who|where|when|how|why|there|it|this|that)\b/iu.test(match[1] as string)
    )
      facts.push({
        words: promptWords((match[1] as string).replace(/^(?:the|my|an?|our|its|his|her|your) /iu, '')),
        value,
      })
    if (facts.length === MOST_FACTS) break
  }
  return facts
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const monthOf = (name: string | undefined): string =>
  String(MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1)

function dateOf(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): string | undefined {
  const [m, d] = [Number(month), Number(day)]
  if (!(m >= 1 && m <= 12 && d >= 1 && d <= (m === 2 ? 29 : [4, 6, 9, 11].includes(m) ? 30 : 31)))
    return undefined
  return `${year}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
}

function timeOf(
  hour: string | undefined,
  minute: string | undefined,
  half: string | undefined,
): string | undefined {
  const h = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  if (h > 23 || Number(minute ?? 0) > 59 || (half !== undefined && Number(hour) > 12)) return undefined
  return `${String(h).padStart(2, '0')}:${minute ?? '00'}`
}

/** What a request begins with before it comes to its matter. */
const LEAD =
  /^(?:please|can you|could you|would you|will you|i want you to|i would like(?: you)? to|id like(?: you)? to|i need(?: you)? to|i need|i want to|i want|help me(?: to)?|tell me(?: about)?|give me|show me|remind me(?: to)?|write(?: me)?|create|generate|make(?: me)?|find(?: me)?|search(?: the web)?(?: for)?|look(?: up)?(?: for)?|get(?: me)?|list|describe|explain|summari[sz]e|extract|analy[sz]e|classify|translate|compare|plan|book|schedule|send|set(?: up)?|add|draft|compose|recommend|suggest|whats?|what(?:'s| is| are| was)|who(?:'s| is| was)|where(?: is|'s)|how (?:is|are)|how (?:can|do|should|would) (?:i|we|you) \p{L}+)(?=[\s,:]|$)[ ,:]*/iu

/**
 * The last line's first sentence without its lead, and what the lead ended with; `''` when there was none.
 */
function afterLead(prompt: string): { matter: string; lead: string } {
  const line =
    prompt
      .split('\n')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .at(-1) ?? ''
  let matter = line.split(/[.!?](?:\s|$)/u)[0]?.trim() ?? ''
  let lead = ''
  for (let i = 0; i < 4; i++) {
    const found = LEAD.exec(matter)?.[0] ?? ''
    if (found === '' || found.length === matter.length) break
    lead = found
    matter = matter.slice(found.length)
  }
  return { matter, lead }
}

function topicOf(prompt: string): string {
  const { matter } = afterLead(prompt)
  return matter.length <= 80 ? matter : matter.slice(0, 80).replace(/\s+\S*$/u, '')
}

function subjectOf(prompt: string): string {
  const { matter, lead } = afterLead(prompt)
  // Behind "I need to" comes a verb, behind "Summarize:" a text.
  if (lead === '' || /(?:\b(?:to|you|please)|:)\s*$/iu.test(lead)) return ''
  const short =
    (/ about (.+)$/iu.exec(matter)?.[1] ?? matter)
      .split(/[,:;"“(]| (?:with|using|that|which|titled|named|called|without|so that|tomorrow|today) /iu)[0]
      ?.trim() ?? ''
  return short === '' ||
    short.length > 48 ||
    /^(?:i|we|he|she|they|it|you|me|to|this|that|these|those|there|if|call|text|ask|go|do|be|buy|pay|pick|take)\b/iu.test(
      short,
    )
    ? ''
    : short
}
