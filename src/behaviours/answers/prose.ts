/** Writes a few sentences about the topic of a prompt, from the seed. */
import type { Random } from '../../engine/random.ts'
import { type RequestedLength, requestedLength, topicOf } from '../prompt/topic.ts'

// `{t}` is the topic, singular or plural, so no verb agrees with it.
const openers = [
  'There is more to {t} than it seems at first.',
  'A good way into {t} is to begin with one clear example.',
  'With {t}, a few plain ideas go a long way.',
  'The short answer on {t} is simpler than many expect.',
  'When it comes to {t}, the basics matter most.',
  'Here is a short account of {t}.',
  'To make sense of {t}, it helps to look at one part at a time.',
  'People often ask about {t}, and for good reason.',
  'Anyone new to {t} will find a few things surprising.',
  'Much has been said about {t}, but the main points are few.',
  'Let us take {t} step by step.',
  'A closer look at {t} is worth the time.',
  'What stands out about {t} is how much depends on the small things.',
  'It is useful to know a little about {t} before going further.',
  'For {t}, the best place to begin is the purpose.',
  'The idea behind {t} is easier to state than to use.',
  'Thinking about {t} is easiest with a picture in mind.',
] as const

// Each makes sense alone and after any other. Their number is prime, so that every step width visits all.
const bodies = [
  'The first thing to settle is what it is meant for.',
  'Small parts matter as much as the whole.',
  'A clear purpose decides most of what follows.',
  'It pays to begin with the simple case and to add the rest later.',
  'Good examples teach more than long definitions.',
  'The order of the steps counts for less than doing each one well.',
  'Most mistakes come from skipping the groundwork.',
  'What works in one setting may need changes in another.',
  'Time spent on preparation is seldom wasted.',
  'The details look harmless until they begin to add up.',
  'Patience tends to bring better results than force.',
  'Cost, time and quality pull in different directions, so a balance has to be found.',
  'A second opinion often reveals what the first one missed.',
  'The history behind it explains why things are the way they are today.',
  'Numbers help, but they do not tell the whole story.',
  'Each part depends on the one before it.',
  'It is easier to change course early than late.',
  'The right tools make a hard task ordinary.',
  'Practice turns the difficult parts into habits.',
  'A short list of priorities keeps everything else in order.',
  'No rule holds in every case, and the exceptions are worth knowing.',
  'Comparing two or three options side by side makes the choice clear.',
  'The surroundings shape the outcome more than one would think.',
  'Even what cannot be measured can be observed with care.',
  'Little things done every week make the largest difference.',
  'It helps to write down what is known and what is only assumed.',
  'Asking the right question saves more work than finding a quick answer.',
  'The best results come where theory and practice meet.',
  'A rough plan made today beats a perfect one next month.',
  'Some things only become visible from a distance.',
  'Limits are useful, because they force a decision.',
  'The people involved matter at least as much as the method.',
  'A test on a small scale shows quickly what needs to change.',
  'Old solutions deserve a second look before new ones are invented.',
  'Keeping things plain makes them easier to repair.',
  'Seen as a whole, the pattern is easier to follow.',
  'Once the foundation is in place, the rest tends to follow.',
] as const

const closers = [
  'That is the short version of {t}.',
  'Tell me which part of {t} interests you most, and I can say more.',
  'From here, {t} can be explored in as much depth as you like.',
  'I can go into more detail on any of these points.',
  'With that in mind, {t} should hold fewer surprises.',
  'If you tell me more about your case, I can be more specific.',
  'Those are the main points about {t}.',
  'Keep this in mind, and {t} will soon feel familiar.',
  'Let me know if you would like an example.',
  'A sensible next move is to try it out on something small.',
  'All of this becomes clearer with some experience.',
] as const

const leads = [
  'With {t}, ',
  'When it comes to {t}, ',
  'For {t}, ',
  'In the case of {t}, ',
  'As for {t}, ',
  'On the subject of {t}, ',
  'If there is one thing to know about {t}, it is this: ',
  'In short, for {t}, ',
] as const

const greetings = [
  'Hello! How can I help you today?',
  'Hi there! What can I do for you?',
  'Hello! What would you like to talk about?',
  'Hi! How may I help?',
  'Good to hear from you. What can I help you with?',
] as const
/** They close a text of so many words. */
const shorts = ['It depends.', 'Small steps help.', 'A clear purpose helps.', 'Good examples teach the most.']
const titles = [
  'A Closer Look at {t}',
  'What to Know about {t}',
  'A Short Guide to {t}',
  'Notes on {t}',
] as const
/** For answers of one word, and for lists within a line. */
export const singleWords = 'Essential Worthwhile Remarkable Surprising Practical Versatile Rewarding'.split(
  ' ',
)

/** The sentences without a topic, as they begin a text and as they follow a blank. */
export function fixedSentences(): readonly string[] {
  const fixed = [...bodies, ...closers].filter((sentence) => !sentence.includes('{t}'))
  return fixed.flatMap((sentence) => [sentence, ` ${sentence}`])
}

