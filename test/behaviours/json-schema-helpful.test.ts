/** Filled values take over what the prompt says, and read like text where it says nothing. */
import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import { createFakes } from '../../src/behaviours/json-schema/fakes.ts'
import { readSchema } from '../../src/behaviours/json-schema/read-schema.ts'
import { fillSchema, type JsonValue } from '../../src/behaviours/json-schema/schemas.ts'
import { readPromptFacts } from '../../src/behaviours/prompt/facts.ts'
import { randomFrom } from '../../src/engine/random.ts'

const fakes = createFakes(faker)
const string = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const boolean = { type: 'boolean' }
const code = { type: 'string', maxLength: 3 }
const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more })
const object = (properties: object): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
type Filled = { [name: string]: JsonValue }
const fill = (schema: object, prompt: string, key = prompt, sparing = false): Filled =>
  fillSchema(readSchema(schema), {
    random: randomFrom(key),
    facts: readPromptFacts(prompt, { sparing }),
    fakes,
    sparing,
  }) as Filled
const ask = (prompt: string, properties: object): Filled => fill(object(properties), prompt)

/** The schema of a value by its type: `fields` says what an example alone cannot. */
const schemaFor = (value: unknown): object =>
  Array.isArray(value)
    ? list(schemaFor(value[0]))
    : typeof value === 'number'
      ? Number.isInteger(value)
        ? integer
        : number
      : { type: typeof value }
const oneOf = (...values: string[]): object => ({ enum: values })

