/** Values that a prompt gives a name: `name: Ada`, "the deadline is Friday", "set the theme to dark". */
import { maxFacts } from './surroundings.ts'
import { promptWords } from './words.ts'

/** A value with its name, as in `name: Ada` or `the deadline is Friday`. */
export interface LabelFact {
  readonly words: readonly string[]
  readonly value: string
  /** The name as written, where the prompt gives it the value: "set X to Y". */
  readonly name?: string
}

const given = '"[^"\\n]{1,200}"|\'[^\'\\n]{1,200}\'|`[^`\\n]{1,200}`'
const setTo = new RegExp(
  String.raw`\b(?:set|change|update|switch|turn|put|configure|make|assign)(?: the| my| its| ` +
    String.raw`our)? (${given}|[\w .-]{1,40}?) ` +
    String.raw`(?:to|=) (${given}|[^\n,;]{1,80}?)(?=$|[\n,;]|[.!?](?:\s|$)| (?:and|for|in|on|if` +
    String.raw`|please|with)\b)`,
  'giu',
)
const storedAs = new RegExp(
  String.raw`\b(?:store|save|remember|keep|record|note|use|register|put) (?:that )?(${given}` +
    String.raw`|[\w.#-]{1,60}) (?:as|under|for)` +
    String.raw`(?: the| my)?(?: key| name)? (${given}|[\w .-]{1,40}?)(?=$|[\n,;]|[.!?](?:\s|$)| ` +
    String.raw`(?:and|for|in|on|if|please|with)\b)`,
  'giu',
)
const equated = new RegExp(
  String.raw`(?<![\w.\d-])([A-Za-z_][\w.-]{1,40}) ?= ?(${given}|[^\s,;]{1,100})(?![\d\w])`,
  'gu',
)
const unquoted = (text: string): string => text.replace(/^["'`]|["'`]$/gu, '')

/** What the prompt assigns: "set the theme to dark", "remember blue as my favourite colour". */
export function assignmentsOf(prompt: string): LabelFact[] {
  const assign = (written: string, value: string): LabelFact => {
    const name = unquoted(written)
    return { name, words: promptWords(name), value: unquoted(value) }
  }
  const all = (pattern: RegExp): RegExpExecArray[] => [...prompt.matchAll(pattern)]
  // Most prompts have none of the words that every assignment has, which is quicker to see.
  return [
    ...(/ (?:to|=) /i.test(prompt) ? all(setTo) : []).map(([, name = '', value = '']) => assign(name, value)),
    ...(prompt.includes('=') ? all(equated) : []).map(([, name = '', value = '']) => assign(name, value)),
    ...(/ (?:as|under|for)/i.test(prompt) ? all(storedAs) : []).map(([, value = '', name = '']) =>
      assign(name, value),
    ),
  ].slice(0, maxFacts)
}

const labelPattern = new RegExp(
  [
    String.raw`(?<=^|[\n,;.(!?-] ?|\b(?:the|my|a|our|its) )([\p{L}][\p{L}\p{N} _-]{0,30}?)`,
    String.raw`(?: ?[:=] ?| is )("[^"\n]{1,200}"|(?:[^\n,;".!?]|[.!?](?!\s|$)){1,200})`,
  ].join(''),
  'gmu',
)

/** All values with a name; those assigned, where they are not found otherwise. */
export function labelsOf(prompt: string, assigned: readonly LabelFact[]): LabelFact[] {
  const facts: LabelFact[] = []
  for (const match of prompt.matchAll(labelPattern)) {
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
    if (facts.length === maxFacts) break
  }
  const known = new Set(facts.map(({ words }) => words.join(' ')))
  return [...facts, ...assigned.filter(({ words }) => !known.has(words.join(' ')))]
}
