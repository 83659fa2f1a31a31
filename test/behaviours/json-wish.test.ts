/** What prompts say of JSON: whether they ask for it, and in what shape. */
import { describe, expect, it } from 'vitest'
import { describedShape } from '../../src/behaviours/prompt/described-shape.ts'
import { jsonWish } from '../../src/behaviours/prompt/json-wish.ts'

describe('a prompt asks for JSON', () => {
  it.each([
    'Return JSON with name and age.',
    'Tell me about cats. Respond only in JSON.',
    'Three colours as JSON',
    'The output must be valid JSON.',
    'I need the result as JSON',
    'Format: JSON. What is DNA?',
    'Answer in this format: {"answer": "..."}',
    'Produce an instance of this schema: {"type":"object","properties":{"a":{"type":"integer"}}}',
  ])('%s', (prompt) => {
    expect(jsonWish(prompt, true)).toBeTypeOf('object')
  })

  it.each([
    'What is JSON?',
    'Explain this JSON: {"a": 1}',
    'Write a function that returns JSON',
    'How do I return JSON from Express?',
    'My server returns JSON and I get an error. Why?',
    'Write a JSON parser in Rust',
    'JSON is a format used to send data.',
    'Convert {"a": 1} to YAML.',
    'Review this TypeScript: interface A { x: number; y: string }',
    'My name is {name} and I like {thing}',
  ])('unlike: %s', (prompt) => {
    expect(jsonWish(prompt, true)).toBeUndefined()
  })

  it('and may refuse it', () => {
    expect(jsonWish('No JSON please. Tell me about cats.', true)).toBeNull()
  })
})

const text = { type: 'string' }
const texts = { type: 'array', items: text, minItems: 1 }
const whole = { type: 'integer' }

it.each<[string, object, string[]?]>([
  [
    '{"name": "...", "age": 0, "score": 0.5}',
    { name: text, age: whole, score: { type: 'number', minimum: 0, maximum: 1 } },
  ],
  [
    '{ name: string; tags: string[]; age?: number }',
    { name: text, tags: texts, age: { type: 'number' } },
    ['name', 'tags'],
  ],
  [
    '{"mood": "good" | "bad", "next": string | null}',
    { mood: { enum: ['good', 'bad'] }, next: { anyOf: [text, { type: 'null' }] } },
  ],
  [
    'z.object({ level: z.enum(["low", "high"]), count: z.number().int(), note: z.string().optional() })',
    { level: { enum: ['low', 'high'] }, count: whole, note: text },
    ['level', 'count'],
  ],
  [
    '{ users: Array<{ name: str }>, ids: list[int] }',
    {
      users: { type: 'array', items: expect.objectContaining({ properties: { name: text } }) },
      ids: { type: 'array', items: whole },
    },
  ],
  [
    '{\n  "stars": <1-5>, // how good\n  "paid": true\n}',
    { stars: { ...whole, minimum: 1, maximum: 5, description: 'how good' }, paid: { type: 'boolean' } },
  ],
  ['JSON with keys "title", "year" and tags', { title: text, year: whole, tags: texts }],
  [
    'a JSON object with name (string), price (number, optional) and is_open',
    { name: text, price: { type: 'number' }, is_open: { type: 'boolean' } },
    ['name', 'is_open'],
  ],
  [
    'JSON with:\n- dish (string)\n- minutes: number\n- vegan (boolean)',
    { dish: text, minutes: { type: 'number' }, vegan: { type: 'boolean' } },
  ],
])('the shape of %j', (notation, properties, required = Object.keys(properties)) => {
  expect(describedShape(`Return ${notation}`)?.schema).toMatchObject({ type: 'object', properties, required })
})
