/** What a text offers to one field: its typed things, and phrases that stand where such a field is named. */
import type { PromptFacts } from '../../prompt/facts.ts'
import { type Phrase, withoutArticle } from '../../prompt/phrases.ts'
import { currencyOf, type Reading, type Thing } from '../../prompt/reading.ts'
import { statementFor } from '../../prompt/sql-statement.ts'
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

type Finder = (field: Field, from: Reading, facts: PromptFacts) => Iterable<Offer>

function matches(
  kind: string,
  pattern: RegExp,
  from: Reading,
  text: (found: RegExpExecArray) => string | undefined = ([all]) => all,
): readonly Offer[] {
  return [...from.text.slice(0, 4000).matchAll(pattern)].flatMap((found) => {
    const said = text(found)?.trim() ?? ''
    return said === '' ? [] : [{ kind, at: found.index, end: found.index + found[0].length, text: said }]
  })
}

const pronoun = new RegExp(
  '^(?:full|advance|it|them|him|her|me|us|you|that|this|there|here|everyone|one|each|both|same|mine|now|' +
    '(?:my |your )?(?:current )?' +
    '(?:location|position)|the (?:result|answer|same|one|output).*|(?:that|this|the \\w+) one)$',
  'i',
)
const usable = (text: string): boolean =>
  text !== '' && !pronoun.test(text) && text.length <= 120 && /[\p{L}\p{N}]/u.test(text)
