/** Writes a few sentences about the topic of a prompt, from the seed. */
import type { Random } from '../../engine/random.ts'
import { mayAskForLength, type RequestedLength, requestedLength } from '../prompt/requested-length.ts'
import { topicOf } from '../prompt/topic.ts'

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
const singleWords = [
  'Essential',
  'Worthwhile',
  'Remarkable',
  'Surprising',
  'Practical',
  'Versatile',
  'Rewarding',
] as const

/** For lists within a line. */
const shortItems = [
  'clear goals',
  'small steps',
  'good timing',
  'honest feedback',
  'simple tools',
  'regular practice',
  'fresh ideas',
  'careful planning',
  'open questions',
  'shared notes',
  'quiet mornings',
  'short breaks',
] as const

/** The sentences without a topic, as they begin a text and as they follow a blank. */
export function fixedSentences(): readonly string[] {
  const fixed = [...bodies, ...closers].filter((sentence) => !sentence.includes('{t}'))
  return fixed.flatMap((sentence) => [sentence, ` ${sentence}`])
}

/** `verbosity` of the APIs that have it: the length of an answer when the prompt asks for none. */
export type Verbosity = 'low' | 'medium' | 'high'

const defaultLength: Readonly<Record<Verbosity, readonly [number, number]>> = {
  low: [1, 2],
  medium: [3, 5],
  high: [7, 10],
}

/** The part of a prompt that says what is asked: between its beginning and its end is the material. */
export const askedPart = (prompt: string): string =>
  prompt.length <= 600 ? prompt : `${prompt.slice(0, 200)}\n${prompt.slice(-400)}`

const anyLength: RequestedLength = { unit: undefined }

/** A text about the topic of the prompt, as long as it asks for. No sentence is repeated. */
export function prose(
  prompt: string,
  random: Random,
  verbosity: Verbosity = 'medium',
  length?: RequestedLength,
): string {
  const asked = prompt.length <= 600 ? prompt : askedPart(prompt)
  const topic = topicOf(asked)
  if (topic === undefined) return random.pick(greetings)
  const wanted = length ?? (mayAskForLength.test(asked) ? requestedLength(asked) : anyLength)
  // The bodies in an order of the seed, then again behind each of the leads.
  const start = random.integer(0, bodies.length - 1)
  const step = random.integer(1, bodies.length - 1)
  let used = 0
  const next = (): string => {
    const body = bodies[(start + used * step) % bodies.length] as string
    const round = Math.floor(used++ / bodies.length)
    return round === 0 ? body : withLead(topic, leads[(round - 1) % leads.length] as string, body)
  }
  if (wanted.unit === undefined) return text(random.integer(...defaultLength[verbosity]), topic, random, next)
  const count = wanted.least === wanted.most ? wanted.least : random.integer(wanted.least, wanted.most)
  switch (wanted.unit) {
    case 'item':
      return items(count, wanted, topic, next)
    case 'word':
      return count === 1
        ? random.pick(singleWords)
        : firstWords(wanted.least, wanted.most, topic, random, next)
    case 'line':
      return Array.from({ length: count }, (_, index) =>
        index === 0 ? withLead(topic, random.pick(leads), next()) : next(),
      ).join('\n')
    case 'character':
      return fitting(wanted.most, text(random.integer(...defaultLength[verbosity]), topic, random, next))
    case 'paragraph':
      return Array.from({ length: count }, (_, index) =>
        text(random.integer(3, 4), topic, random, next, index === 0, index === count - 1),
      ).join('\n\n')
    case 'sentence':
      return text(count, topic, random, next)
  }
}

/** A list of so many items, with a line in front unless the items alone are asked for. */
function items(
  count: number,
  { noun, style, words }: Extract<RequestedLength, { unit: 'item' }>,
  topic: string,
  next: () => string,
): string {
  const item = (index: number): string => {
    const body = next()
    if (style !== 'commas' && words === undefined) return body
    const most = Math.min(words ?? 4, style === 'commas' ? 4 : 1000)
    // The same first words may begin two sentences.
    const cut = body
      .split(' ')
      .slice(0, most)
      .join(' ')
      .replace(/[.,:;]$/, '')
    return style === 'commas' ? (shortItems[index] ?? `${cut} ${index + 1}`).replaceAll(',', '') : `${cut}.`
  }
  const mark = (index: number): string =>
    style === 'bullets' ? '- ' : style === 'numbers' ? `${index + 1}. ` : ''
  const all = Array.from({ length: count }, (_, index) => mark(index) + item(index))
  if (style === 'commas') return all.join(', ')
  if (style === 'lines') return all.join('\n')
  const named = noun === topic ? 'notes' : noun
  return `Here ${count === 1 ? 'is' : 'are'} ${count} ${named} on ${topic}:\n\n${all.join('\n')}`
}

/** The sentences of a text that fit into so many characters, or the words of the first. */
function fitting(most: number, long: string): string {
  if (long.length <= most) return long
  const cut = long.slice(0, most - 1)
  const end = cut.lastIndexOf('. ')
  return end > 0 ? cut.slice(0, end + 1) : `${cut.replace(/\s+\S*$/, '').replace(/[.,:;]$/, '')}.`
}

function text(
  count: number,
  topic: string,
  random: Random,
  next: () => string,
  opens = true,
  closes = true,
): string {
  if (count === 1 && opens) return withLead(topic, random.pick(leads), next())
  const all = opens ? [fillTopic(random.pick(openers), topic)] : []
  while (all.length < count - (closes ? 1 : 0)) all.push(next())
  if (closes) all.push(fillTopic(random.pick(closers), topic))
  return all.join(' ')
}

/** Whole sentences as long as they fit, and as many words of the last as are wanted. */
function firstWords(least: number, most: number, topic: string, random: Random, next: () => string): string {
  if (most < 4) return capitalize(`${random.pick(shortItems)} indeed`.split(' ').slice(0, most).join(' '))
  const first = withLead(topic, random.pick(leads), next()).split(' ')
  // A sentence alone is short enough for any length when it has no lead.
  let words = first.length > most ? next().split(' ') : first
  for (let tries = 0; words.length < least; tries++) {
    const more = next().split(' ')
    if (words.length + more.length <= most || tries > 5) words = [...words, ...more]
  }
  return words.length <= most
    ? words.join(' ')
    : `${words
        .slice(0, most)
        .join(' ')
        .replace(/[.,:;]$/, '')}.`
}

const withLead = (topic: string, lead: string, body: string): string =>
  fillTopic(lead, topic) + body.slice(0, 1).toLowerCase() + body.slice(1)

function fillTopic(template: string, topic: string): string {
  const at = template.indexOf('{t}')
  return at < 0 ? template : template.slice(0, at) + topic + template.slice(at + 3)
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
