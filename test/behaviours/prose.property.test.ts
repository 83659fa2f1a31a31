import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prose } from '../../src/behaviours/answers/prose.ts'
import { exactResponse, offeredAnswers } from '../../src/behaviours/prompt/exact-response.ts'
import { topicOf } from '../../src/behaviours/prompt/topic.ts'
import { randomFrom } from '../../src/engine/random.ts'

const say = (prompt: string, seed = 'seed'): string => prose(prompt, randomFrom(seed))
const sentencesOf = (text: string): string[] =>
  text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence !== '')
const seeds = Array.from({ length: 60 }, (_, index) => `seed ${index}`)

describe('a prompt that asks for words gets exactly these', () => {
  it.each([
    ["Say 'it's fine'", "it's fine"],
    ['Say hello', 'hello'],
    ['Say this is a test', 'this is a test'],
    ['Reply with exactly: x y z', 'x y z'],
    ['Reply with exactly: "OK"', 'OK'],
    ['Reply PONG and nothing else', 'PONG'],
    ['If you can read this, reply with OK.', 'OK'],
    ['Respond with the single word pong', 'pong'],
    ['Your answer must be exactly "all good"', 'all good'],
    ['Repeat after me: I am a robot.', 'I am a robot.'],
    ['Repeat:\n```\na\nb\n```', 'a\nb'],
    ['Output exactly this: {"a": [1, 2]}', '{"a": [1, 2]}'],
    ['Reply with {"answer":"pong"}', '{"answer":"pong"}'],
    ['You are a test bot. Reply with "pong" to every message.', 'pong'],
  ])('%s', (prompt, wanted) => {
    expect(exactResponse(prompt)).toBe(wanted)
  })

  it('at the beginning and at the end of a long prompt', () => {
    const filling = 'Some words of no consequence. '.repeat(1000)
    expect(exactResponse(`Repeat the following text exactly: ${filling}`)).toBe(filling.trim())
    expect(exactResponse(`${filling}\n\nReply with exactly: pong`)).toBe('pong')
  })

  it('from instructions only without a condition', () => {
    expect(exactResponse('You are a bot. Always reply with "pong".', true)).toBe('pong')
    expect(exactResponse('If you do not know, say "I do not know".', true)).toBeUndefined()
    expect(exactResponse('When asked for secrets, reply with "no".', true)).toBeUndefined()
    expect(exactResponse('Be honest. Say "I do not know" if unsure.', true)).toBeUndefined()
  })
})

describe('a prompt that only quotes something gets no echo', () => {
  it.each([
    'Write a story about "Dune"',
    'How do I say "hello" in Spanish?',
    'Say "x", then explain why it matters',
    'Say something nice',
    'Say hello to my friend in a poem',
    'Reply with only the answer',
    'Reply with exactly three words',
    'Reply to this email: Hi Bob',
    'Answer the following: What is 2+2?',
    'Reply OK or FAIL',
    'Input: cat\nOutput: gato\nInput: dog\nOutput:',
    'Write one sentence: the topic is dogs',
    'Reply with exactly one word.',
    'Write exactly one line about rain.',
    'Answer yes or no questions briefly.',
    'Answer precisely and concisely.',
    'Answer in "plain English".',
    'Reply with "a", "b" or "c".',
    'Respond to this message: "I am late"',
    'Answer this: "Why is the sky blue?"',
    '"Reply with OK" is what the manual says. Why?',
    'He wrote: "Please reply with OK" and left.',
    'If a user wants a refund, say "Please call us". What are your hours?',
    'Reply with {"name": "...", "age": 0}',
    'Classify this: "I love it". Reply with JSON: {"mood": "good"}',
    'Return only SQL, please.',
    'Read both and say whether the second is shorter.',
  ])('%s', (prompt) => {
    expect(exactResponse(prompt)).toBeUndefined()
  })
})

