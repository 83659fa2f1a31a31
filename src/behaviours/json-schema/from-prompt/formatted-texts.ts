/** The texts in a prompt that have the form of a format or kind: addresses, dates, currencies, codes. */

import type { PromptFacts } from '../../prompt/facts.ts'
import type { TextFact } from '../../prompt/surroundings.ts'
import type { Filling } from '../filling.ts'
import { hasFormat } from '../formats.ts'
import type { Naming } from '../property-naming.ts'

const CURRENCIES: Readonly<Record<string, string>> = {
  usd: 'USD',
  dollar: 'USD',
  eur: 'EUR',
  euro: 'EUR',
  gbp: 'GBP',
  pound: 'GBP',
  jpy: 'JPY',
  yen: 'JPY',
  chf: 'CHF',
  franc: 'CHF',
  cad: 'CAD',
  aud: 'AUD',
  inr: 'INR',
  rupee: 'INR',
}
const MAILED: ReadonlySet<string> = new Set(
  'to from cc bcc recipient sender reply attendee participant invitee'.split(' '),
)

/** Words of a property that says where something comes from. */
export const ORIGIN: ReadonlySet<string> = new Set('from origin departure source start'.split(' '))

/** Words with a special spelling. */
const SPELLING: Readonly<Record<string, string>> = {
  javascript: 'JavaScript',
  typescript: 'TypeScript',
  sql: 'SQL',
  php: 'PHP',
}

export const capitalize = (text: string): string =>
  SPELLING[text] ?? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

export function textsOfFormat(
  formats: readonly string[],
  { facts, used }: Filling,
): readonly string[] | undefined {
  for (const format of formats) {
    if (format === 'email' || format === 'idn-email') return fresh(facts.emails, used)
    if (format === 'uri' || format === 'url' || format === 'iri') return fresh(facts.urls, used)
    if (format === 'uuid') return fresh(facts.codes, used)
    if (format === 'date') return fresh(facts.dates, used)
    if (format === 'time') return fresh(facts.times, used).map((time) => `${time}:00Z`)
    if (format === 'date-time') return moments(facts.dates, facts.times, used)
    // No supported format accepts a NUL character, so these are the supported ones.
    if (!hasFormat(format, '\u0000'))
      return facts.tokens.filter((token) => /[.:\d]/u.test(token) && hasFormat(format, token))
  }
  return undefined
}

export function textsOfKind(
  kind: string | undefined,
  naming: Naming,
  { facts, used }: Filling,
): readonly string[] | undefined {
  const some = (list: readonly string[]): readonly string[] | undefined =>
    list.length === 0 ? undefined : list
  if (naming.words.some((word) => MAILED.has(word)) && facts.emails.length > 0 && kind !== 'date') {
    const mails = fresh(facts.emails, used)
    if (mails.length > 0) return mails
  }
  switch (kind) {
    case 'email':
      return fresh(facts.emails, used)
    case 'url':
    case 'image_url':
      return fresh(facts.urls, used)
    case 'phone':
      return fresh(facts.phones, used)
    case 'date':
      return some(fresh(facts.dates, used))
    case 'datetime':
      return some(moments(facts.dates, facts.times, used))
    case 'ip':
      return facts.tokens.filter((token) => hasFormat('ipv4', token))
    case 'domain':
      return facts.tokens.filter(
        (token) => token.includes('.') && /[a-z]{2}$/iu.test(token) && hasFormat('hostname', token),
      )
    case 'dish':
      return some(dishes(facts.topic))
    case 'time':
      return some(fresh(facts.times, used))
    case 'currency':
      return currencies(naming, facts, used)
    case 'symbol':
      return facts.tokens
        .filter((token) => /^\$?[A-Z]{1,5}$/u.test(token) && token.length > 1)
        .map((token) => token.replace('$', ''))
    case 'id': {
      const near = (fact: TextFact): boolean =>
        fact.before.slice(0, 3).some((word) => naming.words.includes(word))
      const numbers = facts.numbers
        .filter(
          ({ value, before }) => value > 99 && before.slice(0, 2).some((word) => naming.words.includes(word)),
        )
        .map(({ value }) => String(value))
      return some([...fresh(facts.codes.filter(near), used), ...numbers, ...fresh(facts.codes, used)])
    }
    default:
      return undefined
  }
}

/** The currencies in the order of the prompt; "to EUR" is not the source currency. */
function currencies({ words }: Naming, facts: PromptFacts, used: readonly string[]): readonly string[] {
  const signs = facts.numbers.flatMap(({ before, after }) => [before[0] ?? '', after[0] ?? ''])
  const isFrom = words.some((word) => ORIGIN.has(word))
  const found = facts.words.filter(
    (_, at) => !(isFrom && (facts.words[at - 1] === 'to' || facts.words[at - 1] === 'into')),
  )
  const codes = [...found, ...signs].flatMap((word) =>
    Object.hasOwn(CURRENCIES, word) ? [CURRENCIES[word] as string] : [],
  )
  return [...new Set(codes)].filter((code) => !used.includes(code))
}

/** The dish alone, of "A lasagna recipe" or "how to bake bread". */
function dishes(topic: string): readonly string[] {
  const dish =
    /\b(?:recipe for|make|cook|bake) (?:an? |the |some )?([^,.]{2,40}?)(?= with | using |$)/iu.exec(
      topic,
    )?.[1] ?? /(?:an? |the |my )?([\p{L} ]{3,40}) recipe/iu.exec(topic)?.[1]
  return dish === undefined ? [] : [capitalize(dish.replace(/^(?:an?|the|my) /iu, ''))]
}

const fresh = (facts: readonly TextFact[], used: readonly string[]): readonly string[] =>
  facts.map(({ value }) => value).filter((value) => !used.includes(value))

function moments(
  dates: readonly TextFact[],
  times: readonly TextFact[],
  used: readonly string[],
): readonly string[] {
  return dates
    .map(({ value }, index) => `${value}T${times[index]?.value ?? times[0]?.value ?? '00:00'}:00Z`)
    .filter((value) => !used.includes(value))
}
