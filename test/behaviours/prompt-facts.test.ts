/** What is picked out of a prompt: values as they stand there, with the words around them. */
import { describe, expect, it } from 'vitest'
import { readPromptFacts } from '../../src/behaviours/prompt/facts.ts'
import { promptWords } from '../../src/behaviours/prompt/words.ts'

const values = (facts: readonly { readonly value: unknown }[]): unknown[] => facts.map(({ value }) => value)

describe('words', () => {
  it.each([
    ['firstName', ['first', 'name']],
    ['first_name', ['first', 'name']],
    ['First-Names', ['first', 'name']],
    ['HTTPServer2Url', ['http', 'server2', 'url']],
    ['cities', ['city']],
    ['addresses status analysis boxes', ['address', 'status', 'analysis', 'box']],
    ["don't", ['dont']],
    ['Straße été', ['straße', 'été']],
    ['', []],
  ])('of %j', (text, words) => {
    expect(promptWords(text)).toEqual(words)
  })
})

describe('names', () => {
  it.each<[string, string[]]>([
    ['What is the weather in Paris?', ['Paris']],
    ['Fly from New York to Rio de Janeiro', ['New York', 'Rio de Janeiro']],
    ["Ada's friend is Grace Hopper", ['Ada', 'Grace Hopper']],
    ['Book Paris. Please tell Bob.', ['Paris', 'Bob']],
    ['Send JSON on Monday in English', []],
    ['weather in oslo', ['Oslo']],
    ['what is there in general', []],
    ['Paint the house. Clean my room.', []],
    ['Ask Élodie Müller in Zürich', ['Élodie Müller', 'Zürich']],
  ])('in %j', (prompt, names) => {
    expect(values(readPromptFacts(prompt).names)).toEqual(names)
  })

  it('carry the word in front, which all names of a list share', () => {
    const { names } = readPromptFacts('Compare the weather in Paris, London and Rome')
    expect(names.map(({ before }) => before[0])).toEqual(['in', 'in', 'in'])
  })
})

describe('numbers', () => {
  it.each<[string, number[]]>([
    ['3 tickets, 42 years, 1.5 l', [3, 42, 1.5]],
    ['$1,200.50 and 1,000,000', [1200.5, 1000000]],
    ['three tickets for two', [3, 2]],
    ['5-3 is not -4', [5, 3, -4]],
    ['v2 and ORD-1234 and 2026-03-05 and 3pm', []],
  ])('in %j', (prompt, numbers) => {
    expect(values(readPromptFacts(prompt).numbers)).toEqual(numbers)
  })

  it('carry the words around them, signs as words', () => {
    const [first, second] = readPromptFacts('Buy 3 big boxes for $20.').numbers
    expect(first?.after.slice(0, 2)).toEqual(['big', 'box'])
    expect(second?.before[0]).toBe('dollar')
  })

  it('between two the first is a minimum, the second a maximum', () => {
    expect(readPromptFacts('between $5 and $10').numbers.map(({ before }) => before[0])).toEqual([
      'minimum',
      'maximum',
    ])
  })
})

describe('marked values', () => {
  it('quotations of all kinds, but no apostrophes', () => {
    expect(values(readPromptFacts(`"one" “two” 'three' \`four\` «five» it's Bob's`).quoted)).toEqual([
      'one',
      'two',
      'three',
      'four',
      'five',
    ])
  })

  it('mail addresses and links, without the full stop behind', () => {
    const facts = readPromptFacts('Write to a.b@example.com, see https://example.com/x?y=1#z.')
    expect([values(facts.emails), values(facts.urls)]).toEqual([
      ['a.b@example.com'],
      ['https://example.com/x?y=1#z'],
    ])
  })

  it('dates, written in four ways', () => {
    expect(
      values(readPromptFacts('2026-03-05, March 6, 2026, 7 March 2026 and the 8th of Mar 2026').dates),
    ).toEqual(expect.arrayContaining(['2026-03-05', '2026-03-06', '2026-03-07', '2026-03-08']))
    expect(values(readPromptFacts('2026-13-05 and 2026-02-30').dates)).toEqual([])
  })

  it('times of day', () => {
    expect(values(readPromptFacts('at 3pm, 9:30 am, 14:05 or 12am; not 25:00').times)).toEqual([
      '15:00',
      '09:30',
      '14:05',
      '00:00',
    ])
  })

  it('phone numbers and codes', () => {
    const facts = readPromptFacts('Call +1 (555) 010-2233 about order #4521 and ABC-12')
    expect([values(facts.phones), values(facts.codes)]).toEqual([['+1 (555) 010-2233'], ['4521', 'ABC-12']])
  })

  it('labelled values', () => {
    expect(
      readPromptFacts('Name: Ada Lovelace, age = 36\nThe deadline is next Friday. My city is Oslo').labels,
    ).toEqual([
      { words: ['name'], value: 'Ada Lovelace' },
      { words: ['age'], value: '36' },
      { words: ['deadline'], value: 'next Friday' },
      { words: ['city'], value: 'Oslo' },
    ])
  })
})

describe('the topic', () => {
  it.each([
    ['Please write a poem about the sea', 'a poem about the sea', 'the sea'],
    ["What's the capital of France?", 'the capital of France', 'the capital of France'],
    ['You are helpful.\nSearch for cheap flights to Rome!', 'cheap flights to Rome', 'cheap flights to Rome'],
    ['I love this', 'I love this', ''],
    ['', '', ''],
  ])('of %j is %j, its subject %j', (prompt, topic, subject) => {
    const facts = readPromptFacts(prompt)
    expect([facts.topic, facts.subject]).toEqual([topic, subject])
  })
})

describe('reading', () => {
  it('the same text gives the same facts, asked in any order', () => {
    const text = 'Book 3 tickets to Paris for "Ada" on 2026-03-05'
    const [a, b] = [readPromptFacts(text), readPromptFacts(text)]
    const forwards = [a.names, a.numbers, a.dates]
    const backwards = [b.dates, b.numbers, b.names].reverse()
    expect(forwards).toEqual(backwards)
  })

  it('looks at the end of a long prompt', () => {
    expect(values(readPromptFacts(`Oslo ${'. '.repeat(10_000)} in Paris`).names)).toEqual(['Paris'])
  })

  it.each([
    'a',
    'a-',
    'A',
    '"',
    "'",
    '1',
    '1 ',
    'a@',
    'a.',
    'is ',
    'Aa ',
    '1,',
    'a: ',
    '\n',
    '( ',
    ' ',
    '1(',
    'A1',
    ', ',
    '漢',
    '😀',
    'in a',
    'http://',
  ])('survives nothing but %j', (piece) => {
    const facts = readPromptFacts(piece.repeat(12_000))
    for (const list of Object.values(facts))
      if (typeof list === 'object') expect(list.length).toBeLessThanOrEqual(12_002)
  })
})
