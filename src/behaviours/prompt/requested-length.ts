/** Reads the length that a prompt asks for. */

/** The length a prompt asks for; none when `unit` is undefined. */
export type RequestedLength =
  | { readonly unit: 'sentence' | 'paragraph' | 'word'; readonly count: number }
  | { readonly unit: 'item'; readonly count: number; readonly noun: string; readonly bullets: boolean }
  | { readonly unit: undefined }

export const numbers = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]
export const number = String.raw`(${numbers.join('|')}|\d{1,4})`
const adjectives =
  '(?:(?:short|simple|brief|full|complete|good|fun|interesting|key|main|different|practical|useful|' +
  'creative|possible|new|more|great|famous|popular)[ -])*'
export const things =
  'items?|bullet points?|bullets|points|ideas?|tips|reasons|ways|steps|examples?|names|facts?|suggestions|' +
  'titles|questions|benefits|advantages|headlines|options'
const lengthInUnits = new RegExp(
  String.raw`\b(${numbers.join('|')}|a single|an?|\d{1,4})[ -]${adjectives}(sentence|paragraph|word)s?\b`,
  'i',
)
const asksForItems =
  '(?:list|give|name|suggest|share|tell|provide|propose|offer|recommend|brainstorm|mention|need|want|what ' +
  'are|write|create|generate|in|with)'
const lengthInItems = new RegExp(
  String.raw`\b${asksForItems}\s(?:me |us |the |top |my |at least |exactly |about |a list of |` +
    String.raw`up )*${number} ${adjectives}(${things})\b|\b(?:list|give me|name|suggest|recommend)` +
    String.raw`\s(?:me |the |top |at least |exactly )*${number} ${adjectives}([a-z]{3,20}s)\b`,
  'i',
)

const maxCounts: Readonly<Record<'sentence' | 'paragraph' | 'word' | 'item', number>> = {
  sentence: 40,
  paragraph: 12,
  word: 1000,
  item: 100,
}

/** The length that a prompt asks for ("in one sentence", "list 3 ideas", "in 50 words"). */
export function requestedLength(prompt: string): RequestedLength {
  const items = lengthInItems.exec(prompt)
  if (items !== null) {
    const count = countOf((items[1] ?? items[3]) as string)
    if (count > 0)
      return {
        unit: 'item',
        count: Math.min(count, maxCounts.item),
        noun: ((items[2] ?? items[4]) as string).toLowerCase(),
        bullets: /bullet/i.test(prompt),
      }
  }
  const units = lengthInUnits.exec(prompt)
  if (units === null) return { unit: undefined }
  const [, written, noun] = units as unknown as [string, string, string]
  const unit = noun.toLowerCase() as 'sentence' | 'paragraph' | 'word'
  const count = countOf(written)
  // "a word" is a figure of speech, "a sentence" a length.
  return count < 1 || (unit === 'word' && /^an?$/i.test(written))
    ? { unit: undefined }
    : { unit, count: Math.min(count, maxCounts[unit]) }
}

function countOf(written: string): number {
  return /^(?:an?|a single)$/i.test(written)
    ? 1
    : numbers.indexOf(written.toLowerCase()) + 1 || Number(written)
}
