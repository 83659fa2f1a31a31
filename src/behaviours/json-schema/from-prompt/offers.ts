/** What a text offers to one field: its typed things, and phrases that stand where such a field is named. */
import type { PromptFacts } from '../../prompt/facts.ts'
import { matchesIn } from '../../prompt/matches.ts'
import { withoutArticle } from '../../prompt/phrases.ts'
import { currencyOf, type Reading, type Thing } from '../../prompt/reading.ts'
import { stemOf, stops, verbGroups } from '../../prompt/words.ts'
import type { Field } from './fields.ts'

/** A thing that a field may take. */
export interface Offer {
  readonly at: number
  readonly end: number
  readonly kind: string
  readonly text: string
  readonly thing?: Thing | undefined
  /** The word in front, if it is not as written. */
  readonly prep?: string
}

type Finder = (field: Field, from: Reading, facts: PromptFacts) => readonly Offer[]

function matches(
  kind: string,
  pattern: RegExp,
  from: Reading,
  text: (found: RegExpExecArray) => string | undefined = ([all]) => all,
): readonly Offer[] {
  return matchesIn(from.text.slice(0, 4000), pattern).flatMap((found) => {
    const said = text(found)?.trim() ?? ''
    return said === '' ? [] : [{ kind, at: found.index, end: found.index + found[0].length, text: said }]
  })
}

const pronoun = new RegExp(
  '^(?:full|it|them|him|her|me|us|you|that|this|there|here|everyone|one|each|both|same|mine|now|' +
    '(?:my |your )?(?:current )?(?:location|position)|the (?:result|answer|output).*|(?:that|the \\w+) one)$',
  'i',
)
const usable = (text: string): boolean =>
  !pronoun.test(text) && text.length <= 120 && /[\p{L}\p{N}]/u.test(text)
