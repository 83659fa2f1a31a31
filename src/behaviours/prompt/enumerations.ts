/** The lists in a prompt: "milk, eggs and bread", "4, 9 and 2", or lines behind bullets. */
import { notNames } from './names.ts'
import { numberOf } from './number-words.ts'
import { promptWords } from './words.ts'

export interface Enumeration {
  readonly items: readonly string[]
  /** The words in front, nearest first. */
  readonly before: readonly string[]
}

const item = String.raw`[^,;:.!?()"\n]{1,60}?`
const listed = new RegExp(
  String.raw`(?<=^|[.!?:;(\n]\s?)(?! )([^,;:.!?()"\n]{1,120}?(?:, ${item}){0,30}),? (?:and|or|&) (${item})` +
    String.raw`(?=[,;:!?)\n]|\.(?:\s|$)|$| (?:to|for|in|on|from|with|into|at|by|as|and|please|using|that|` +
    'which|is|are|into|about)\\b)',
  'gu',
)
const behindColon = new RegExp(String.raw`:\s{1,3}(${item}(?:, ${item}){1,30})(?=[.\n]|$)`, 'gu')
const bullets = /(?:^|\n)[ \t]*(?:[-*•]|\d{1,2}[.)]) ([^\n]{1,200})/gu
const maxEnumerations = 10

export function enumerationsIn(prompt: string): readonly Enumeration[] {
  const text = prompt.slice(-4000)
  const bulleted = /(?:^|\n)[ \t]*[-*•\d]/.test(text) ? [...text.matchAll(bullets)] : []
  const lines = bulleted.map(([, line = '']) => line.trim())
  const lists: Enumeration[] = lines.length > 1 ? [{ items: lines, before: [] }] : []
  for (const { 1: whole = '', index } of text.includes(':') ? text.matchAll(behindColon) : [])
    if (!/ (?:and|or) /u.test(whole))
      lists.push({
        items: whole.split(', ').map(withoutArticle),
        before: promptWords(text.slice(Math.max(0, index - 40), index))
          .reverse()
          .slice(0, 4),
      })
  for (const { 1: head = '', 2: last = '' } of / (?:and|or|&) /.test(text) ? text.matchAll(listed) : []) {
    const parts = head.split(', ')
    const { lead, rest } = withoutLead(parts[0] as string)
    if (rest === '' || last.split(' ').length > 4 || parts.some((part) => part.split(' ').length > 8))
      continue
    lists.push({ items: [rest, ...parts.slice(1), withoutArticle(last)].map(withoutArticle), before: lead })
    if (lists.length === maxEnumerations) break
  }
  return lists
}

/** A list's first item without the words that lead to it: "Add milk", "a salad with tomatoes". */
function withoutLead(text: string): { lead: readonly string[]; rest: string } {
  const words = text.split(' ')
  let start = 0
  for (const [at, word] of words.entries()) {
    const isVerb =
      at === 0 && /^\p{Lu}\p{Ll}/u.test(word) && words.length > 1 && !/^\p{Lu}/u.test(words[1] as string)
    if ((isVerb || notNames.has(word.toLowerCase())) && numberOf(word) === undefined) start = at + 1
  }
  return {
    lead: promptWords(words.slice(0, start).join(' ')).reverse().slice(0, 4),
    rest: words.slice(start).join(' '),
  }
}

const withoutArticle = (text: string): string => text.replace(/^(?:and |or )?(?:an?|the|some) /i, '').trim()

const run = new RegExp(
  String.raw`(?<![\w.])-?\d{1,15}(?:\.\d{1,12})?(?:(?: ?[,;] ?(?:and )?| and | ` +
    String.raw`)-?\d{1,15}(?:\.\d{1,12})?){1,100}(?![\w])`,
  'gu',
)

/** Numbers in a row: "5, 3, 9 and 4", "5 3 9". */
export function numberRunsIn(prompt: string): readonly (readonly number[])[] {
  return [...prompt.slice(-4000).matchAll(run)].map(([found]) =>
    (found.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number),
  )
}