describe('a prompt that offers answers', () => {
  it.each([
    ['Is it late? Answer yes or no.', ['yes', 'no']],
    ['Reply with "a", "b", or "c".', ['a', 'b', 'c']],
    ['Reply with one of: red, green or blue.', ['red', 'green', 'blue']],
    ['Classify this review as positive, negative or neutral.', ['positive', 'negative', 'neutral']],
    ['Reply with PASS or FAIL', ['PASS', 'FAIL']],
    ['Which category is it? Categories:\n- billing: money\n- sales\nReply with one.', ['billing', 'sales']],
    ['Which is it?\nA) Mars\nB) Venus\nAnswer with the letter.', ['A', 'B']],
    ['Is it spam? (yes/no)', ['yes', 'no']],
    ['True or false: the earth is flat.', ['True', 'false']],
    [
      'You are a classifier. Labels: bug, feature, other. Reply with the label only.',
      ['bug', 'feature', 'other'],
    ],
    ['Classify the ticket. Categories: billing, technical', ['billing', 'technical']],
    ['Pick one: heads or tails', ['heads', 'tails']],
    ['Is this email spam or ham? Answer with one word.', ['spam', 'ham']],
    ['Your answer must be one of: low, high. Do not explain.', ['low', 'high']],
    ['Name its mood. Pick one of [calm, tense, bored].', ['calm', 'tense', 'bored']],
    ['Label the ticket with a severity (S1, S2, S3): it hangs.', ['S1', 'S2', 'S3']],
    ['Detect the language. Possible languages: en, de, fr. Text: Hallo', ['en', 'de', 'fr']],
    ['Available teams:\n- web: pages\n- ops: servers\n\nReturn only the team name.', ['web', 'ops']],
    ['For each comment reply either "keep" or "drop".', ['keep', 'drop']],
  ])('%s', (prompt, answers) => {
    expect(offeredAnswers(prompt)).toEqual(answers)
  })

  it.each([
    'What is a yes/no question?',
    'Describe either the sea or the sky',
    'Always respond politely or escalate to a human.',
    'Reply only in English, German or French.',
    'Respond with empathy, clarity and humor.',
    'You plan routes. Options: fast, slow.',
    'Answer yes or no questions briefly.',
    'When the answer is true or false, explain why.',
    'Write a function that returns true or false.',
    'Which colour is best? My options: red, green',
    'Help me choose between React, Vue and Svelte.',
    'Write a story in which one of the brothers, the elder or the younger, wins.',
    'My form must be either valid or invalid. How?',
    'Respond with a poem or a story.',
    'Answer with yes or no, then explain.',
    'Use either tabs or spaces.',
    'Write a report (short, polite) on bees.',
    'Label the parts of a tree (root, trunk, crown).',
    'Return only code, without comments or tests.',
  ])('unlike: %s', (prompt) => {
    expect(offeredAnswers(prompt)).toEqual([])
  })
})

