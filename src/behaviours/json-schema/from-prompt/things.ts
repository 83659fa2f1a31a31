/** What a text offers to one field: its typed things, and phrases that stand where such a field is named. */
import { calculationsIn } from '../../prompt/arithmetic.ts'
import type { PromptFacts } from '../../prompt/facts.ts'
import { currencyOf, type Reading, type Thing, withoutArticle } from '../../prompt/reading.ts'
import { stemOf, stops } from '../../prompt/words.ts'
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

const matches = (
  kind: string,
  pattern: RegExp,
  from: Reading,
  text: (found: RegExpExecArray) => string | undefined = ([all]) => all,
): readonly Offer[] =>
  [...from.text.slice(0, 4000).matchAll(pattern)].flatMap((found) => {
    const said = text(found)?.trim()
    return said === undefined || said === ''
      ? []
      : [{ kind, at: found.index, end: found.index + found[0].length, text: said }]
  })

const pronoun = new RegExp(
  '^(?:it|them|him|her|me|us|you|that|this|there|here|everyone|one|each|both|same|mine|now|' +
    '(?:my |your )?(?:current )?(?:location|position)|the (?:result|answer|same|one|output).*)$',
  'i',
)
const usable = (text: string): boolean =>
  text !== '' && !pronoun.test(text) && text.length <= 120 && /[\p{L}\p{N}]/u.test(text)