describe('what stands in the prompt', () => {
  // The prompt, what comes, and the schemas of fields that are more than their type.
  it.each<[string, object, object?]>([
    ['What is the weather in Paris today?', { location: 'Paris' }],
    ['what is the weather in tokyo', { city: 'Tokyo' }],
    [
      "What's it like in New York, in Fahrenheit?",
      { location: 'New York', unit: 'fahrenheit' },
      { unit: oneOf('celsius', 'fahrenheit') },
    ],
    ['Compare the weather in Paris, London and Rome', { cities: ['Paris', 'London', 'Rome'] }],
    ['Fly me to Rome from Oslo', { from: 'Oslo', to: 'Rome' }],
    [
      'How much are 250 euros in US dollars?',
      { amount: 250, from: 'EUR', to: 'USD' },
      { from: code, to: code },
    ],
    ['A payment of CHF 1250.00 from Ada', { amount: 1250 }],
    ['Extract the payment: row 17,acme,500,EUR', { amount: 500 }],
    [
      'Buy 2 apples, 3 pears and 1 melon.',
      {
        items: [
          { name: 'apples', quantity: 2 },
          { name: 'pears', quantity: 3 },
          { name: 'melon', quantity: 1 },
        ],
      },
      { items: list(object({ name: string, quantity: integer })) },
    ],
    [
      'Olga is 34 and lives in Riga. Ben is 27 and lives in Cork.',
      {
        people: [
          { name: 'Olga', age: 34, city: 'Riga' },
          { name: 'Ben', age: 27, city: 'Cork' },
        ],
      },
      { people: list(object({ name: string, age: integer, city: string })) },
    ],
    ['A deal worth 12,500 EUR', { currency: 'EUR' }, { currency: oneOf('USD', 'EUR', 'GBP') }],
    ['Turn off the light in the kitchen', { room: 'kitchen', on: false }],
    ['Please unlock the garage', { locked: false }],
    ['Lock the garage, please', { locked: true }],
    ['Book 3 tickets for Ada Lovelace', { tickets: 3, passenger_name: 'Ada Lovelace' }],
    [
      'Hello, my name is Ada Lovelace and I am 36 years old.',
      { first_name: 'Ada', last_name: 'Lovelace', age: 36 },
    ],
    [
      'Extract: name: John Smith, age: 42, email: john@example.com',
      { name: 'John Smith', age: 42, email: 'john@example.com' },
    ],
    [
      'Alice and Bob are going to a science fair on Friday.',
      { date: 'Friday', participants: ['Alice', 'Bob'] },
    ],
    ['Search for cheap flights to Rome', { query: 'cheap flights to Rome' }],
    ['Show the top 5 results, maximum 10 per page', { top_k: 5, max_per_page: 10 }],
    [
      'A table for four people at 7:30pm on 2026-03-05, please',
      { party_size: 4, time: '19:30', date: '2026-03-05' },
      { date: { type: 'string', format: 'date' } },
    ],
    [
      'Meet on March 5, 2026 at 3pm',
      { start: '2026-03-05T15:00:00Z' },
      { start: { type: 'string', format: 'date-time' } },
    ],
    ['From 2026-03-05 until 2026-03-09', { start_date: '2026-03-05', end_date: '2026-03-09' }],
    ['Hotels between $50 and $120', { min_price: 50, max_price: 120 }],
    ['Find a laptop under $1,200', { max_price: 1200 }],
    [
      'What is 12 * 30?',
      { a: 12, b: 30, operation: 'multiply' },
      { operation: oneOf('add', 'subtract', 'multiply', 'divide') },
    ],
    [
      'Send an email to bob@example.com with subject "Lunch" saying "See you at noon"',
      { to: 'bob@example.com', subject: 'Lunch', body: 'See you at noon' },
    ],
    ['Create a task called "Buy milk"', { name: 'Buy milk' }],
    [
      'Translate "Good morning" from English to French',
      { text: 'Good morning', source_language: 'English', target_language: 'French' },
    ],
    ['Cancel reservation ABC-123', { reservation_id: 'ABC-123' }],
    ['Open https://example.com/a?b=1.', { url: 'https://example.com/a?b=1' }],
    [
      'Ping 192.0.2.7 and api.example.com',
      { ip: '192.0.2.7', host: 'api.example.com' },
      { ip: { type: 'string', format: 'ipv4' } },
    ],
    ['Call +1 555 010 2233', { phone_number: '+1 555 010 2233' }],
    ['Turn the lights on', { state: 'on' }, { state: oneOf('off', 'on') }],
    ['Paint it dark red, not blue', { color: 'dark red' }, { color: oneOf('blue', 'red', 'dark red') }],
    ['I want action movies', { genre: 'action_movie' }, { genre: oneOf('comedy', 'action_movie', 'drama') }],
    ['I love this product!', { sentiment: 'positive' }, { sentiment: oneOf('negative', 'positive') }],
    ['My budget is 500 dollars', { budget: 500 }],
    [
      'The deadline is Friday. The priority is high.',
      { deadline: 'Friday', priority: 'high' },
      { priority: oneOf('low', 'medium', 'high') },
    ],
    ['Convert 100 USD to EUR', { amount: 100, from_currency: 'USD', to_currency: 'EUR' }],
    ['The stock price of AAPL', { ticker: 'AAPL' }],
    [
      'Invoice #INV-2024-001 from Acme Corp, due 2026-04-01',
      { invoice_number: 'INV-2024-001', vendor: 'Acme Corp', due_date: '2026-04-01' },
    ],
    ['Invite bob@example.com and amy@example.com', { attendees: ['bob@example.com', 'amy@example.com'] }],
    ['Create a quiz about World War II', { title: 'quiz about World War II' }],
    ['Remind me to call Mom tomorrow', { title: 'call Mom', when: 'tomorrow' }],
  ])('%s', (prompt, expected, fields = {}) => {
    const types = Object.entries(expected).map(([name, value]) => [name, schemaFor(value)])
    expect(ask(prompt, { ...Object.fromEntries(types), ...fields })).toEqual(expected)
  })

  it('flags are true unless the prompt speaks against them', () => {
    const flags = { breakfast: boolean, send_notifications: boolean, is_urgent: boolean, refundable: boolean }
    expect(ask("A room with breakfast, don't send notifications, it's not urgent", flags)).toEqual({
      breakfast: true,
      send_notifications: false,
      is_urgent: false,
      refundable: true,
    })
    expect(ask('A room without breakfast', { breakfast: boolean })).toEqual({ breakfast: false })
    expect(ask('dry_run: false', { dry_run: boolean })).toEqual({ dry_run: false })
  })

  it('is taken only where it conforms', () => {
    expect(ask('Book 30 tickets', { tickets: { type: 'integer', maximum: 9 } }).tickets).toBeLessThanOrEqual(
      9,
    )
    expect(ask('Weather in Paris', { city: { type: 'string', pattern: '^[A-Z]{3}$' } }).city).toMatch(
      /^[A-Z]{3}$/,
    )
    expect(ask('Weather in Paris', { city: { type: 'string', maxLength: 4 } }).city).not.toBe('Paris')
  })

  it('is not taken twice by properties that do not ask for the same', () => {
    const { a, b } = ask('Say "hello"', { greeting: string, response: string, a: string, b: string })
    expect([a, b]).not.toContain('hello')
    expect(ask('Call Ada', { caller: string, contact: string, owner: string })).toSatisfy(
      (value: object) => Object.values(value).filter((one) => one === 'Ada').length === 1,
    )
  })

  it('a count gives the length of the list', () => {
    expect(ask('Give me 5 ideas for a party', { ideas: list(string) }).ideas).toHaveLength(5)
    expect(ask('List three books', { books: list(object({ title: string })) }).books).toHaveLength(3)
    expect(ask('List 50 books', { books: list(string, { maxItems: 10 }) }).books).toHaveLength(10)
  })

  it('a bound holds for each result', () => {
    const { hotels } = ask('Find 4 hotels under $80', {
      hotels: list(object({ name: string, price: number })),
    }) as { hotels: { price: number }[] }
    expect(hotels).toHaveLength(4)
    for (const { price } of hotels) expect(price).toBeLessThan(80)
  })

  it('chooses the branch that it speaks of', () => {
    const action = {
      anyOf: [
        object({ kind: { const: 'refund' }, amount: number }),
        object({ kind: { const: 'exchange' }, size: string }),
      ],
    }
    for (const prompt of ['I want a refund of 20 dollars', 'a refund, please'])
      expect(ask(prompt, { action }).action).toMatchObject({ kind: 'refund' })
    for (const prompt of ['I want to exchange this', 'exchange please'])
      expect(ask(prompt, { action }).action).toMatchObject({ kind: 'exchange' })
  })
})

