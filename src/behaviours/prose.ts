/**
 * Text that reads like text and speaks about what was asked: a few sentences from the seed and the prompt. Knows nothing
 * of roles or wire formats.
 */
import type { Random } from '../engine/random.ts'

const openers = [
  'Here is a short answer about {topic}.',
  'Let me say something useful about {topic}.',
  'Happy to help with {topic}.',
  'Good question about {topic}.',
  'Thinking about {topic}, one thing stands out.',
  'There is more to {topic} than it seems at first.',
]
const bodies = [
  'The {adjective} part is usually the {noun}, which decides how the {noun2} turns out.',
  'Most people begin with the {noun} and only later look at the {noun2}.',
  'A {adjective} {noun} makes the difference between a good result and a {adjective2} one.',
  'If you compare the {noun} with the {noun2}, the {adjective} choice becomes clear.',
  'It helps to {verb} the {noun} first and to keep the {noun2} {adjective}.',
  'In practice, a {adjective} {noun} is worth more than a {adjective2} {noun2}.',
  'You can {verb} the {noun} step by step until the {noun2} feels {adjective}.',
  'The {noun} and the {noun2} belong together, even when they look {adjective2}.',
]
const closers = [
  'Tell me if you would like more detail on the {noun}.',
  'That is the short version; the {noun} deserves a longer look.',
  'Start small, and {verb} the {noun} as you learn.',
  'With that, {topic} becomes a {adjective} matter.',
  'I can go deeper into the {noun} if that is useful.',
]
const adjectives = ['quiet', 'simple', 'careful', 'steady', 'bright', 'modest', 'clear', 'patient', 'lively', 'practical', 'honest', 'gentle', 'solid', 'curious']
const nouns = ['plan', 'detail', 'rhythm', 'structure', 'pattern', 'question', 'source', 'method', 'balance', 'context', 'habit', 'example', 'choice', 'goal', 'measure', 'signal']
const verbs = ['review', 'sketch', 'refine', 'measure', 'question', 'simplify', 'test', 'compare', 'write down']

const stopWords = new Set(
  'a an and are as at be but by can could do does for from give had has have help how i if in into is it its just let like make me my need of on one or our out please say should show so some tell than that the their them then there these they this those to us want was we were what when where which who why will with would write you your about explain describe short answer reply respond'.split(' '),
)

/** What a prompt is about, in a few of its own words. */
export function topicOf(prompt: string): string {
  const about = /\b(?:about|regarding|concerning|explain|describe|summari[sz]e|translate)\s+([\p{L}\p{N}][\p{L}\p{N}' -]{2,40}?)(?=[.,;:!?\n]|$|\s(?:in|for|with|and|to)\s)/iu.exec(prompt.slice(-2000))?.[1]
  if (about !== undefined) return about.trim()
  const words = prompt.slice(-600).match(/[\p{L}][\p{L}\p{N}'-]{2,24}/gu) ?? []
  const telling = words.filter((word) => !stopWords.has(word.toLowerCase()))
  return telling.slice(0, 3).join(' ') || 'your question'
}

/** How many sentences, list items or words a prompt asks for, when it says so. */
export function lengthWanted(prompt: string): { readonly sentences?: number; readonly items?: number } {
  const asked = /\b(one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\s+(?:\w+\s+)?(sentences?|items?|bullet points?|bullets|ideas?|tips|reasons|steps|examples?|names)\b/i.exec(prompt.slice(-2000))
  if (asked === null) return /\b(?:one|a single) sentence\b/i.test(prompt) ? { sentences: 1 } : {}
  const count = Math.max(1, Math.min(20, ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'].indexOf((asked[1] as string).toLowerCase()) + 1 || Number(asked[1])))
  return /^sentence/i.test(asked[2] as string) ? { sentences: count } : { items: count }
}

/** A few sentences about the prompt. */
export function prose(prompt: string, random: Random): string {
  const topic = topicOf(prompt)
  const wanted = lengthWanted(prompt)
  const fill = (template: string): string => {
    const noun = random.pick(nouns)
    const adjective = random.pick(adjectives)
    let noun2 = random.pick(nouns)
    if (noun2 === noun) noun2 = nouns[(nouns.indexOf(noun) + 1) % nouns.length] as string
    let adjective2 = random.pick(adjectives)
    if (adjective2 === adjective) adjective2 = adjectives[(adjectives.indexOf(adjective) + 1) % adjectives.length] as string
    const words: Record<string, string> = { topic, noun, noun2, adjective, adjective2, verb: random.pick(verbs) }
    return template.replace(/\{(\w+)\}/g, (_, name: string) => words[name] as string)
  }
  if (wanted.items !== undefined) {
    const lines = Array.from({ length: wanted.items }, (_, index) => `${index + 1}. ${fill(random.pick(bodies))}`)
    return `${fill(random.pick(openers))}\n\n${lines.join('\n')}`
  }
  const count = wanted.sentences ?? random.integer(3, 5)
  const sentences = [fill(random.pick(openers))]
  while (sentences.length < count - 1) sentences.push(fill(random.pick(bodies)))
  if (sentences.length < count) sentences.push(fill(random.pick(closers)))
  return sentences.join(' ')
}

/** The text a prompt asks to be given back word for word, or undefined. */
export function exactReply(prompt: string): string | undefined {
  const text = prompt.trim().slice(-4000)
  const verb = String.raw`(?:reply|respond|answer|say|write|output|print|return|repeat|echo)`
  const quoted = new RegExp(String.raw`\b${verb}\b[^"“”'‘’\x60\n]{0,60}?(?:"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|\x60([^\x60\n]{1,2000})\x60|'([^'\n]{1,2000})'|‘([^’\n]{1,2000})’)`, 'i').exec(text)
  if (quoted !== null && wordForWord(quoted[0])) return quoted.slice(1).find((part) => part !== undefined)
  const after = new RegExp(String.raw`\b${verb}\b(?: back)?(?: to me)?(?:,? with| using)?(?: only| just| exactly| precisely| literally| nothing but| the exact| the following| the single| the| this| one| word| text| phrase| sentence| words| message)*\s*:\s*(.{1,2000})$`, 'is').exec(text)
  if (after !== null) return (after[1] as string).trim()
  const exactly = new RegExp(String.raw`\b${verb}\b(?: back)?(?: with)?(?: only| just)? (?:exactly|precisely|literally|nothing but|the (?:single )?word|the exact text)(?: the)?(?: words?| text| phrase)? ([^\n"']{1,200}?)[.!]?$`, 'i').exec(text)
  return exactly === null ? undefined : (exactly[1] as string).trim()
}

// 'Write a story about "Dune"' names a thing; 'Say "Dune"' asks for it.
function wordForWord(matched: string): boolean {
  return !/\b(?:about|story|poem|essay|called|named|titled|of|on|for|where|whether|why|how|mean|means|translation)\b[^"“'‘`]*["“'‘`]/i.test(matched) || /\b(?:exactly|only|word for word|literally|nothing but)\b/i.test(matched)
}
