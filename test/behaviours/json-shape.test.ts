/** What prompts say of JSON: whether they ask for it, and in what shape. */
import { describe, expect, it } from 'vitest'
import { jsonWish } from '../../src/behaviours/prompt/json-shape.ts'

describe('a prompt asks for JSON', () => {
  it.each([
    'Tell me about cats. Respond only in JSON.',
    'Three colours as JSON',
    'Answer in this format: {"answer": "..."}',
    'Produce an instance of this schema: {"type":"object","properties":{"a":{"type":"integer"}}}',
  ])('%s', (prompt) => {
    expect(jsonWish(prompt)).toBeTypeOf('object')
  })

  it.each([
    'What is JSON?',
    'Explain this JSON: {"a": 1}',
    'Write a function that returns JSON',
    'My server returns JSON and I get an error. Why?',
    'Convert {"a": 1} to YAML.',
    'My name is {name} and I like {thing}',
    'No JSON please. Tell me about cats.',
  ])('unlike: %s', (prompt) => {
    expect(jsonWish(prompt)).toBeUndefined()
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
    '{ name: string; tags: string[]; age?: number; users: { id: number }[] }',
    {
      name: text,
      tags: texts,
      age: { type: 'number' },
      users: { type: 'array', items: expect.objectContaining({ properties: { id: { type: 'number' } } }) },
    },
    ['name', 'tags', 'users'],
  ],
  [
    '{"mood": "good" | "bad", "next": string | null, "stars": <1-5>}',
    {
      mood: { enum: ['good', 'bad'] },
      next: { anyOf: [text, { type: 'null' }] },
      stars: { ...whole, minimum: 1, maximum: 5 },
    },
  ],
  ['JSON with keys "title", "year" and tags', { title: text, year: whole, tags: texts }],
  [
    'JSON with:\n- dish (string)\n- minutes: number, optional\n- vegan (boolean)',
    { dish: text, minutes: { type: 'number' }, vegan: { type: 'boolean' } },
    ['dish', 'vegan'],
  ],
])('the shape of %j', (notation, properties, required = Object.keys(properties)) => {
  expect(jsonWish(`Return ${notation}`)?.schema).toMatchObject({ type: 'object', properties, required })
})

it('an array of so many objects is asked for', () => {
  expect(jsonWish('Return a JSON array of 3 objects with id and title')).toMatchObject({
    list: 'objects',
    schema: { properties: { objects: { minItems: 3, maxItems: 3, items: { required: ['id', 'title'] } } } },
  })
})
