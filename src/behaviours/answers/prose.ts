/** Writes prose of a requested length, from the seed. */
import type { Random } from '../../engine/random.ts'

/** Each sentence makes sense alone and after any other. Their number is prime: every step visits all. */
const sentences = [
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

const singleWords = 'Essential Worthwhile Remarkable Surprising Practical Versatile Rewarding'.split(' ')

/** `verbosity` of the APIs that have it: the sentences of an answer when the prompt asks for no length. */
export type Verbosity = 'low' | 'medium' | 'high'
const usual = { low: [1, 2], medium: [3, 5], high: [7, 10] } as const

const small = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const amount = new RegExp(
  String.raw`\b(\d{1,4}|${small.slice(1).join('|')})[ -](?:[a-z]+ )?` +
    String.raw`(word|sentence|line|paragraph|item|point|bullet|step|idea|tip)s?\b`,
  'i',
)

/** The length that a prompt names: a number and its unit, such as `three sentences`, `50 words`, `5 tips`. */
function requestedLength(prompt: string): { count: number; unit: string } | undefined {
  const [, number, unit] =
    amount.exec(prompt.length > 1000 ? `${prompt.slice(0, 500)}\n${prompt.slice(-500)}` : prompt) ?? []
  if (number === undefined || unit === undefined) return undefined
  const written = small.indexOf(number.toLowerCase())
  const count = Math.max(1, written < 0 ? Number(number) : written)
  return { count: Math.min(unit.toLowerCase() === 'word' ? 5000 : 200, count), unit: unit.toLowerCase() }
}

/** A text of the length that the prompt names, else of the usual one. */
export function prose(prompt: string, random: Random, verbosity: Verbosity = 'medium'): string {
  const start = random.integer(0, sentences.length - 1)
  const step = random.integer(1, sentences.length - 1)
  const [least, most] = usual[verbosity]
  const { count, unit } = requestedLength(prompt) ?? { count: random.integer(least, most), unit: 'sentence' }
  if (unit === 'word' && count === 1) return random.pick(singleWords)
  const written: string[] = []
  const needed = unit === 'paragraph' ? 3 * count : count
  for (let index = 0; index < needed; index++)
    written.push(sentences[(start + index * step) % sentences.length] as string)
  switch (unit) {
    case 'word':
      return `${written.join(' ').split(' ').slice(0, count).join(' ').replace(/[,.]$/, '')}.`
    case 'sentence':
      return written.join(' ')
    case 'line':
      return written.join('\n')
    case 'paragraph':
      return written
        .map((sentence, index) => `${sentence}${index % 3 === 2 ? '\n\n' : ' '}`)
        .join('')
        .trim()
    default:
      return written.map((sentence, index) => `${index + 1}. ${sentence}`).join('\n')
  }
}