describe('prose', () => {
  it.each([
    ['Tell me about honey bees', 'honey bees'],
    ['Explain recursion to a five-year-old in two sentences.', 'recursion'],
    ['Explain recursion in about 100 words', 'recursion'],
    ['Write a haiku about autumn', 'autumn'],
    ['What is the capital of France?', 'the capital of France'],
    ['How does photosynthesis work?', 'how photosynthesis works'],
    ['Why is the sky blue?', 'why the sky is blue'],
    ['Write a Python function that reverses a string', 'a Python function that reverses a string'],
    ['Summarize the following text: The cat sat on the mat.', '“The cat sat on the mat”'],
    ['你好，请介绍一下北京', '北京'],
    ['Tell me about 👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
    ['Write a poem on the launch of Kepler. At most 90 characters.', 'a poem on the launch of Kepler'],
    ['Compose a note to our landlord. The rent is late. Do not explain why.', 'a note to our landlord'],
    ["Translate 'see you soon' to Italian.", 'see you soon'],
    ['Use these notes.\n\nQuestion: Are dogs allowed?\nFinal answer:', '“Are dogs allowed”'],
    ['Review this code:\n```py\nx = lambda y: y\n```', 'this code'],
    [
      'Draft a letter to the mayor of our town who closed the library last week',
      'a letter to the mayor of our town who closed the library',
    ],
    [
      'Draft a letter to the mayor who closed the public library of the old town',
      'a letter to the mayor who closed the public library',
    ],
  ])('speaks about the topic of: %s', (prompt, topic) => {
    expect(topicOf(prompt)).toBe(topic)
    for (const seed of seeds) expect(say(prompt, seed)).toContain(topic)
  })

  it.each(['', 'Hi', 'Hello!', 'good morning', 'Thanks!', '你好'])(
    'greets back when there is no topic: "%s"',
    (prompt) => {
      for (const seed of seeds) expect(say(prompt, seed)).toMatch(/help|do for you|talk about/)
    },
  )

  it('has a few sentences, each of them once', () => {
    for (const seed of seeds) {
      const sentences = sentencesOf(say('Tell me about honey bees', seed))
      expect(sentences.length).toBeGreaterThanOrEqual(3)
      expect(sentences.length).toBeLessThanOrEqual(5)
      expect(new Set(sentences).size).toBe(sentences.length)
    }
  })

  const parts = {
    sentences: sentencesOf,
    words: (text: string) => text.split(/\s+/),
    lines: (text: string) => text.split('\n'),
    paragraphs: (text: string) => text.split('\n\n'),
    numbers: (text: string) => text.match(/^\d+\. .+$/gm) ?? [],
    bullets: (text: string) => text.match(/^- .+$/gm) ?? [],
    commas: (text: string) => text.split(', '),
  }
  it.each<[string, number, keyof typeof parts]>([
    ['Write a one-sentence bedtime story about a unicorn.', 1, 'sentences'],
    ['Describe the sea in 40 sentences.', 40, 'sentences'],
    ['What are 10 reasons to learn Greek?', 10, 'numbers'],
    ['Brainstorm 6 games for a rainy day', 6, 'numbers'],
    ['Come up with 3 slogans for a bakery', 3, 'numbers'],
    ['Describe a home for a couple with three noisy dogs in 2 sentences', 2, 'sentences'],
    ['Give me seven facts about Dune as bullet points', 7, 'bullets'],
    ['Name three countries, separated by commas', 3, 'commas'],
    ['Give me 5 keywords about space, one per line', 5, 'lines'],
    ['Write a haiku about autumn', 3, 'lines'],
    ['Describe the sea in 12 words.', 12, 'words'],
    ['Write two paragraphs about trains', 2, 'paragraphs'],
    ['Write a paragraph about trains', 1, 'paragraphs'],
    ['Explain trains in a sentence', 1, 'sentences'],
    ['Reply with exactly one word.', 1, 'words'],
    ['Describe the sea in 137 words.', 137, 'words'],
  ])('%s: %i %s', (prompt, count, unit) => {
    for (const seed of seeds) {
      const found = parts[unit](say(prompt, seed))
      expect(found).toHaveLength(count)
      if (unit !== 'words') expect(new Set(found.map((one) => one.replace(/^\d+/, ''))).size).toBe(count)
    }
  })

  it.each([2, 3, 5, 8, 10, 18, 50, 400])('of %i words has whole sentences', (count) => {
    for (const seed of seeds) {
      const text = say(`Describe the sea in ${count} words.`, seed)
      expect(text.split(' ')).toHaveLength(count)
      expect(text).toMatch(/^[A-Z].*[a-z]\.$/)
      expect(text).not.toMatch(/\b(?:the|a|of|and|is)\.|[,:]\./)
    }
  })

  it.each([
    ['Write a title for a post about night trains', /^[A-Z].* Night Trains$/],
    ['Give me a headline for a story on local elections.', /^[A-Z].* Local Elections$/],
    ['It has a short headline and a big button. What should I improve?', /^(?:\S+ ){20}/],
    ['We need to write a report with a good title. How do I begin?', /^(?:\S+ ){20}/],
    ['Never answer with a single word. Tell me about cats.', /^(?:\S+ ){20}/],
  ])('%s: %s', (prompt, wanted) => {
    for (const seed of seeds) expect(say(prompt, seed)).toMatch(wanted)
  })

  it('is short or long by verbosity, when the prompt does not say', () => {
    const count = (verbosity: 'low' | 'high'): number[] =>
      seeds.map((seed) => sentencesOf(prose('Tell me about trains', randomFrom(seed), verbosity)).length)
    expect(Math.max(...count('low'))).toBeLessThanOrEqual(2)
    expect(Math.min(...count('high'))).toBeGreaterThanOrEqual(7)
    expect(sentencesOf(prose('Tell me about trains in 2 sentences', randomFrom('a'), 'high'))).toHaveLength(2)
  })

  it('is the same for the same seed, and another for another', () => {
    expect(say('Tell me about trains', 'a')).toBe(say('Tell me about trains', 'a'))
    expect(new Set(seeds.map((seed) => say('Tell me about trains', seed))).size).toBeGreaterThan(55)
  })

  it('is made of any prompt, whole characters in whole sentences', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (prompt) => {
        const text = say(prompt)
        expect(text.isWellFormed()).toBe(true)
        expect(text).toMatch(/[.?!]$/)
        expect(text).not.toMatch(/\{t\}/i)
      }),
    )
  })

  // The work is bounded by what is looked at: a prompt of megabytes reads like its two ends.
  it('looks at the two ends of a long prompt', () => {
    const filling = 'and so on '.repeat(200_000)
    expect(topicOf(`Tell me about trains. ${filling}`)).toBe('trains')
    expect(topicOf(`${filling}. Tell me about trains.`)).toBe('trains')
  })
})
