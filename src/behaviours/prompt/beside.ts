/** Values that a prompt puts beside a noun: "branch main", "the orders table", "with value dark". */
import { notNames } from './names.ts'
import { promptWords } from './words.ts'

/** A word, or a quotation as a whole. */
export interface Span {
  readonly text: string
  readonly quoted: boolean
  /** Lower case and singular; several for `first-name`, none for punctuation. */
  readonly words: readonly string[]
  /** Whether a clause ends behind it. */
  readonly closes: boolean
}

const spanPattern = new RegExp(
  [
    String.raw`"[^"\n]{1,300}"`,
    String.raw`“[^”\n]{1,300}”`,
    '`[^`\\n]{1,300}`',
    String.raw`(?<!\S)'[^'\n]{1,300}'`,
    '[^\\s"“`]+',
  ].join('|'),
  'gu',
)
const openings = /^["'“`(<[{]{1,9}/u
const closings = /["'”`)>\]},;:!?]{0,9}(?:\.(?=$)["'”)]{0,9})?$/u
const maxSpans = 1000

export function spansOf(text: string): readonly Span[] {
  const spans: Span[] = []
  for (const { 0: written, index } of text.matchAll(spanPattern)) {
    const next = text[index + written.length] ?? ''
    const closed = /^[\n,;:!?.)]/.test(next)
    if (/^[\p{L}\p{N}]+$/u.test(written)) {
      spans.push({ text: written, quoted: false, words: promptWords(written), closes: closed })
      if (spans.length === maxSpans) break
      continue
    }
    const value = written
      .replace(openings, '')
      .replace(closings, '')
      .replace(/['’]s$/u, '')
    const quoted = /^["“`']./u.test(written) && /["”`']$/u.test(written)
    spans.push({
      text: value,
      quoted,
      words: quoted ? [] : promptWords(value),
      closes: /[,;:!?.)]$/u.test(written) || closed,
    })
    if (spans.length === maxSpans) break
  }
  return spans
}

const between: ReadonlySet<string> = new Set(
  'is be = : as at called named titled with value name id number no the of my equal tagged labelled'.split(
    ' ',
  ),
)
const changing: ReadonlySet<string> = new Set(
  'set change update turn put switch raise lower adjust'.split(' '),
)
const determiners: ReadonlySet<string> = new Set(
  'the a an my our in from on into to your their its this'.split(' '),
)
const general: ReadonlySet<string> = new Set(
  'new same current following given right whole entire other full single own next last'.split(' '),
)

/** Names of properties that are no nouns, so that nothing stands beside them as their value. */
const grammar: ReadonlySet<string> = new Set('from with into the and for not all any out new old'.split(' '))

/** The values beside a noun, those behind it first. */
export function valuesBeside(noun: readonly string[], spans: readonly Span[]): readonly string[] {
  if (
    noun.length === 0 ||
    (noun.length === 1 && (noun[0] as string).length < 3) ||
    noun.every((word) => grammar.has(word))
  )
    return []
  const behind: string[] = []
  const inFront: string[] = []
  const first = noun[0] as string
  for (let at = 0; at < spans.length; at++) {
    if (!isWord(spans[at], first)) continue
    if (!noun.every((word, index) => isWord(spans[at + index], word))) continue
    const last = at + noun.length - 1
    const value = valueBehind(spans, last)
    if (value !== undefined) behind.push(value)
    const [determiner, adjective] = [spans[at - 2], spans[at - 1]]
    if (
      adjective !== undefined &&
      !adjective.closes &&
      (adjective.quoted ||
        isTelling(adjective) ||
        (determiner !== undefined && hasWord(determiner, determiners))) &&
      isValue(adjective) &&
      !hasWord(adjective, general)
    )
      inFront.push(adjective.text)
  }
  return [...behind, ...inFront]
}

function valueBehind(spans: readonly Span[], noun: number): string | undefined {
  let at = noun + 1
  const isChanged = spans.slice(Math.max(0, noun - 4), noun).some((span) => hasWord(span, changing))
  while (
    at < noun + 4 &&
    spans[at] !== undefined &&
    (hasWord(spans[at] as Span, between) ||
      /^[=:]$/.test((spans[at] as Span).text) ||
      (isChanged && isWord(spans[at], 'to')))
  )
    at++
  const value = spans[at]
  const next = spans[at + 1]
  if (value === undefined || (spans[noun]?.closes && at === noun + 1 && !value.quoted)) return undefined
  if (value.quoted) return value.text
  if (!isValue(value)) return undefined
  const isPlain = !isTelling(value)
  if (isPlain && !value.closes && next !== undefined && !next.quoted && !hasWord(next, notNames))
    return undefined
  const parts = [value.text]
  // A name of several words: "user Ada Lovelace".
  for (
    let more = at;
    /^\p{Lu}/u.test(value.text) && !(spans[more] as Span).closes && parts.length < 5;
    more++
  ) {
    const part = spans[more + 1]
    const isPart =
      /^\p{Lu}/u.test(part?.text ?? '') || (/^[A-Z-]{1,5}$/.test(value.text) && /^\d/.test(part?.text ?? ''))
    if (part === undefined || part.quoted || !isPart) break
    parts.push(part.text)
  }
  return parts.join(' ')
}

const isWord = (span: Span | undefined, word: string): boolean =>
  span !== undefined && !span.quoted && span.words.length === 1 && span.words[0] === word
const hasWord = (span: Span, words: ReadonlySet<string>): boolean =>
  !span.quoted && span.words.length === 1 && words.has(span.words[0] as string)
/** Whether a word looks like a value wherever it stands: `feature-x`, `#general`, `42`, `Ada`. */
const isTelling = ({ text }: Span): boolean => /[\p{Lu}\d_@#/\\.:-]/u.test(text) && /[\p{L}\d]/u.test(text)
const isValue = (span: Span): boolean =>
  span.quoted ||
  (span.text !== '' &&
    (isTelling(span) || (!notNames.has(span.text.toLowerCase()) && !hasWord(span, between))))
