/** The facts of a prompt with a recognisable form: addresses, links, dates, times, phone numbers, codes. */
import { maxFacts, surroundings, type TextFact } from './surroundings.ts'

export interface MarkedFacts {
  /** The prompt with blanks in place of the facts, so that their digits and words do not count again. */
  readonly rest: string
  readonly urls: readonly TextFact[]
  readonly emails: readonly TextFact[]
  /** As `2026-03-05`. */
  readonly dates: readonly TextFact[]
  /** As `14:30`. */
  readonly times: readonly TextFact[]
  readonly phones: readonly TextFact[]
  /** Codes such as `ORD-1234` or `#4521`. */
  readonly codes: readonly TextFact[]
}

const codePattern = new RegExp(
  [
    String.raw`\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b`,
    String.raw`#\d{1,12}\b`,
    String.raw`\b(?:[A-Za-z]{1,8}-?\d[\w-]{0,30}|\d{1,10}-?[A-Za-z]{1,3}\d[\w-]{0,30})\b`,
  ].join('|'),
  'giu',
)

/** The marked facts of a prompt. The order counts: what one kind has taken is not there for the next. */
export function markedFactsOf(prompt: string): MarkedFacts {
  let rest = prompt
  const take = (pattern: RegExp, read: (match: RegExpExecArray) => string | undefined): TextFact[] => {
    const facts: TextFact[] = []
    rest = rest.replace(pattern, (...args) => {
      const match = args as unknown as RegExpExecArray
      const index = args.find((arg) => typeof arg === 'number') as number
      const value = facts.length < maxFacts ? read(match) : undefined
      if (value === undefined) return match[0]
      facts.push({ value, ...surroundings(prompt, index, index + match[0].length) })
      return ' '.repeat(match[0].length)
    })
    return facts
  }
  const urls = take(/\bhttps?:\/\/[^\s"'<>()]{1,500}/giu, ([url]) => url.replace(/[.,;:!?]+$/u, ''))
  const emails = take(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/gu, ([email]) => email)
  const dates = [
    ...take(
      /\b(\d{4})-(\d\d)-(\d\d)(?!\d)/gu,
      ([written, year, month, day]) => dateOf(year, month, day) && written,
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
  const phones = take(/(?<![\w-])\+?\(?\d[\d ()-]{6,18}\d\b/gu, ([phone]) =>
    phone.replace(/\D/gu, '').length >= 7 && /[ ()+-]/u.test(phone) ? phone : undefined,
  )
  const codes = take(codePattern, ([code]) => code.replace(/^#/u, ''))
  return { rest, urls, emails, dates, times, phones, codes }
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