/** `verbosity` of the APIs that have it: the length of an answer when the prompt asks for none. */
export type Verbosity = 'low' | 'medium' | 'high'
const sentences = { low: [1, 2], medium: [3, 5], high: [7, 10] } as const

/** A text about the topic of the prompt, as long as it asks for. No sentence is repeated. */
export function prose(
  prompt: string,
  random: Random,
  verbosity: Verbosity = 'medium',
  length = requestedLength(prompt),
): string {
  const topic = topicOf(prompt)
  if (topic === undefined) return random.pick(greetings)
  // The bodies in an order of the seed, then again behind each of the leads.
  const start = random.integer(0, bodies.length - 1)
  const step = random.integer(1, bodies.length - 1)
  let used = 0
  // A topic may hold `$&`, which means something to `replace`.
  const filled = (template: string): string => {
    const at = template.indexOf('{t}')
    return at < 0 ? template : template.slice(0, at) + topic + template.slice(at + 3)
  }
  const behind = (lead: string, body: string): string =>
    filled(lead) + body.slice(0, 1).toLowerCase() + body.slice(1)
  const next = (): string => {
    const body = bodies[(start + used * step) % bodies.length] as string
    const round = Math.floor(used++ / bodies.length)
    return round === 0 ? body : behind(leads[(round - 1) % leads.length] as string, body)
  }
  const led = (): string => behind(random.pick(leads), next())
  const text = (count: number, opens = true, closes = true): string => {
    if (count === 1 && opens) return led()
    const all = opens ? [filled(random.pick(openers))] : []
    while (all.length < count - (closes ? 1 : 0)) all.push(next())
    return (closes ? [...all, filled(random.pick(closers))] : all).join(' ')
  }
  const { unit = 'sentence', least = sentences[verbosity][0], most = sentences[verbosity][1] } = length ?? {}
  const count = least === most ? least : random.integer(least, most)
  const all = (write: (at: number) => string): string[] => Array.from({ length: count }, (_, at) => write(at))
  switch (unit) {
    case 'sentence':
      return text(count)
    case 'word':
      return count === 1 ? random.pick(singleWords) : inWords(count, led(), next)
    case 'title':
      return /^“|^(?:an?|the) (?:\S+ ){0,3}(?:title|headline|slogan|tagline)\b/i.test(topic)
        ? 'A Closer Look'
        : random.pick(titles).replace('{t}', () => inTitleCase(topic))
    case 'line':
      return all((at) => (at === 0 ? led() : next())).join('\n')
    case 'paragraph':
      return all((at) => text(random.integer(3, 4), at === 0, at === count - 1)).join('\n\n')
    case 'item':
      return list(topic, length as RequestedLength, all(next))
  }
}

/** As many whole sentences of a text as fit into so many characters. */
export function within(allowed: number, text: string): string {
  if (text.length <= allowed) return text
  const ends = [...text.slice(0, allowed + 1).matchAll(/[.!?](?=\s)/g)]
  const last = ends.at(-1)?.index
  return last === undefined ? (shorts[0] as string).slice(0, allowed) : text.slice(0, last + 1)
}

const inTitleCase = (text: string): string =>
  text.replace(/(?<![\p{L}'’])\p{Ll}(?=\p{L}{3})/gu, (letter) => letter.toUpperCase())

function wordsOf(text: string): number {
  let count = 1
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) count++
  return count
}

/** Whole sentences of so many words together, two at least. */
function inWords(count: number, first: string, next: () => string): string {
  const said: string[] = []
  let room = count
  const fits = (sentence: string): boolean => wordsOf(sentence) === room || wordsOf(sentence) <= room - 2
  const isNew = (sentence: string): boolean =>
    !said.some((one) => one.toLowerCase().endsWith(sentence.toLowerCase()))
  const enders = [...bodies, ...shorts, 'The details matter more than expected.']
  const among = (isFit: (sentence: string) => boolean): string | undefined =>
    enders.find((one) => wordsOf(one) === room && isFit(one)) ?? enders.find((one) => fits(one) && isFit(one))
  for (let one: string | undefined = first; room > 0; one = room > 17 ? next() : undefined) {
    const sentence = one !== undefined && fits(one) ? one : ((among(isNew) ?? among(() => true)) as string)
    said.push(sentence)
    room -= wordsOf(sentence)
  }
  return said.join(' ')
}

/** Items with a line in front, unless the items alone are asked for. */
function list(topic: string, { noun, style }: RequestedLength, items: readonly string[]): string {
  const { length } = items
  if (style === 'commas') return items.map((_, at) => singleWords[at] ?? `Option ${at + 1}`).join(', ')
  if (style === 'lines') return items.join('\n')
  const marked = items.map((item, at) => `${style === 'bullets' ? '-' : `${at + 1}.`} ${item}`)
  const named = noun === topic ? 'notes' : noun
  return `Here ${length === 1 ? 'is' : 'are'} ${length} ${named} on ${topic}:\n\n${marked.join('\n')}`
}