describe('what the schema says', () => {
  it('an example comes before a fake, the prompt before an example', () => {
    const city = { type: 'string', examples: ['Oslo'] }
    expect(ask('Weather?', { city })).toEqual({ city: 'Oslo' })
    expect(ask('Weather in Paris?', { city })).toEqual({ city: 'Paris' })
  })

  it('"e.g." in a description is an example', () => {
    expect(
      ask('Weather?', {
        location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
      }),
    ).toEqual({ location: 'San Francisco, CA' })
    expect(ask('Go', { code: { type: 'string', description: 'IATA code (for example "OSL")' } })).toEqual({
      code: 'OSL',
    })
  })
})

describe('what the names say', () => {
  it.each<[string, object, RegExp | ((value: never) => boolean)]>([
    ['name', string, /^\p{Lu}\p{L}+ \p{Lu}/u],
    ['first_name', string, /^\p{Lu}[\p{L}'-]+$/u],
    ['email', string, /^[a-z.]+@example\.com$/],
    ['phoneNumber', string, /^\+1 555 01\d\d$/],
    ['city', string, /^\p{Lu}/u],
    ['country', string, /^\p{Lu}/u],
    ['shipping_address', string, /^\d+ .+, \p{Lu}/u],
    ['zip_code', string, /^\d{5}$/],
    ['company', string, /^\p{Lu}.* (?:Labs|Group|Industries|Partners|Foods|Systems|Studio|Logistics)$/u],
    ['website', string, /^https:\/\/example\.com\//],
    ['avatar_url', string, /^https:\/\/example\.com\/images\/[a-z]+\.jpg$/],
    ['user_id', string, /^[a-z]{1,3}_[0-9a-f]{8}$/],
    ['currency', string, /^[A-Z]{3}$/],
    ['color', string, /^[a-z]+$/],
    ['createdAt', string, /^2026-\d\d-\d\dT/],
    ['birth_date', string, /^2026-\d\d-\d\d$/],
    ['start_time', string, /^\d\d:\d\d$/],
    ['language', string, /^\p{Lu}[a-z]+$/u],
    ['summary', string, /^\p{Lu}.{20,}\.$/u],
    ['title', string, /^\p{Lu}.{5,}/u],
    ['age', integer, (x: number) => x >= 18 && x <= 75],
    ['year', integer, (x: number) => x >= 2020 && x <= 2026],
    ['month', integer, (x: number) => x >= 1 && x <= 12],
    ['latitude', number, (x: number) => Math.abs(x) <= 90],
    ['longitude', number, (x: number) => Math.abs(x) <= 180],
    ['temperature', number, (x: number) => x >= -5 && x <= 32],
    ['price', number, (x: number) => x >= 5 && x <= 250 && Number.isInteger(Math.round(x * 1e6) / 1e4)],
    ['quantity', integer, (x: number) => x >= 1 && x <= 10],
    ['rating', number, (x: number) => x >= 0 && x <= 5],
    ['confidence', number, (x: number) => x > 0.4 && x < 1],
    ['confidence', { type: 'number', minimum: 0, maximum: 100 }, (x: number) => x >= 50 && x < 100],
    ['status_code', integer, (x: number) => x === 200],
  ])('%s %j', (name, schema, holds) => {
    for (let i = 0; i < 20; i++) {
      const value = fill(object({ [name]: schema }), '', `k${i}`)
      if (holds instanceof RegExp) expect(value[name]).toMatch(holds)
      else expect(value[name]).toSatisfy(holds as (value: unknown) => boolean)
    }
  })

  it('one person has one name, one place is one place', () => {
    const { first_name, last_name, email, city, country, timezone } = ask('', {
      first_name: string,
      last_name: string,
      email: string,
      city: string,
      country: string,
      timezone: string,
    })
    expect(email).toBe(`${first_name}.${last_name}@example.com`.toLowerCase().replace(/[^a-z.@]/g, ''))
    const again = ask('', { city: string, country: string, timezone: string })
    expect(again).toEqual({ city, country, timezone })
  })

  it('two people have two names', () => {
    const { sender, recipient } = ask('', { sender: string, recipient: string })
    expect(sender).not.toBe(recipient)
  })

  it('a name is that of what it belongs to', () => {
    const { product, ingredients } = ask('', {
      product: object({ name: string }),
      ingredients: list(object({ name: string, amount: string })),
    }) as { product: { name: string }; ingredients: { name: string }[] }
    expect(product.name.split(' ').length).toBe(3)
    expect(new Set(ingredients.map(({ name }) => name)).size).toBe(ingredients.length)
  })

  it('steps are sentences, in order and without repeats', () => {
    const steps = ask('', { steps: list(string, { minItems: 6 }) }).steps as string[]
    for (const step of steps) expect(step).toMatch(/^\p{Lu}.+\.$/u)
    expect(new Set(steps).size).toBe(steps.length)
  })

  it('step numbers count', () => {
    expect(ask('', { steps: list(object({ step_number: integer }), { minItems: 3, maxItems: 3 }) })).toEqual({
      steps: [{ step_number: 1 }, { step_number: 2 }, { step_number: 3 }],
    })
  })

  it('days of a plan count', () => {
    expect(
      ask('Plan a 5-day trip', {
        days: integer,
        plan: list(object({ day: integer }), { minItems: 2, maxItems: 2 }),
      }),
    ).toEqual({ days: 5, plan: [{ day: 1 }, { day: 2 }] })
  })

  it('prose speaks of what was asked', () => {
    expect(ask('Write a summary of the history of tea', { summary: string }).summary).toContain(
      'the history of tea',
    )
  })
})

it('lists within lists are filled however much the prompt offers', () => {
  const line = (n: number): string =>
    `Item ${n}: name Widget${n}, ${n} pieces for Bob, due on 2026-04-01; "part ${n}" in Paris for $${n}.99!`
  let schema: object = object({ name: string, count: integer })
  for (let depth = 0; depth < 7; depth++)
    schema = object({ name: string, count: integer, items: list(schema) })
  const value = fill(schema, Array.from({ length: 120 }, (_, n) => line(n)).join('\n'))
  expect(value).toHaveProperty('items.0.items.0.items.0.items.0.items.0.items.0.name')
})

describe('sparing, as the arguments of a tool are', () => {
  const forecast = {
    type: 'object',
    properties: {
      city: string,
      days: integer,
      unit: { enum: ['celsius', 'fahrenheit'] },
      options: object({ hourly: boolean }),
    },
  }
  const sparing = (prompt: string, schema: object): Filled => fill(schema, prompt, prompt, true)
  it.each<[string, object, object]>([
    ['Weather for Lima', { required: ['city'] }, { city: 'Lima' }],
    ['Weather for Lima, in celsius', { required: ['city'] }, { city: 'Lima', unit: 'celsius' }],
    ['Weather for Lima for the next 5 days', { required: ['city'] }, { city: 'Lima', days: 5 }],
    ['Weather for Lima', {}, { city: 'Lima' }],
    ['Weather for Lima', { minProperties: 3 }, { city: 'Lima', days: expect.any(Number) }],
  ])('%s, %j: %j', (prompt, more, expected) => {
    const value = sparing(prompt, { ...forecast, ...more })
    if ('minProperties' in more) expect(value).toMatchObject(expected)
    else expect(value).toEqual(expected)
  })

  it('shows every argument of a tool that requires none, when the prompt says nothing of any', () => {
    expect(Object.keys(sparing('Hello', forecast) as object)).toEqual(['city', 'days', 'unit', 'options'])
  })
})
