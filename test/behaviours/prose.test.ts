/** Text without a script: prose of the requested length, the literal of smoke tests, and nothing else. */
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { prose } from '../../src/behaviours/answers/prose.ts'
import { randomFrom } from '../../src/engine/random.ts'
import { simulator } from '../_setup.ts'

const seeds = Array.from({ length: 40 }, (_, index) => `seed ${index}`)
const sentencesOf = (text: string): string[] => text.split(/(?<=\.)\s+/)

async function answer(prompt: string): Promise<string | null> {
  const client = new OpenAI({ baseURL: 'http://gateway.test/v1', apiKey: 'sk-any', fetch: simulator().fetch })
  const messages = [{ role: 'user', content: prompt } as const]
  const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages })
  return choices[0]?.message.content ?? null
}

describe('a prompt that asks for a literal gets it', () => {
  it.each([
    ['Say this is a test', 'this is a test'],
    ['Say hello.', 'hello'],
    ["Say 'it is fine'", 'it is fine'],
    ['Reply with exactly: x y z', 'x y z'],
    ['Please answer with "yes"', 'yes'],
    ['Respond only with the word pong', 'pong'],
  ])('%s', async (prompt, wanted) => {
    expect(await answer(prompt)).toBe(wanted)
  })

  it.each([
    'How do I say "hello" in Spanish?',
    'Reply to this email: Hi Bob',
    'Answer briefly',
    'He will say yes',
  ])('but not: %s', async (prompt) => {
    expect((await answer(prompt))?.length).toBeGreaterThan(20)
  })
})

describe('prose', () => {
  it.each<[string, number, (text: string) => readonly unknown[]]>([
    ['Describe the sea in 40 sentences.', 40, sentencesOf],
    ['Write three sentences about trains', 3, sentencesOf],
    ['Give me 6 ideas for a rainy day', 6, (text) => text.match(/^\d+\. .+$/gm) ?? []],
    ['Five short lines, please', 5, (text) => text.split('\n')],
    ['Write two paragraphs about trains', 2, (text) => text.split('\n\n')],
    ['Describe the sea in 137 words.', 137, (text) => text.split(' ')],
    ['Reply in one word', 1, (text) => text.split(' ')],
    ['Write 9999 words', 5000, (text) => text.split(' ')],
  ])('of the length that the prompt names: %s', (prompt, count, parts) => {
    for (const seed of seeds) expect(parts(prose(prompt, randomFrom(seed)))).toHaveLength(count)
  })

  it('is as long as the verbosity says if the prompt names no length', () => {
    const counts = (verbosity: 'low' | 'medium' | 'high'): number[] =>
      seeds.map((seed) => sentencesOf(prose('Tell me about trains', randomFrom(seed), verbosity)).length)
    expect(Math.max(...counts('low'))).toBe(2)
    expect([Math.min(...counts('medium')), Math.max(...counts('medium'))]).toEqual([3, 5])
    expect(Math.min(...counts('high'))).toBe(7)
  })

  it('is the same for the same seed, another for another, and repeats no sentence', () => {
    const texts = seeds.map((seed) => prose('Trains', randomFrom(seed)))
    expect(texts).toEqual(seeds.map((seed) => prose('Trains', randomFrom(seed))))
    expect(new Set(texts).size).toBeGreaterThan(35)
    for (const text of texts) expect(new Set(sentencesOf(text)).size).toBe(sentencesOf(text).length)
  })
})