const clean = (text: string): string =>
  text
    .replace(/\u0001+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?:to|on|in|into|from|with) (?:it|them|there)$/i, '')
    .replace(/(?:\s(?:on|at|by|in|for|due|with|to|and|or|the|next|this|please))+\s*$/i, '')
    .replace(/^["'“]|["'”]$|[\s,.;?!]+$/g, '')
    .trim()

/** A text up to a clause of its own: "the heating and tell me what it says". */
function upToClause(text: string): string {
  for (const { index, 1: word = '', 2: next = '' } of text.matchAll(
    /,? (?:and|then|but) (?:then )?(\p{Ll}+)(?: (\p{L}+))?/gu,
  ))
    if (verbGroups(word).length > 0 && !/^(?:and|or|of|is|are)$/.test(next) && !/(?:ing|ed)$/.test(word))
      return text.slice(0, index)
  return text
}

/** "tokyo" is Tokyo. */
const titled = (text: string, { is, kind }: Field): string =>
  (is === 'place' || /^(?:city|location|country)$/.test(kind)) && text === text.toLowerCase()
    ? text.replace(/(?<![\p{L}'’])\p{Ll}/gu, (letter) => letter.toUpperCase())
    : text

const languages =
  'english en,french fr,german de,spanish es,italian it,portuguese pt,dutch nl,japanese ja,chinese ' +
  'zh,korean ko,' +
  'russian ru,arabic ar,polish pl,turkish tr,swedish sv,greek el,hindi hi,latin la,python,javascript,' +
  'typescript,' +
  'java,rust,ruby,swift,kotlin,sql,php,bash,go'
const languageCodes: ReadonlyMap<string, string | undefined> = new Map(
  languages.split(',').map((pair) => pair.split(' ') as [string, string | undefined]),
)
const language = new RegExp(
  String.raw`\b(?:${[...languageCodes.keys()].join('|').replace('|go', '')}|Go)\b`,
  'g',
)
const anyLanguage = new RegExp(language.source, 'gi')
const currency = new RegExp(
  String.raw`(?<!\p{L})(?:[$€£¥]|(?:US |Swiss )?(?:dollar|buck|euro|pound|yen|franc|rupee)s?|AUD|BRL|` +
    String.raw`CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|SEK|SGD|TRY|USD|ZAR)(?!\p{L})`,
  'giu',
)
const street = new RegExp(
  String.raw`\d{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}.'-]*,? ?){1,4}?(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|` +
    'Drive|Dr|' +
    String.raw`Boulevard|Blvd|Way|Court|Ct|Place|Terrace|Square|Sq|Row)\b\.?|` +
    String.raw`\d{1,5},? (?:[Rr]ue|[Vv]ia|[Cc]alle) (?:\p{Ll}{1,3} ){0,2}\p{Lu}\p{L}+|` +
    String.raw`(?:Via|Calle) \p{Lu}\p{L}+ \d{1,4}|\p{Lu}\p{L}+(?:straße|strasse|gasse) \d{1,4}`,
  'gu',
)
const fullAddress = new RegExp(
  `(?:${street.source})(?:, ?\\p{Lu}[\\p{L} .'-]{1,40}(?:, ?[A-Z]{2}\\b)?(?: \\d{4,5})?)?`,
  'gu',
)
const addresses: Readonly<Record<string, RegExp>> = {
  state: /(?<=\p{L}, )[A-Z]{2}\b/gu,
  zip: /\b\d{5}(?:-\d{4})?\b|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b/g,
  street,
}
const equation = new RegExp(
  String.raw`(?<![\p{L}\d])(?:[\d.]{0,9}[a-z](?:\^\d|²)?|[\d.]{1,9})(?: ?[-+*/^] ?[\d.]{0,` +
    String.raw`9}[a-z]?(?:\^\d|²)?){0,20} ?= ?-?[\d.a-z]+|\b(?:sin|cos|tan|log|ln|exp|sqrt|abs)\([^()]{1,` +
    String.raw`40}\)(?: ?[-+*/^] ?[\w.()^]{1,20}){0,5}|\b[a-z]\^\d(?: ?[-+*/] ?[\w.^]{1,10}){0,6}`,
  'gu',
)
const command =
  /\b(?:run|execute|launch|start)\s+(?:the (?:shell )?(?:command|script)\s+)?([^\n]+)|^[^\n]+$/gi
const commandEnd = new RegExp(
  String.raw`,? (?:in (?:the )?(?=[\w.~-]*\/)|in the |and (?:then|tell|show|let|report|give)\b|then |` +
    String.raw`please\b|for me\b)|` +
    String.raw`[,;?]\s|\.(?=\s|$)`,
)
const zones =
  'London Paris Berlin Madrid Rome Vienna Zurich Amsterdam Brussels Lisbon Dublin Oslo Stockholm ' +
  'Copenhagen Helsinki ' +
  'Warsaw Prague Budapest Athens Istanbul Moscow Kyiv,Tokyo Seoul Singapore Shanghai Hong_Kong Dubai ' +
  'Kolkata Bangkok ' +
  'Jakarta Manila Taipei Tehran Karachi,New_York Chicago Denver Los_Angeles Toronto Vancouver ' +
  'Mexico_City Sao_Paulo ' +
  'Bogota Lima Anchorage,Sydney Melbourne Brisbane Perth,Cairo Nairobi Lagos Johannesburg Casablanca'
const zoneOf: ReadonlyMap<string, string> = new Map(
  zones
    .split(',')
    .flatMap((cities, index) =>
      cities
        .split(' ')
        .map((city): [string, string] => [
          city.replace('_', ' ').toLowerCase(),
          `${['Europe', 'Asia', 'America', 'Australia', 'Africa'][index]}/${city}`,
        ]),
    ),
)
const zoneOrCity = new RegExp(
  String.raw`\b(?:[A-Z][a-z]+\/[A-Z]\w+|UTC|${[...zoneOf.keys()].join('|')})\b`,
  'gi',
)
const swapped = new RegExp(
  String.raw`\b(?:replace|change|swap|substitute|rename|correct)\s+(?:all |` +
    String.raw`every )?(.{1,200}?)\s+(?:with|to|by|for|into)\s+(.{1,200}?)(?=[.;]?\s*$|[.;,]\s|` +
    String.raw` in \S+$)`,
  'gi',
)
const isCalled = /^(?:called|named|titled|entitled)$/

const phrasesFor = ({ preps }: Field, { phrases }: Reading): readonly Phrase[] =>
  phrases.filter(({ prep, text }) => preps.includes(prep) && usable(withoutArticle(text)))

/** The kinds of things beside the typed ones of a reading. */
const finders: Readonly<Record<string, Finder>> = {
  currency: (_, from) =>
    matches('currency', currency, from, ([all]) => currencyOf(all.replace(/^(?:US|Swiss) /i, ''))),
  language: ({ hint }, from) =>
    matches('language', /program/.test(hint) ? language : anyLanguage, from, ([all]) => {
      const code = languageCodes.get(all.toLowerCase())
      const isCode = /\biso\b|639|\bcode\b|["' (][a-z]{2}["',)]/.test(hint)
      return code !== undefined && isCode ? code : `${all[0]?.toUpperCase()}${all.slice(1)}`
    }),
  *sql(_, from) {
    yield* from.of('sql').map((thing) => ({ ...thing, thing }))
    const text = statementFor(from)
    if (text !== undefined) yield { kind: 'sql', at: -1, end: -1, text }
  },
  *sum({ hint }, from, { results }) {
    yield* matches('sum', equation, from)
    const [asked] = from.calculations(results.lastNumber)
    if (asked === undefined) return
    const text = /\^|math\.?js/.test(hint) ? asked.expression.replaceAll('**', '^') : asked.expression
    yield { kind: 'sum', at: 0, end: 0, text }
  },
  *command(_, from) {
    const [found] = matches('command', command, from, ([all, behind]) => (behind ?? all).split(commandEnd)[0])
    if (found !== undefined && /^[\w./-]+( |$)/.test(found.text)) yield { ...found, at: -1, end: -1 }
  },
  unit: (_, from) => [
    ...from
      .of('number', 'length')
      .flatMap(({ unit = '', at, end }) =>
        unit === '' ? [] : [{ kind: 'unit', at, end: end + unit.length + 1, text: unit, prep: 'from' }],
      ),
    ...matches('unit', /\bhow many (\p{L}+)|\b(?:to|into|in) (\p{L}+)/giu, from, ([, a, b]) => a ?? b).map(
      (one) => ({
        ...one,
        prep: 'to',
      }),
    ),
  ],
  zone: (_, from) =>
    matches('zone', zoneOrCity, from, ([all]) => (all.includes('/') ? all : zoneOf.get(all.toLowerCase()))),
  swap: ({ is }, from) =>
    matches('swap', swapped, from, (found) =>
      (is === 'old' ? found[1] : found[2])?.replace(/^["'“`]|["'”`]$/g, ''),
    ),
  host: (_, from) => matches('host', /\b(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z\d-]+\.)+[a-z]{2,12})\b/gi, from),
  address: ({ kind }, from) =>
    matches('address', addresses[kind] ?? fullAddress, from, ([all]) => all.replace(/,\s*$/, '')),
  capitals: (_, from) =>
    matches('capitals', /(?<![\w-])\$?[A-Z]{2,6}(?![\w-])/g, from, ([all]) => all.replace('$', '')),
  slug: ({ words, hint, kind }, from) =>
    from.of('path').flatMap((thing) => {
      const [owner = '', name = '', ...more] = thing.text.split('/')
      if (owner === '' || name === '' || more.length > 0) return []
      const isRepo = /^repo/.test(words.at(-1) ?? '')
      const text = kind === 'full' || /owner\/(?:name|repo)/.test(hint) ? thing.text : isRepo ? name : owner
      return [{ ...thing, kind: 'slug', text }]
    }),
  phrase: (field, from) =>
    phrasesFor(field, from)
      .map(({ prep, text, at, end }) => ({
        ...{ kind: 'phrase', prep, at, end },
        text: titled(clean(upToClause(withoutArticle(text))), field),
      }))
      .filter(({ text }) => !/^\d[\d.,]*%?$/.test(text)),
  called: (_, from) =>
    from.phrases
      .filter(({ prep, text }) => isCalled.test(prep) && usable(text))
      .map(({ text, at, end }) => ({
        kind: 'called',
        at,
        end,
        text: clean(upToClause(text).split(': ')[0] ?? ''),
      })),
  *object({ is }, from, { toolStems }) {
    const colon = /(?<=[\p{L}\p{N})]): ([^\n:]{2,200})$/u.exec(from.text)?.[1]
    if (colon !== undefined) yield { kind: 'object', at: -1, end: -1, text: clean(beforeDetails(colon)) }
    const to = toDo.exec(from.plain)
    if (to !== null) yield { kind: 'object', at: -1, end: -1, text: clean(to[1] as string) }
    const { object, at, mode } = from.lead
    const own = withoutNouns(object, is === 'title' ? new Set() : toolStems)
    const more =
      /^ (?:with|about|of) [\p{L}'’ -]{2,40}?(?=[,.;!?\n\u0001]|$| (?:in|on|at|for|from|to|and|by)\b)/u
    const company =
      is === 'title' && own !== '' ? (more.exec(from.plain.slice(at + object.length))?.[0] ?? '') : ''
    if (own !== '') yield { kind: 'object', at, end: at + object.length, text: clean(own + company) }
    if (mode === 'say')
      yield { kind: 'object', at: 0, end: 0, text: clean(from.text.replace(/[.!?]+\s*$/, '')) }
  },
  *sought(field, from, { toolStems }) {
    for (const [rank, text] of soughtIn(field, from, toolStems).entries())
      if (usable(clean(text))) yield { kind: 'sought', at: -1 - rank, end: -1 - rank, text: clean(text) }
  },
  *clause(_, from) {
    const fence = from.of('quote').find(({ text }) => text.includes('\n'))
    if (fence !== undefined) yield fence
    for (const pattern of clauses) {
      const found = pattern.exec(from.text)
      if (found === null) continue
      const [all, rest = ''] = found
      const at = found.index + all.lastIndexOf(rest)
      const said = rest.split(asideAt)[0] ?? rest
      const quote = from.of('quote').find((one) => one.at <= at && at < one.end)
      const text = said.trim().replace(/^["“]|["”]$/g, '')
      yield quote ?? { kind: 'clause', at, end: at + said.length, text }
    }
  },
  word: labelled,
  *told({ hint }, from) {
    const told = /(?:e\.g\.|such as|for example|like)[,:]? ([^).;]+)/.exec(hint)?.[1] ?? ''
    for (const one of told.split(/,| or | and /)) {
      const word = one.trim().replace(/^["']|["']$/g, '')
      const at = word.length > 2 ? from.text.toLowerCase().indexOf(word) : -1
      if (at >= 0) yield { kind: 'told', at, end: at + word.length, text: word }
    }
  },
}

/** "Renew passport, due 15 January, tag it travel": the first part says what. */
const beforeDetails = (text: string): string =>
  text.split(/, (?=(?:due|tag|label|priority|by|on|at|with|assign|and)\b)|\s(?:due|by|on|at) \u0001/)[0] ?? ''

const toDo = new RegExp(
  String.raw`\b(?:remind me|remember|reminder|need|todo|task)\b[^.!?]*?\bto ((?!\d|my\b|` +
    String.raw`the list\b)\p{Ll}[^.!?\u0001]{2,120})`,
  'u',
)

/** Where a message is over, and the rest says more of it: "Subject: …", "Mark it as urgent". */
const asideAt =
  /[.!?,]\s+(?=(?:Then|Also|[Ss]ubject|[Tt]itle|[Cc]all it|[Nn]ame it|[Mm]ark|[Dd]ue|CC|cc|[Ll]abel)\b)/

const clauses: readonly RegExp[] = [
  /\b(?:contain(?:ing|s)|with (?:the )?(?:contents?|lines?|items?)):?\s*\n([^]+)$/i,
  new RegExp(
    String.raw`\b(?:say|translate) (?!exactly)(?:the (?:word|phrase|sentence) )?(.{2,200}?) (?:in|` +
      String.raw`into|to) \p{Lu}\p{Ll}+`,
    'u',
  ),
  new RegExp(
    String.raw`\b(?:saying|that says?|to say|which says|telling (?:him|her|them|people)|asking|with the ` +
      '(?:text|message|body|content)|and say)(?: that)?,? ([^]{2,2000})$',
    'i',
  ),
  /(?<!\b(?:https?|subject|title|name|to))(?:[\p{L}\p{N})@.]):\s+([^]{2,4000})$/iu,
  new RegExp(
    String.raw`(?:[\p{L}\p{N}.)"”])\s+that\s+((?!(?:is|are|was|were|has|have|one|way|day|week|month|` +
      'year|time|mention|' +
      String.raw`says?)\b)[^]{2,2000})$`,
    'iu',
  ),
  /\b(?:because|since) ([^.!?]{2,300})/i,
  new RegExp(
    String.raw`\b(?:tell|text|message|ask|notify|inform|let|remind|email|mail|ping|dm|` +
      String.raw`DM)\s+(?:\S+@\S+|@\w+|` +
      String.raw`\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?|my \p{L}+|the \p{L}+|him|her|` +
      'them)(?: know)?(?: ' +
      '(?:that|to))?,? ((?!(?:about|regarding|on|at|in|the (?:news|status|result|time|summary|list)|a|with|' +
      'to|after|before|and|when|for|' +
      String.raw`that)\b)[^]{3,1000})$`,
    'u',
  ),
]

/** What is looked for, the likeliest first. */
function soughtIn(
  { name, required }: Field,
  from: Reading,
  toolStems: ReadonlySet<string>,
): readonly string[] {
  const { object, verb } = from.lead
  const about = from.phrases.find(
    ({ prep, text }) =>
      /^(?:about|regarding|concerning|mentioning|containing|mentions?|contains?)$/.test(prep) && usable(text),
  )
  const own = withoutNouns(object, toolStems)
  const behind = from.phrases.find(
    ({ prep, text, at }) =>
      /^(?:for|on)$/.test(prep) &&
      usable(withoutArticle(text)) &&
      from.text.slice(0, at).split(/\s+/).length < 8,
  )
  const isSearch = own === '' || /^(?:search|look|google|hunt|grep|ask|browse|query)/.test(verb)
  const rest = from.phrases.find(
    ({ prep, text }) => /^(?:from|by|of|with|in|to)$/.test(prep) && usable(withoutArticle(text)),
  )
  const all = [
    ...(/pattern|glob/.test(name)
      ? from.of('path').flatMap(({ text }) => (/^\.\w|[*]/.test(text) ? text.replace(/^\./, '*.') : []))
      : []),
    about === undefined ? '' : withoutArticle(about.text + (tailOf(from.plain.slice(about.end)) ?? '')),
    behind !== undefined && isSearch ? longer(withoutArticle(behind.text), from) : '',
    longer(own, from),
    withoutArticle(rest?.text ?? ''),
    required ? from.text.slice(0, 200).replace(/[?.!]+\s*$/, '') : '',
  ]
  return all.map((text) => upToClause(text))
}
const tailOf = (text: string): string | undefined =>
  /^ (?:of|in|for|on) (?:[\p{L}'’-]+ ?){1,4}(?=[?.!]?$)/u.exec(text)?.[0]

/** An object phrase without the nouns that the tool itself has: "account Acme Corp" of find_account. */
function withoutNouns(object: string, toolStems: ReadonlySet<string>): string {
  const words = withoutArticle(object).split(/\s+/)
  const known = (word: string): boolean =>
    toolStems.has(stemOf(word.toLowerCase().replace(/['’]s$/, ''))) || fillers.test(word)
  const start = words.findIndex((word) => !known(word))
  const end = words.findLastIndex((word) => !known(word))
  const rest =
    start < 0
      ? ''
      : words
          .slice(start, end + 1)
          .join(' ')
          .replace(/["'“”]/g, '')
  return usable(rest) ? rest : ''
}
const fillers = new RegExp(
  '^(?:latest|newest|last|first|new|all|any|my|me|the|file|called|named|results?|' +
    'recent|unread|something|anything|info(?:rmation)?)$',
  'i',
)

/** "Cheap flights" with what belongs to it: "to Rome". */
function longer(own: string, from: Reading): string {
  const at = own === '' ? -1 : from.plain.indexOf(own)
  if (at < 0) return own
  const more = new RegExp(
    String.raw`^(?: (?:of|by|to|with|without) [\p{L}\p{N}'’ -]{2,60}?)(?=[,.;!?\n]|$| (?:in|on|` +
      String.raw`for|from|at|under|over|and|between)\b)`,
    'u',
  )
  return own + (more.exec(from.plain.slice(at + own.length))?.[0] ?? '')
}

const general = /^(?:id|name|value|code|text|key|type|to|from|no|number|new)$/
const notLabelled = new RegExp(
  '^(?:open|close|start|show|find|list|set|describe|delete|remove|free|book|other|same|whole|entire|' +
    'overdue|recent|' +
    'existing|please|turn|rename|add|move)$',
  'i',
)
const isPlain = (word: string): boolean => stops.has(word.toLowerCase()) || notLabelled.test(word)

/** What a text gives under the name of the field: "subject: Hi", "the label urgent", "the blue room". */
function* labelled(field: Field, from: Reading, { toolStems }: PromptFacts): Generator<Offer> {
  const { words } = field
  if (field.is === 'name')
    for (const thing of from.of('path', 'code', 'name', 'quote')) {
      const [noun = ''] = from.before(thing.at, 1)
      if (toolStems.has(stemOf(noun)) && verbGroups(noun).length === 0) yield { ...thing, kind: 'called' }
    }
  const phrase = words.join(' ')
  const isWhole = words.length > 1 && from.text.toLowerCase().includes(phrase)
  const noun = isWhole || words.length === 1 ? phrase : words.findLast((word) => !general.test(word))
  if (noun === undefined || noun.length < 2) return
  const label = new RegExp(
    String.raw`(?<![\p{L}\p{N}_-])${noun.replace(/[.*+?^${'$'}{}()|[\]\\]/g, '\\$&')}s?(?![\p{L}\p{N}_-])` +
      String.raw`(?:\s+(?:is|of|to|named|called|titled|as|it))?\s*[:=]?\s*`,
    'giu',
  )
  for (const { 0: written, index } of from.text.matchAll(label)) {
    const at = index + written.length
    const offer = (text: string, start = at): Offer => ({
      kind: 'word',
      at: start,
      end: start + text.length,
      text,
    })
    const thing = from.things.find((one) => one.at === at && /^(?:quote|path|code|name)$/.test(one.kind))
    if (thing !== undefined && thing.kind !== 'name') yield { ...thing, kind: 'word' }
    const value = /^[^\n,;]{1,120}?(?=[,;\n]|\.\s|\.?$|\s+and\s)/.exec(from.text.slice(at))?.[0].trim() ?? ''
    const isTitle = /^(?:title|subject)$/.test(field.is) && /^(?:subject|title|name)\b/i.test(written)
    if ((/[:=]\s*$/.test(written) || (isTitle && /^\p{Lu}/u.test(value))) && usable(value)) yield offer(value)
    else if (thing !== undefined) yield { ...thing, kind: 'word' }
    const front = /([\p{L}\p{N}_-]+)\s*$/u.exec(from.plain.slice(Math.max(0, index - 40), index))?.[1] ?? ''
    if (front !== '' && !isPlain(front))
      yield offer(noun === 'room' ? `${front} room` : front, index - 1 - front.length)
    const behind = /^[\p{L}\p{N}_.-]+/u.exec(from.plain.slice(at))?.[0].replace(/\.$/, '') ?? ''
    const isEnd = /^(?:[,.;!?]|$|\s(?:in|on|to|with|for|from|at|and|set|where|by)\b)/.test(
      from.plain.slice(at + behind.length),
    )
    const isVerbAhead = index === 0 || (/^\p{Ll}+(?:s|ed|ing)$/u.test(behind) && !isEnd)
    if (behind !== '' && field.required && !isPlain(behind) && !isVerbAhead) yield offer(behind)
  }
}

/** All that a text offers to a field, of the kinds that it takes. */
export function* offersFor(field: Field, from: Reading, facts: PromptFacts): Generator<Offer> {
  if (field.isText && field.shape?.string?.patterns !== undefined)
    yield* matches('patterned', /[\p{L}\p{N}][\p{L}\p{N}._@#:/+-]{0,80}(?<![.:,/-])/gu, from).filter(
      ({ text }) => /[\d#@_/:-]|^[A-Z]{2,}$/.test(text),
    )
  for (const kind of field.takes) {
    const find = finders[kind]
    if (find === undefined) for (const thing of from.of(kind)) yield { ...thing, thing }
    else yield* find(field, from, facts)
  }
}
