/** Short English texts about a topic, for properties such as titles, summaries, steps and reasons. */
import type { Random } from '../../engine/random.ts'

// `{t}` is the topic. Each list is long enough that an array of a few items has no repeats.
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  title: [
    'A closer look at {t}',
    'Notes on {t}',
    'The essentials of {t}',
    'Understanding {t}',
    'A short guide to {t}',
    '{T} at a glance',
    'What to know about {t}',
    'Getting started with {t}',
  ],
  subject: ['About {t}', 'A question on {t}', 'Next steps for {t}', 'Update on {t}', 'Planning for {t}'],
  description: [
    'A clear and practical overview of {t}.',
    'A well-rounded choice with everything needed for {t}.',
    'Covers the main points of {t} in plain terms.',
    'A compact account of {t}, made for everyday use.',
    'An easy introduction to {t} with a few worked examples.',
  ],
  summary: [
    'In short, {t} comes down to a few clear points.',
    'The main points of {t} are covered, with the details kept brief.',
    'Overall, {t} is straightforward once the basics are in place.',
    'This gives the key facts about {t} and leaves out the rest.',
    'The outcome for {t} is positive, with two things left to watch.',
  ],
  explanation: [
    'This follows directly from what was said about {t}.',
    'The details given for {t} point to this.',
    'Going through {t} one part at a time leads here.',
    'Of the options for {t}, this one fits the request best.',
    'The facts at hand about {t} leave little doubt.',
    'Comparing the cases of {t} makes this the sound choice.',
  ],
  answer: [
    'The short answer on {t} is yes, with a few conditions.',
    'For {t}, the first option works best.',
    'It depends on the details of {t}, but it can be done.',
    'Here is what matters most about {t}.',
    'All in all, {t} works out as expected.',
  ],
  message: [
    'Thanks for the note about {t}. Everything is ready to go.',
    'Here are the details on {t}, as agreed.',
    'A quick update on {t}: the plan stands and the work has started.',
    'Please take a look at {t} when there is a moment.',
    'Good news about {t}: it went better than planned.',
  ],
  question: [
    'What matters most about {t}?',
    'Which part of {t} should come first?',
    'When is {t} needed?',
    'Who is {t} meant for?',
    'How much detail on {t} would help?',
    'Are there any limits on {t}?',
  ],
  quote: [
    'Small steps carry far.',
    'Good work is quiet work.',
    'Start where things are simple.',
    'A clear question is half the answer.',
    'What is measured well is done well.',
  ],
  step: [
    'Collect the details of {t}.',
    'Break the work into small parts.',
    'Do the first part and check the result.',
    'Carry on with the next part in the same way.',
    'Compare the result with what was asked.',
    'Correct whatever does not fit.',
    'Write down what was found.',
    'Share the result and note the next step.',
    'Review everything once more.',
    'Close the task and file the notes.',
  ],
  pro: [
    'It is easy to set up.',
    'It saves a good deal of time.',
    'The results are consistent.',
    'It works well with what is already there.',
    'The cost stays low.',
    'It is simple to explain to others.',
    'It leaves room to grow.',
  ],
  con: [
    'It needs some time to learn.',
    'It depends on good input data.',
    'The first setup takes a while.',
    'It is less flexible than doing it by hand.',
    'Costs may grow with use.',
    'It needs a check from time to time.',
  ],
  sentence: [
    'This covers {t}.',
    'A sound choice for {t}.',
    'Worth a closer look at {t}.',
    'A plain example of {t}.',
    'Useful for {t}.',
    'A typical case of {t}.',
  ],
}

/** Whether the values of a kind of property are sentences. */
export function isProseKind(kind: string): boolean {
  return Object.hasOwn(SENTENCES, kind)
}

/**
 * A text of a kind about `topic`. Items of one array pass their `index` and a shared source, so that they
 * differ.
 */
export function sentenceFor(kind: string, topic: string, random: Random, index: number): string {
  const list = SENTENCES[kind] ?? (SENTENCES.sentence as readonly string[])
  const start = kind === 'step' ? 0 : random.integer(0, list.length - 1)
  const text = list[(start + index) % list.length] as string
  return text.replace('{t}', topic).replace('{T}', `${topic.slice(0, 1).toUpperCase()}${topic.slice(1)}`)
}

/** Sentences until the text has at least `length` characters. */
export function longText(topic: string, random: Random, length: number): string {
  const list = Object.values(SENTENCES)
    .flat()
    .filter((one) => one.endsWith('.'))
  let text = ''
  for (let at = random.integer(0, list.length - 1); text.length < length; at++) {
    text += `${text === '' ? '' : ' '}${(list[at % list.length] as string).replace('{t}', topic)}`
  }
  return text
}
