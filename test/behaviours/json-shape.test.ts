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
    'Write a JSON schema for a person.',
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
  ['{name, age}. Maria is 29.', { name: text, age: whole }],
  [
    '{ counts: Record<string, number>; at: Map<string, Date>; when: Date; note: string | undefined }',
    {
      counts: { type: 'object', additionalProperties: { type: 'number' } },
      at: { type: 'object', additionalProperties: text },
      when: text,
      note: text,
    },
  ],
  [
    'JSON with fields tags: list[str], score: Optional[int], extra: dict[str, list[int]]',
    {
      tags: texts,
      score: whole,
      extra: { type: 'object', additionalProperties: { type: 'array', items: whole } },
    },
    ['tags', 'extra'],
  ],
  ['JSON with an array of integers called values', { values: { type: 'array', items: whole } }],
  ['a JSON object, keys name, age only. Bob is 41.', { name: text, age: whole }],
  ['JSON with a "steps" array of exactly 4 strings', { steps: { ...texts, minItems: 4, maxItems: 4 } }],
  [
    'JSON with a "ranking" array of objects with name and score',
    { ranking: { type: 'array', items: expect.objectContaining({ required: ['name', 'score'] }) } },
  ],
  [
    'JSON. Fields: nick, place (street, city, country), rank (low or high)',
    {
      place: expect.objectContaining({ required: ['street', 'city', 'country'] }),
      rank: { enum: ['low', 'high'] },
    },
    ['nick', 'place', 'rank'],
  ],
  [
    'JSON with code and parts (each with label, weight)',
    { parts: { type: 'array', items: expect.objectContaining({ required: ['label', 'weight'] }) } },
    ['code', 'parts'],
  ],
  ['JSON with the keys name and pet: Ole owns one cat', { name: text, pet: text }],
  ['JSON with keys:\n- "reply": text\n\nNotes:\nnone so far', { reply: text }],
])('the shape of %j', (notation, properties, required = Object.keys(properties)) => {
  expect(jsonWish(`Return ${notation}`)?.schema).toMatchObject({ type: 'object', properties, required })
})

it('the names of any kind, with values of one', () => {
  expect(jsonWish('Return JSON:\ninterface Out {\n  [word: string]: number\n}')?.schema).toMatchObject({
    type: 'object',
    additionalProperties: { type: 'number' },
  })
})

const fencedShape = 'Respond in this format:\n```json\n{"title": "string"}\n```\nTopic: gardening'
it.each([
  ['a code block', 'Return JSON with the key a in a code block', true],
  ['fences around it', 'Return JSON {"a": number} wrapped in ```', true],
  ['no fence', 'Return JSON with the key a, not in a code block', false],
  ['a shape in a fence', fencedShape, false],
])('%s: fenced or bare', (_, prompt, fenced) => {
  expect(jsonWish(prompt)?.fenced).toBe(fenced)
  expect(jsonWish(fencedShape)?.rest).not.toContain('`')
})

it.each([
  ['List 3 cities in JSON with name and population.', { type: 'object', required: ['name', 'population'] }],
  ['Return 3 cities as a JSON array of strings.', text],
])('%s: an array of so many', (prompt, items) => {
  expect(jsonWish(prompt)?.schema).toMatchObject({
    properties: { cities: { minItems: 3, maxItems: 3, items } },
  })
})

it.each([
  ['Generate a list of pets as JSON. Keys: kind, name', 'Keys'],
  ['Return JSON matching this TypeScript type:\ntype Pet = { name: string }\nA cat.', 'matching'],
  ['Name the pet in: "A grey cat called Minka sleeps". Return JSON with "name".', '"'],
])('%s: what it is about has no %s', (prompt, word) => {
  expect(jsonWish(prompt)?.rest).not.toContain(word)
})

it('an array of texts is no array of objects', () => {
  expect(
    jsonWish('Extract every phone number mentioned as a JSON array of strings in E.164')?.schema,
  ).toMatchObject({
    properties: { items: { items: text } },
  })
})

it('an array of so many objects is asked for', () => {
  expect(jsonWish('Return a JSON array of 3 objects with id and title')).toMatchObject({
    list: 'objects',
    schema: { properties: { objects: { minItems: 3, maxItems: 3, items: { required: ['id', 'title'] } } } },
  })
})
