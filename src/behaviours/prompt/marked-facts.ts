/** The facts of a prompt with a recognisable form: addresses, links, dates, times, phone numbers, codes. */
import { maxFacts, Surrounded, type TextFact } from './surroundings.ts'

export interface MarkedFacts {
  /** The prompt with blanks in place of the facts, so that their digits and words do not count again. */
  readonly rest: string
  readonly urls: readonly TextFact[]
  readonly emails: readonly TextFact[]
  /** Files and folders: `src/index.ts`, `/etc/hosts`, `C:\\x`; one of several words is a quotation. */
  readonly paths: readonly TextFact[]
  /** As `2026-03-05`. */
  readonly dates: readonly TextFact[]
  /** As `14:30`. */
  readonly times: readonly TextFact[]
  readonly phones: readonly TextFact[]
  /** Codes such as `ORD-1234` or `#4521`. */
  readonly codes: readonly TextFact[]
}

const extensions =
  'ts|tsx|js|jsx|mjs|cjs|json|jsonl|md|mdx|txt|csv|tsv|py|rb|go|rs|java|kt|swift|c|h|cc' +
  '|cpp|hpp|cs|php|pl|lua|' +
  'html?|css|scss|vue|svelte|ya?ml|toml|ini|cfg|conf|env|lock|xml|sql|sh|bat|ps1|log' +
  '|pdf|docx?|xlsx?|pptx?|odt|rtf|' +
  'png|jpe?g|gif|svg|webp|bmp|ico|mp[34]|wav|ogg|mov|avi|mkv|zip|tar|gz|tgz|7z|db' +
  '|sqlite|ipynb|proto|tf|gradle|parquet'
const file = String.raw`[\w@-][\w@.+-]{0,80}\.(?:${extensions})`
// A slash alone does not make a path of "and/or" or "km/h".
const inFolders = [
  String.raw`[A-Za-z]:\\[^\s"'<>|?*]{1,200}`,
  String.raw`(?:~|\.{1,2})?/(?=[A-Za-z_.@*])[\w@.+~/*-]{1,200}`,
  String.raw`(?:[\w@.-]{1,60}/){1,12}(?:${file}|[\w@-]{1,60}/(?!\w))`,
]
const alone = [
  String.raw`(?<!\*)\.[a-z][\w-]{1,30}(?:\.\w{1,10}){0,2}|(?:Docker|Make|Gem|Proc|Jenkins)file|LICENSE`,
  file,
]
const anyOf = (paths: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![\w/.:@~-])(?:${paths.join('|')})(?![\w/])`, 'giu')
const pathPattern = anyOf([...inFolders, ...alone])
// For a prompt without slashes.
const filePattern = anyOf(alone)
// "src/lib", where the words around speak of files.
const looseFolder = /(?<![\w/.:@~-])[A-Za-z_][\w@.-]{0,60}(?:\/[\w@.-]{1,60}){1,10}(?![\w/])/gu

const codePattern = new RegExp(
  [
    String.raw`\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b`,
    String.raw`#[A-Za-z]{0,8}-?\d[\w-]{0,30}\b`,
    String.raw`\b(?:[A-Za-z]{1,8}[-_]?\d[\w-]{0,30}|[A-Za-z]{1,4}-[A-Za-z]{1,8}-\d[\w-]{0,30}` +
      String.raw`|\d{1,10}-?[A-Za-z]{1,3}\d[\w-]{0,30}|[A-Z]{2,12}-[A-Z]{2,8}-\d[\w-]{0,30})\b`,
  ].join('|'),
  'giu',
)

// An account as banks print it, in groups of four.
const accountPattern = /\b[A-Z]{2}\d{2}(?: [A-Z\d]{4}){3,7}(?: [A-Z\d]{1,3})?\b/gu

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
      facts.push(new Surrounded(value, prompt, index, index + match[0].length))
      return ' '.repeat(match[0].length)
    })
    return facts
  }
  // Each kind has a mark that most prompts have not, which is quicker to look for.
  const hasDigits = /\d/.test(prompt)
  const urls = !prompt.includes('//')
    ? []
    : take(/\bhttps?:\/\/[^\s"'<>()]{1,500}/giu, ([url]) => url.replace(/[.,;:!?]+$/u, ''))
  const emails = !prompt.includes('@')
    ? []
    : take(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/gu, ([email]) => email)
  const mayHavePaths = /[\\/]|\.[a-z]|[a-z]file\b|LICENSE/iu.test(rest)
  const pathOf = ([path]: RegExpExecArray): string => path.replace(/[.,;:!?]+$/u, '')
  const paths = mayHavePaths ? take(/[\\/]/.test(rest) ? pathPattern : filePattern, pathOf) : []
  if (
    rest.includes('/') &&
    /\b(?:files?|folders?|director(?:y|ies)|path|repo(?:sitory)?|read|open|list|ls)\b/iu.test(prompt)
  )
    paths.push(...take(looseFolder, pathOf))
  const dates = !/\d{4}/.test(rest)
    ? []
    : [
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
  const times = !hasDigits
    ? []
    : take(/\b(\d{1,2})(?::(\d\d))?(?: ?([ap])\.?m\b\.?|(?<=:\d\d)(?!\d))/giu, ([, hour, minute, half]) =>
        timeOf(hour, minute, half),
      )
  const accounts = !hasDigits ? [] : take(accountPattern, ([account]) => account.replaceAll(' ', ''))
  const phones = !hasDigits
    ? []
    : take(/(?<![\w-])\+?\(?\d(?:[\d()]|[ -](?![ -])){6,18}\d\b/gu, ([phone]) =>
        phone.replace(/\D/gu, '').length >= 7 && /[ ()+-]/u.test(phone) ? phone : undefined,
      )
  const before = rest
  const mayHaveCodes = /\d|-[a-f]{4}-/i.test(rest)
  const codes = mayHaveCodes ? take(codePattern, ([code]) => code.replace(/^#/u, '')) : []
  codes.unshift(...accounts)
  // "#57" is a number too.
  for (const { index, 1: number = '' } of before.includes('#') ? before.matchAll(/#(\d{1,12})\b/gu) : [])
    rest = `${rest.slice(0, index + 1)}${number}${rest.slice(index + 1 + number.length)}`
  return { rest, urls, emails, paths, dates, times, phones, codes }
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