const clean = (text: string): string =>
  text
    .replace(/\u0001+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/(?:\s(?:on|at|by|in|for|due|with|to|and|or|the|next|this))+\s*$/i, '')
    .replace(/^["'“]|["'”]$|[\s,.;]+$/g, '')
    .trim()

/** "tokyo" is Tokyo. */
const titled = (text: string, { is, kind }: Field): string =>
  (is === 'place' || /^(?:city|location|country)$/.test(kind)) && text === text.toLowerCase()
    ? text.replace(/(?<![\p{L}'’])\p{Ll}/gu, (letter) => letter.toUpperCase())
    : text

const languages =
  'english en,french fr,german de,spanish es,italian it,portuguese pt,dutch nl,japanese ja,chinese ' +
  'zh,korean ko,russian ru,arabic ar,polish pl,turkish tr,swedish sv,greek el,hindi hi,latin la,' +
  'python,javascript,typescript,java,rust,ruby,swift,kotlin,sql,php,bash'
const codes: ReadonlyMap<string, string> = new Map(
  languages.split(',').map((pair) => pair.split(' ') as [string, string]),
)
const language = new RegExp(String.raw`\b(?:${[...codes.keys()].join('|')})\b`, 'gi')
const currency = new RegExp(
  String.raw`(?<!\p{L})(?:[$€£¥]|(?:US |Swiss )?(?:dollar|buck|euro|pound|yen|franc|rupee)s?|AUD|BRL|` +
    'CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|SEK|SGD|TRY|USD|' +
    String.raw`ZAR)(?!\p{L})`,
  'giu',
)
const street = new RegExp(
  String.raw`\d{1,5}[a-z]? (?:\p{Lu}[\p{L}.'-]*,? ?){1,4}?(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|` +
    String.raw`Drive|Dr|Boulevard|Blvd|Way|Court|Ct|Place|Terrace|Square|Sq|Row)\b\.?`,
  'gu',
)
const equation = new RegExp(
  String.raw`(?<![\p{L}\d])(?:[\d.]{0,9}[a-z](?:\^\d|²)?|[\d.]{1,9})(?: ?[-+*/^] ?[\d.]{0,` +
    String.raw`9}[a-z]?(?:\^\d|²)?){0,20} ?= ?-?[\d.a-z]+|\b(?:sin|cos|tan|log|ln|exp|sqrt|abs)\([^()]{1,` +
    String.raw`40}\)(?: ?[-+*/^] ?[\w.()^]{1,20}){0,5}|\b[a-z]\^\d(?: ?[-+*/] ?[\w.^]{1,10}){0,6}`,
  'gu',
)

/** The kinds of things beside the typed ones of a reading. */
const finders: Readonly<Record<string, Finder>> = {
  currency: (_, from) =>
    matches('currency', currency, from, ([all]) => currencyOf(all.replace(/^(?:US|Swiss) /i, ''))),
  language: (field, from) =>
    matches('language', language, from, ([all]) => {
      const code = codes.get(all.toLowerCase())
      return code !== undefined && /\biso\b|639|\bcode\b|["' (][a-z]{2}["',)]/.test(field.hint)
        ? code
        : `${all[0]?.toUpperCase()}${all.slice(1)}`
    }),
  *sum(field, from, { lastNumber }) {
    yield* matches('sum', equation, from)
    for (const { expression } of calculationsIn(from.text, lastNumber).slice(0, 1))
      yield {
        kind: 'sum',
        at: 0,
        end: 0,
        text: /\^|math\.?js/.test(field.hint) ? expression.replaceAll('**', '^') : expression,
      }
  },
  *command(_, from) {
    const [found] = matches(
      'command',
      /\b(?:run|execute|launch|start)\s+(?:the (?:shell )?(?:command|script)\s+)?([^\n]+)|^[^\n]+$/gi,
      from,
      ([all, behind]) =>
        (behind ?? all).split(
          new RegExp(
            String.raw`,? (?:in (?:the )?(?=[\w.~-]*\/)|in the |and (?:then|tell|show|let|report|give)\b|` +
              String.raw`then |please\b|for me\b)|[,;?]\s|\.(?=\s|$)`,
          ),
        )[0],
    )
    if (found !== undefined && /^[\w./-]+( |$)/.test(found.text)) yield { ...found, at: -1, end: -1 }
  },
  unit: (_, from) => [
    ...from
      .of('number', 'length')
      .flatMap(({ unit = '', at, end }) =>
        unit === '' ? [] : [{ kind: 'unit', at, end: end + unit.length + 1, text: unit, prep: 'from' }],
      ),
    ...matches('unit', /\bhow many (\p{L}+)|\b(?:to|into|in) (\p{L}+)/giu, from, ([, a, b]) => a ?? b).map(
      (one) => ({ ...one, prep: 'to' }),
    ),
  ],
  host: (_, from) => matches('host', /\b(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[a-z\d-]+\.)+[a-z]{2,12})\b/gi, from),
  address: ({ kind }, from) =>
    kind === 'state'
      ? matches('address', /(?<=\p{L}, )[A-Z]{2}\b/gu, from)
      : kind === 'zip'
        ? matches('address', /\b\d{5}(?:-\d{4})?\b/g, from)
        : matches(
            'address',
            kind === 'street'
              ? street
              : new RegExp(
                  `${street.source}(?:, ?\\p{Lu}[\\p{L} .'-]{1,40}(?:, ?[A-Z]{2}\\b)?(?: \\d{4,5})?)?`,
                  'gu',
                ),
            from,
            ([all]) => all.replace(/,\s*$/, ''),
          ),
  capitals: (_, from) =>
    matches('capitals', /(?<![\w-])\$?[A-Z]{2,6}(?![\w-])/g, from, ([all]) => all.replace('$', '')),
  slug: ({ words }, from) =>
    from.of('path').flatMap((thing) => {
      const [owner = '', name = '', ...more] = thing.text.split('/')
      return owner === '' || name === '' || more.length > 0
        ? []
        : [{ ...thing, kind: 'slug', text: /^repo/.test(words.at(-1) ?? '') ? name : owner, at: -1, end: -1 }]
    }),
  phrase: (field, from) =>
    from.phrases
      .filter(({ prep, text }) => field.preps.includes(prep) && usable(withoutArticle(text)))
      .map(({ prep, text, at, end }) => ({
        kind: 'phrase',
        prep,
        at,
        end,
        text: titled(clean(withoutArticle(text)), field),
      })),
  called: (_, from) =>
    from.phrases
      .filter(({ prep, text }) => /^(?:called|named|titled|entitled)$/.test(prep) && usable(text))
      .map(({ text, at, end }) => ({ kind: 'called', at, end, text: clean(text) })),
  *object(_, from, { toolStems }) {
    const colon = /(?<=[\p{L}\p{N})]): ?([^\n:]{2,200})$/u.exec(from.text)
    if (colon !== null) yield { kind: 'object', at: -1, end: -1, text: clean(colon[1] as string) }
    const to = new RegExp(
      String.raw`\b(?:remind me|remember|reminder|need|todo|task)\b[^.!?]*?\bto ((?!\d|my\b|the ` +
        String.raw`list\b)\p{Ll}[^.!?\u0001]{2,120})`,
      'u',
    ).exec(from.plain)
    if (to !== null)
      yield { kind: 'object', at: to.index, end: to.index + to[0].length, text: clean(to[1] as string) }
    const own = withoutNouns(from.lead.object, toolStems)
    if (own !== '')
      yield {
        kind: 'object',
        at: from.lead.at,
        end: from.lead.at + from.lead.object.length,
        text: clean(own),
      }
    if (from.lead.mode === 'say')
      yield { kind: 'object', at: 0, end: 0, text: clean(from.text.replace(/[.!?]+\s*$/, '')) }
  },
  *sought(field, from, { toolStems }) {
    const about = from.phrases.find(
      ({ prep, text }) =>
        /^(?:about|regarding|concerning|mentioning|containing|mentions?|contains?)$/.test(prep) &&
        usable(text),
    )
    const own = withoutNouns(from.lead.object, toolStems)
    const behind = from.phrases.find(
      ({ prep, text, at }) =>
        /^(?:for|on)$/.test(prep) &&
        usable(withoutArticle(text)) &&
        from.text.slice(0, at).split(/\s+/).length < 8,
    )
    const all = [
      about === undefined
        ? ''
        : withoutArticle(
            about.text +
              (/^ (?:of|in|for|on) (?:[\p{L}'’-]+ ?){1,4}(?=[?.!]?$)/u.exec(
                from.plain.slice(about.end),
              )?.[0] ?? ''),
          ),
      behind !== undefined &&
      (own === '' || /^(?:search|look|google|hunt|grep|ask|browse|query)/.test(from.lead.verb))
        ? longer(withoutArticle(behind.text), from)
        : '',
      longer(own, from),
      ...(/pattern/.test(field.name) ? from.of('path').map(({ text }) => text) : []),
      withoutArticle(
        from.phrases.find(
          ({ prep, text }) => /^(?:from|by|of|with|in|to)$/.test(prep) && usable(withoutArticle(text)),
        )?.text ?? '',
      ),
      field.required ? from.text.slice(0, 200).replace(/[?.!]+\s*$/, '') : '',
    ]
    for (const [rank, text] of all.entries())
      if (usable(clean(text))) yield { kind: 'sought', at: -1 - rank, end: -1 - rank, text: clean(text) }
  },
  *clause(_, from) {
    const fence = from.of('quote').find(({ text }) => text.includes('\n'))
    if (fence !== undefined) yield fence
    for (const pattern of clauses) {
      const found = pattern.exec(from.text)
      if (found === null) continue
      const at = found.index + found[0].lastIndexOf(found[1] as string)
      const quote = from.of('quote').find((one) => one.at === at)
      yield quote ?? {
        kind: 'clause',
        at,
        end: at + (found[1] as string).length,
        text: (found[1] as string).trim().replace(/^["“]|["”]$/g, ''),
      }
    }
  },
  *word(field, from) {
    const noun =
      field.words.length === 1
        ? field.words[0]
        : field.words.findLast(
            (word) => !/^(?:id|name|value|code|text|key|type|to|from|no|number|new)$/.test(word),
          )
    if (noun === undefined || noun.length < 2) return
    const escaped = noun.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    for (const { 0: written, index } of from.text.matchAll(
      new RegExp(
        String.raw`(?<![\p{L}\p{N}_-])${escaped}s?(?![\p{L}\p{N}_-])(?:\s+(?:is|of|to|named|called|` +
          String.raw`titled))?\s*[:=]?\s*`,
        'giu',
      ),
    )) {
      const at = index + written.length
      const thing = from.things.find((one) => one.at === at && /^(?:quote|path|code|name)$/.test(one.kind))
      if (thing !== undefined) yield { ...thing, kind: 'word' }
      else if (/[:=]\s*$/.test(written)) {
        const value = /^[^\n,;]{1,120}?(?=[,;\n]|\.\s|\.?$|\s+and\s)/.exec(from.text.slice(at))?.[0].trim()
        if (value !== undefined && usable(value))
          yield { kind: 'word', at, end: at + value.length, text: value }
      }
      const front = /([\p{L}\p{N}_-]+)\s*$/u.exec(from.plain.slice(Math.max(0, index - 40), index))?.[1]
      if (front !== undefined && !isPlain(front))
        yield {
          kind: 'word',
          at: index - 1 - front.length,
          end: index - 1,
          text: noun === 'room' ? `${front} room` : front,
        }
      const behind = /^[\p{L}\p{N}_.-]+/u.exec(from.plain.slice(at))?.[0].replace(/\.$/, '')
      if (
        behind !== undefined &&
        field.required &&
        !isPlain(behind) &&
        (!/^\p{Ll}+(?:s|ed|ing)$/u.test(behind) ||
          /^(?:[,.;!?]|$|\s(?:in|on|to|with|for|from|at|and)\b)/.test(from.plain.slice(at + behind.length)))
      )
        yield { kind: 'word', at, end: at + behind.length, text: behind }
    }
    const told = /(?:e\.g\.|such as|for example|like)[,:]? ([^).;]+)/.exec(field.hint)?.[1] ?? ''
    for (const one of told.split(/,| or | and /)) {
      const word = one.trim().replace(/^["']|["']$/g, '')
      const at = word.length > 2 ? from.text.toLowerCase().indexOf(word) : -1
      if (at >= 0) yield { kind: 'word', at, end: at + word.length, text: word }
    }
  },
}
const clauses: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:say|translate) (?!exactly)(?:the (?:word|phrase|sentence) )?(.{2,200}?) (?:in|into|` +
      String.raw`to) \p{Lu}\p{Ll}+`,
    'u',
  ),
  new RegExp(
    String.raw`\b(?:saying|that says?|to say|which says|telling (?:him|her|them|people)|asking|with the ` +
      '(?:text|message|body|content)|and say)(?: that)?,? ([^]{2,2000})$',
    'i',
  ),
  /(?<!\b(?:https?|subject|title|name|to))(?:[\p{L}\p{N})@.]): ?\s*([^]{2,4000})$/iu,
  new RegExp(
    String.raw`(?:[\p{L}\p{N}.)"”])\s+that\s+((?!(?:is|are|was|were|has|have|one|way|day|mention|` +
      String.raw`says?)\b)[^]{2,2000})$`,
    'iu',
  ),
  /\b(?:because|since) ([^.!?]{2,300})/i,
  new RegExp(
    String.raw`\b(?:tell|text|message|ask|notify|inform|let|remind|email|mail|ping)\s+(?:\S+@\S+|@\w+|` +
      String.raw`\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?|my \p{L}+|the \p{L}+|him|her|them)(?: know)?(?: ` +
      '(?:that|to))?,? ((?!(?:about|regarding|on|at|in|the|a|with|to|after|before|and|when|for|' +
      String.raw`that)\b)[^]{3,1000})$`,
    'u',
  ),
]
const isPlain = (word: string): boolean =>
  stops.has(word.toLowerCase()) ||
  new RegExp(
    '^(?:open|close|start|show|find|list|set|describe|delete|remove|free|book|other|same|whole|' +
      'entire|overdue|recent|existing|please|turn|rename)$',
    'i',
  ).test(word)

/** An object phrase without the nouns that the tool itself has: "account Acme Corp" of find_account. */
function withoutNouns(object: string, toolStems: ReadonlySet<string>): string {
  const words = withoutArticle(object).split(/\s+/)
  const known = (word: string): boolean =>
    toolStems.has(stemOf(word.toLowerCase().replace(/['’]s$/, ''))) ||
    new RegExp(
      '^(?:latest|newest|last|first|new|all|any|my|me|file|called|named|results?|recent|unread|' +
        'something|anything|info(?:rmation)?)$',
      'i',
    ).test(word)
  let start = 0
  let end = words.length
  while (start < end && known(words[start] as string)) start++
  while (end > start && known(words[end - 1] as string)) end--
  const rest = words
    .slice(start, end)
    .join(' ')
    .replace(/["'“”]/g, '')
  return usable(rest) ? rest : ''
}

/** "Cheap flights" with what belongs to it: "to Rome". */
function longer(own: string, from: Reading): string {
  const at = own === '' ? -1 : from.plain.indexOf(own)
  const more =
    at < 0
      ? undefined
      : new RegExp(
          String.raw`^(?: (?:of|by|to|with|without) [\p{L}\p{N}'’ -]{2,60}?)(?=[,.;!?\n]|$| (?:in|on|for|` +
            String.raw`from|at|under|over|and|between)\b)`,
          'u',
        ).exec(from.plain.slice(at + own.length))
  return own + (more?.[0] ?? '')
}

/** All that a text offers to a field, of the kinds that it takes. */
export function* offersFor(field: Field, from: Reading, facts: PromptFacts): Generator<Offer> {
  if (field.isText && field.shape?.string?.patterns !== undefined)
    yield* matches('patterned', /[\p{L}\p{N}][\p{L}\p{N}._@#:/+-]{0,80}(?<![.:,/-])/gu, from).filter(
      ({ text }) => /[\d#@_/:-]|^[A-Z]{2,}$/.test(text),
    )
  for (const kind of field.takes) {
    const find = finders[kind]
    if (find === undefined) for (const thing of from.of(kind as Thing['kind'])) yield { ...thing, thing }
    else yield* find(field, from, facts)
  }
}