const clean = (text: string): string =>
  text
    .replace(/[\u0001\s]+/g, ' ')
    .replace(/ (?:to|on|in|into|from|with) (?:it|them|there)$/i, '')
    .replace(/(?:\s(?:on|at|by|in|for|due|with|to|and|or|the|next|this|please)){1,9}\s*$/i, '')
    .replace(/^["'“]|["'”]$|[\s,.;?!]+$/g, '')
    .trim()

/** "tokyo" is Tokyo. */
const titled = (text: string, { is, kind }: Field): string =>
  (is === 'place' || /^(?:city|location|country)$/.test(kind)) && text === text.toLowerCase()
    ? text.replace(/(?<![\p{L}'’])\p{Ll}/gu, (letter) => letter.toUpperCase())
    : text

const languageCodes: ReadonlyMap<string, string | undefined> = new Map(
  (
    'english en,french fr,german de,spanish es,italian it,portuguese pt,dutch nl,japanese ja,chinese zh,' +
    'korean ko,russian ru,arabic ar,polish pl,turkish tr,swedish sv,greek el,hindi hi,latin la,' +
    'python,javascript,typescript,java,rust,ruby,swift,kotlin,sql,php,bash'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string | undefined]),
)
const language = new RegExp(String.raw`\b(?:${[...languageCodes.keys()].join('|')})\b`, 'gi')
const currency = new RegExp(
  String.raw`(?<!\p{L})(?:[$€£¥]|(?:US |Swiss )?(?:dollar|buck|euro|pound|yen|franc|rupee)s?|` +
    String.raw`AUD|BRL|CAD|CHF|CNY|DKK|EUR|GBP|INR|JPY|KRW|MXN|NOK|NZD|PLN|SEK|SGD|USD)(?!\p{L})`,
  'giu',
)
const street = new RegExp(
  String.raw`\d{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}.'-]* ){1,4}?(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|` +
    String.raw`Boulevard|Blvd|Way|Court|Place|Square)\b\.?`,
  'gu',
)
const addresses: Readonly<Record<string, RegExp>> = {
  state: /(?<=\p{L}, )[A-Z]{2}\b/gu,
  zip: /\b\d{5}(?:-\d{4})?\b|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/g,
  street,
}
const wholeAddress = new RegExp(
  `${street.source}(?:, ?\\p{Lu}[\\p{L} ]{1,40}(?:, ?[A-Z]{2}\\b)?(?: \\d{5})?)?`,
  'gu',
)
const command =
  /\b(?:run|execute|launch|start)\s+(?:the (?:shell )?(?:command|script)\s+)?([^\n]+)|^[^\n]+$/gi
const commandEnd = new RegExp(
  String.raw`,? (?:in (?:the )?(?=[\w.~-]*/)|in the |and (?:then|tell|show|let|report|give)\b|then ` +
    String.raw`|please\b|for me\b)|[,;?]\s|\.(?=\s|$)`,
)
const zones = (
  'Europe/London Europe/Paris Europe/Berlin Europe/Madrid Europe/Rome Europe/Zurich Europe/Istanbul ' +
  'Asia/Tokyo Asia/Seoul Asia/Singapore Asia/Shanghai Asia/Dubai Asia/Kolkata America/New_York ' +
  'America/Chicago America/Denver America/Los_Angeles America/Toronto America/Sao_Paulo Australia/Sydney'
).split(' ')
const cityOf = (zone: string): string => zone.slice(zone.indexOf('/') + 1).replace('_', ' ')
const zoneOrCity = new RegExp(
  String.raw`\b(?:[A-Z][a-z]+\/[A-Z]\w+|UTC|${zones.map(cityOf).join('|')})\b`,
  'gi',
)
const swapped = new RegExp(
  String.raw`\b(?:replace|change|swap|rename|correct)\s+(?:all |every )?(.{1,200}?)\s+(?:with|to|` +
    String.raw`by|into)\s+(.{1,200}?)(?=[.;]?\s*$|[.;,]\s| in \S+$)`,
  'gi',
)
const isCalled = /^(?:called|named|titled|entitled)$/

/** The kinds of things beside the typed ones of a reading. */
const finders: Readonly<Record<string, Finder>> = {
  currency: (_, from) =>
    matches('currency', currency, from, ([all]) => currencyOf(all.replace(/^(?:US|Swiss) /i, ''))),
  language: ({ hint }, from) =>
    matches('language', language, from, ([all]) => {
      const code = languageCodes.get(all.toLowerCase())
      const isCode = /\biso\b|639|\bcode\b|["' (][a-z]{2}["',)]/.test(hint)
      return code !== undefined && isCode ? code : `${all[0]?.toUpperCase()}${all.slice(1)}`
    }),
  sql(_, from) {
    // "How many users are in the users table?"
    const [, named] = /\b(\w+) table\b/i.exec(from.text) ?? []
    const [, asks = '', things] =
      /\b(how many|count|number of|all|list)(?: of)?(?: the| our)? (\w+s)\b/i.exec(from.text) ?? []
    const text = `SELECT ${/^(?:all|list|)$/i.test(asks) ? '*' : 'COUNT(*)'} FROM ${named ?? things}`
    const isAsked = (named ?? things) !== undefined
    return [...from.of('sql'), ...(isAsked ? [{ kind: 'sql', at: -1, end: -1, text }] : [])]
  },
  sum({ hint }, from, { results }) {
    const [asked] = from.calculations(results.lastNumber)
    if (asked === undefined) return []
    const text = /\^|math\.?js/.test(hint) ? asked.expression.replaceAll('**', '^') : asked.expression
    return [{ kind: 'sum', at: 0, end: 0, text }]
  },
  command(_, from) {
    const [found] = matches('command', command, from, ([all, behind]) => (behind ?? all).split(commandEnd)[0])
    const isCommand = found !== undefined && /^[\w./-]+( |$)/.test(found.text)
    return isCommand ? [{ ...found, at: -1, end: -1 }] : []
  },
  zone: (_, from) =>
    matches('zone', zoneOrCity, from, ([all]) =>
      all.includes('/') ? all : zones.find((zone) => cityOf(zone).toLowerCase() === all.toLowerCase()),
    ),
  swap: ({ is }, from) =>
    matches('swap', swapped, from, (found) =>
      (is === 'old' ? found[1] : found[2])?.replace(/^["'“`]|["'”`]$/g, ''),
    ),
  host: (_, from) => matches('host', /\b(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z\d-]+\.)+[a-z]{2,12})\b/gi, from),
  address: ({ kind }, from) => matches('address', addresses[kind] ?? wholeAddress, from),
  capitals: (_, from) => matches('capitals', /(?<![\w-])[A-Z]{2,6}(?![\w-])/g, from),
  slug: ({ words, hint, kind }, from) =>
    from.of('path').flatMap((thing) => {
      const [owner = '', name = '', ...more] = thing.text.split('/')
      if (owner === '' || name === '' || more.length > 0) return []
      const isRepo = /^repo/.test(words.at(-1) ?? '')
      const text = kind === 'full' || /owner\/(?:name|repo)/.test(hint) ? thing.text : isRepo ? name : owner
      return [{ ...thing, kind: 'slug', text }]
    }),
  phrase: (field, { phrases }) =>
    phrases.flatMap(({ prep, text: said, at, end }) => {
      const text = titled(clean(withoutArticle(said)), field)
      const isOf = field.preps.includes(prep) && usable(withoutArticle(said)) && !/^\d[\d.,]*%?$/.test(text)
      return isOf ? [{ kind: 'phrase', prep, at, end, text }] : []
    }),
  called: (_, { phrases }) =>
    phrases.flatMap(({ prep, text, at, end }) =>
      isCalled.test(prep) && usable(text)
        ? [{ kind: 'called', at, end, text: clean(text.split(': ')[0] ?? '') }]
        : [],
    ),
  object({ is }, from, { toolStems }) {
    const offers: Offer[] = []
    const colon = /(?<=[\p{L}\p{N})]): ([^\n:]{2,200})$/u.exec(from.text)?.[1]
    const to = toDo.exec(from.plain)?.[1]
    for (const text of [colon?.split(details)[0], to])
      if (text !== undefined) offers.push({ kind: 'object', at: -1, end: -1, text: clean(text) })
    const { object, at } = from.lead
    const own = withoutNouns(object, is === 'title' ? new Set() : toolStems)
    const company = is === 'title' ? (companion.exec(from.plain.slice(at + object.length))?.[0] ?? '') : ''
    if (own !== '') offers.push({ kind: 'object', at, end: at + object.length, text: clean(own + company) })
    return offers
  },
  sought: (field, from, { toolStems }) =>
    soughtIn(field, from, toolStems)
      .map(clean)
      .flatMap((text, rank) =>
        usable(text) ? [{ kind: 'sought', at: -1 - rank, end: -1 - rank, text }] : [],
      ),
  clause(_, from) {
    const fences = from.of('quote').filter(({ text }) => text.includes('\n'))
    const offers: Offer[] = fences.slice(0, 1)
    for (const pattern of clauses) {
      const found = pattern.exec(from.text)
      if (found === null) continue
      const [all, rest = ''] = found
      const at = found.index + all.lastIndexOf(rest)
      const said = rest.split(asideAt)[0] ?? rest
      const quote = from.of('quote').find((one) => one.at <= at && at < one.end)
      const text = said.trim().replace(/^["“]|["”]$/g, '')
      offers.push(quote ?? { kind: 'clause', at, end: at + said.length, text })
    }
    return offers
  },
  word: labelled,
}

const companion =
  /^ (?:with|about|of) [\p{L}'’ -]{2,40}?(?=[,.;!?\n\u0001]|$| (?:in|on|at|for|from|to|and|by)\b)/u
/** "Renew passport, due 15 January, tag it travel": the first part says what. */
const details = /, (?=(?:due|tag|label|priority|by|on|at|with|assign|and)\b)|\s(?:due|by|on|at) \u0001/
const toDo = new RegExp(
  String.raw`\b(?:remind me|remember|reminder|need|todo|task)\b[^.!?]*?\bto ` +
    String.raw`((?!\d|my\b|the list\b)\p{Ll}[^.!?\u0001]{2,120})`,
  'u',
)
/** Where a message is over, and the rest says more of it: "Subject: …", "Mark it as urgent". */
const asideAt = /[.!?,]\s+(?=(?:Then|Also|[Ss]ubject|[Tt]itle|[Cc]all it|[Nn]ame it|[Mm]ark|[Dd]ue|CC|cc)\b)/
const clauses: readonly RegExp[] = [
  /\b(?:contain(?:ing|s)|with (?:the )?(?:contents?|lines?|items?)):?\s*\n([^]+)$/i,
  /\b(?:say|translate) (?:the (?:word|phrase|sentence) )?(.{2,200}?) (?:in|into|to) \p{Lu}\p{Ll}+/u,
  new RegExp(
    String.raw`\b(?:saying|that says?|to say|telling (?:him|her|them|people)|asking|and say|` +
      'with the (?:text|message|body|content))(?: that)?,? ([^]{2,2000})$',
    'i',
  ),
  /(?<!\b(?:https?|subject|title|name|to))(?:[\p{L}\p{N})@.]):\s+([^]{2,4000})$/iu,
  new RegExp(
    String.raw`[\p{L}\p{N}.)"”]\s+that\s+((?!(?:is|are|was|were|has|have|one|way|day|week|month|year|` +
      String.raw`time|says?)\b)[^]{2,2000})$`,
    'iu',
  ),
  /\b(?:because|since) ([^.!?]{2,300})/i,
  new RegExp(
    String.raw`\b(?:tell|text|message|ask|notify|inform|let|remind|email|mail|ping|dm|DM)` +
      String.raw`\s+(?:\S+@\S+|@\w+|\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?|my \p{L}+|the \p{L}+|him|` +
      'her|them)(?: know)?(?: (?:that|to))?,? ((?!(?:about|regarding|on|at|in|a|with|to|after|before|' +
      String.raw`and|when|for|that|the (?:news|status|result|time|summary|list))\b)[^]{3,1000})$`,
    'u',
  ),
]

/** What is looked for, the likeliest first. */
function soughtIn({ required }: Field, from: Reading, toolStems: ReadonlySet<string>): readonly string[] {
  const { object, verb } = from.lead
  const own = withoutNouns(object, toolStems)
  const isSearch = own === '' || /^(?:search|look|google|hunt|grep|ask|browse|query)/.test(verb)
  const behind = (preps: RegExp): string | undefined =>
    from.phrases.map((one) => (preps.test(one.prep) ? withoutArticle(one.text) : '')).find(usable)
  return [
    behind(/^(?:about|regarding|concerning|mention(?:s|ing)|contain(?:s|ing))$/) ?? '',
    isSearch ? longer(behind(/^(?:for|on)$/) ?? '', from) : '',
    longer(own, from),
    behind(/^(?:from|by|of|with|in|to)$/) ?? '',
    required ? from.text.slice(0, 200).replace(/[?.!]+\s*$/, '') : '',
  ]
}

const fillers = new RegExp(
  '^(?:latest|newest|last|first|new|all|any|my|me|the|file|called|named|results?|recent|unread|' +
    'something|anything)$',
  'i',
)

/** An object phrase without the nouns that the tool itself has: "account Acme Corp" of find_account. */
function withoutNouns(object: string, toolStems: ReadonlySet<string>): string {
  const words = withoutArticle(object).split(/\s+/)
  const isOwn = (word: string): boolean =>
    !toolStems.has(stemOf(word.toLowerCase().replace(/['’]s$/, ''))) && !fillers.test(word)
  const rest = words.slice(Math.max(0, words.findIndex(isOwn)), words.findLastIndex(isOwn) + 1).join(' ')
  return usable(rest) ? rest.replace(/["'“”]/g, '') : ''
}

const belongs = new RegExp(
  String.raw`^(?: (?:of|by|to|with|without) [\p{L}\p{N}'’ -]{2,60}?)(?=[,.;!?\n]|$| (?:in|on|for|` +
    String.raw`from|at|under|over|and|between)\b)`,
  'u',
)
/** "Cheap flights" with what belongs to it: "to Rome". */
function longer(own: string, from: Reading): string {
  const at = own === '' ? -1 : from.plain.indexOf(own)
  return at < 0 ? own : own + (belongs.exec(from.plain.slice(at + own.length))?.[0] ?? '')
}

const general = /^(?:id|name|value|code|text|key|type|to|from|no|number|new)$/
const isPlain = (word: string): boolean => stops.has(word.toLowerCase())

/** What a text gives under the name of the field: "subject: Hi", "the label urgent", "the blue room". */
function labelled(field: Field, from: Reading, { toolStems }: PromptFacts): readonly Offer[] {
  const { words } = field
  const offers: Offer[] = []
  if (field.is === 'name')
    for (const thing of from.of('path', 'code', 'name', 'quote')) {
      const [noun = ''] = from.before(thing.at, 1)
      if (toolStems.has(stemOf(noun)) && verbGroups(noun).length === 0)
        offers.push({ ...thing, kind: 'called' })
    }
  const phrase = words.join(' ')
  const isWhole = words.length === 1 || from.lower.includes(phrase)
  const noun = (isWhole ? phrase : words.findLast((word) => !general.test(word))) ?? ''
  if (noun.length < 2 || !from.lower.includes(noun)) return offers
  const label = new RegExp(
    String.raw`(?<![\p{L}\p{N}_-])${noun.replace(/[.*+?^${'$'}{}()|[\]\\]/g, '\\$&')}s?(?![\p{L}\p{N}_-])` +
      String.raw`(?:\s+(?:is|of|to|named|called|titled|as|it))?\s*[:=]?\s*`,
    'giu',
  )
  for (const { 0: written, index } of matchesIn(from.text, label)) {
    const at = index + written.length
    const add = (text: string, start = at): number =>
      offers.push({ kind: 'word', at: start, end: start + text.length, text })
    const thing = from.things.find((one) => one.at === at && /^(?:quote|path|code|name)$/.test(one.kind))
    const value = /^[^\n,;]{1,120}?(?=[,;\n]|\.\s|\.?$|\s+and\s)/.exec(from.text.slice(at))?.[0].trim() ?? ''
    const isTitle = /^(?:title|subject)$/.test(field.is) && /^\p{Lu}/u.test(value)
    if (thing !== undefined && thing.kind !== 'name') offers.push({ ...thing, kind: 'word' })
    else if ((/[:=]\s*$/.test(written) || isTitle) && usable(value)) add(value)
    else if (thing !== undefined) offers.push({ ...thing, kind: 'word' })
    const front = /([\p{L}\p{N}_-]+)\s*$/u.exec(from.plain.slice(Math.max(0, index - 40), index))?.[1] ?? ''
    if (front !== '' && !isPlain(front))
      add(noun === 'room' ? `${front} room` : front, index - 1 - front.length)
    const behind = /^[\p{L}\p{N}_.-]+/u.exec(from.plain.slice(at))?.[0].replace(/\.$/, '') ?? ''
    const isEnd = /^(?:[,.;!?]|$|\s(?:in|on|to|with|for|from|at|and|set|where|by)\b)/.test(
      from.plain.slice(at + behind.length),
    )
    const isVerbAhead = index === 0 || (/^\p{Ll}+(?:s|ed|ing)$/u.test(behind) && !isEnd)
    if (behind !== '' && field.required && !isPlain(behind) && !isVerbAhead) add(behind)
  }
  return offers
}

/** All that a text offers to a field, of the kinds that it takes. */
export function offersFor(field: Field, from: Reading, facts: PromptFacts): readonly Offer[] {
  const offers: Offer[] = []
  for (const kind of field.takes) {
    const find = finders[kind]
    if (find !== undefined) offers.push(...find(field, from, facts))
    else
      for (const thing of from.of(kind))
        offers.push({ kind, at: thing.at, end: thing.end, text: thing.text, thing })
  }
  return offers
}
