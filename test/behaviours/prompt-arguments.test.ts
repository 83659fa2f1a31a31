/** Arguments from prompts in other words: codes, currencies, addresses, venues, rooms, flags, methods, topics. */
import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import { createFakes } from '../../src/behaviours/json-schema/fakes.ts'
import { fillSchema, type JsonValue } from '../../src/behaviours/json-schema/fill-schema.ts'
import { readSchema } from '../../src/behaviours/json-schema/read-schema.ts'
import { readPromptFacts } from '../../src/behaviours/prompt/facts.ts'
import { randomFrom } from '../../src/engine/random.ts'

const fakes = createFakes(faker)
const string = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const boolean = { type: 'boolean' }
const described = (description: string): object => ({ type: 'string', description })

function ask(prompt: string, properties: object, results = '', turn = 0): JsonValue {
  const schema = readSchema({ type: 'object', properties, required: Object.keys(properties) })
  const facts = readPromptFacts(prompt, results)
  return fillSchema(schema, { random: randomFrom(prompt), facts, fakes, turn })
}

type Row = readonly [prompt: string, properties: object, expected: object]

const codes: Row[] = [
  [
    'pls extend my loan of 9780306406157 by 2 weeks',
    { isbn: string, weeks: integer },
    { isbn: '9780306406157', weeks: 2 },
  ],
  [
    "I'm returning 978-0-306-40615-7 today",
    { isbn: described('ISBN, 13 digits') },
    { isbn: '978-0-306-40615-7' },
  ],
  [
    'Transfer 1,499.90 euros to DE89370400440532013000, please.',
    { amount: number, currency: { enum: ['EUR', 'USD', 'GBP'] }, iban: string },
    { amount: 1499.9, currency: 'EUR', iban: 'DE89370400440532013000' },
  ],
  [
    'Wire £250 to GB29 NWBK 6016 1331 9268 19',
    { amount: number, currency: { enum: ['EUR', 'USD', 'GBP'] }, iban: string },
    { amount: 250, currency: 'GBP', iban: 'GB29NWBK60161331926819' },
  ],
  [
    '¥5000 for the taxi',
    { amount: number, currency: { enum: ['USD', 'JPY'] } },
    { amount: 5000, currency: 'JPY' },
  ],
  [
    'Put 3 of TSHIRT-BLK-42 into the cart',
    { sku: string, quantity: integer },
    { sku: 'TSHIRT-BLK-42', quantity: 3 },
  ],
  ['Decode 1HGCM82633A004352', { vin: string }, { vin: '1HGCM82633A004352' }],
  [
    'Where is 1Z999AA10123456784 right now?',
    { tracking_number: string },
    { tracking_number: '1Z999AA10123456784' },
  ],
  ['Apply SUMMER25 to my basket', { coupon: string }, { coupon: 'SUMMER25' }],
  ['Is 4006381333931 in stock?', { ean: string }, { ean: '4006381333931' }],
  ['Look up flight LH441', { flight: described('Flight number') }, { flight: 'LH441' }],
]

const money: Row[] = [
  [
    'How many yen do I get for a Swiss franc? Rate from CHF to JPY',
    { base: described('ISO 4217 code'), target: described('ISO 4217 code') },
    { base: 'CHF', target: 'JPY' },
  ],
  [
    'EUR/SEK, please',
    { base: described('Currency code'), quote: described('Currency code') },
    { base: 'EUR', quote: 'SEK' },
  ],
  ['What is one dollar in euros?', { base: string, target: string }, { base: 'USD', target: 'EUR' }],
  [
    'How many pounds is 100 US dollars?',
    { amount: number, from_currency: string, to_currency: string },
    { amount: 100, from_currency: 'USD', to_currency: 'GBP' },
  ],
  [
    'To CHF I need 300 PLN converted',
    { amount: number, from: described('Currency'), to: described('Currency') },
    { amount: 300, from: 'PLN', to: 'CHF' },
  ],
]

const places: Row[] = [
  [
    'Check the following address: 742 Evergreen Terrace, Springfield, OR 97403.',
    {
      street: string,
      city: string,
      state: described('Two-letter code'),
      zip: { type: 'string', pattern: '^[0-9]{5}$' },
    },
    { street: '742 Evergreen Terrace', city: 'Springfield', state: 'OR', zip: '97403' },
  ],
  ['Ship to 12 Elm Street, Gary, IN 46402', { city: string, state: string }, { city: 'Gary', state: 'IN' }],
  [
    'Weather for Portland, ME',
    { city: string, state: described('Two-letter code') },
    { city: 'Portland', state: 'ME' },
  ],
  [
    'Table for 6 at Osteria Luna on 2025-08-21, outside if possible',
    { restaurant: string, guests: integer, outdoor: boolean },
    { restaurant: 'Osteria Luna', guests: 6, outdoor: true },
  ],
  [
    'Book us a table at Chez Max, four people, 2025-09-05, indoors',
    { restaurant: string, guests: integer, outdoor: boolean },
    { restaurant: 'Chez Max', guests: 4, outdoor: false },
  ],
  [
    'Reserve a room at the Grand Budapest for two nights',
    { hotel: string, nights: integer },
    { hotel: 'Grand Budapest', nights: 2 },
  ],
  ['Get me tickets for the Louvre', { museum: string }, { museum: 'Louvre' }],
  ['How warm is it in the nursery at the moment?', { room: string }, { room: 'nursery' }],
  [
    'make the living room 22.5 degrees',
    { room: string, celsius: number },
    { room: 'living room', celsius: 22.5 },
  ],
  ['Dim the lamp in the study to 30%', { room: string, level: integer }, { room: 'study', level: 30 }],
  ['Open the blinds in the guest room', { room: string }, { room: 'guest room' }],
  ['Vacuum the lobby, please', { room: string }, { room: 'lobby' }],
  ['Is Conference Room B free?', { room: string }, { room: 'Conference Room B' }],
]

const names: Row[] = [
  [
    "Register Tom Baker with tom@example.net; yes, he'd like the newsletter!",
    { first_name: string, last_name: string, newsletter: boolean },
    { first_name: 'Tom', last_name: 'Baker', newsletter: true },
  ],
  ['Enrol Ada Byron in the course', { student: string }, { student: 'Ada Byron' }],
  ['Promote Kim Lee to editor', { user: string }, { user: 'Kim Lee' }],
  [
    'New task:\nTell me the driving distance between Hamburg and Munich.',
    { origin: string, destination: string },
    { origin: 'Hamburg', destination: 'Munich' },
  ],
  [
    'Extract the person: "Rosa Klein, 41, lives in Graz".',
    { name: string, age: integer, city: string },
    { name: 'Rosa Klein', age: 41, city: 'Graz' },
  ],
  [
    'Read the card: "Tim Roth works for Siemens in Berlin."',
    { name: string, city: string },
    { name: 'Tim Roth', city: 'Berlin' },
  ],
  [
    'Hand TCK-1203 over to Priya',
    { ticket_id: string, assignee: string },
    { ticket_id: 'TCK-1203', assignee: 'Priya' },
  ],
]

const wishes: Row[] = [
  ['Find a flat without a balcony', { balcony: boolean }, { balcony: false }],
  ['A seat inside would be great', { outdoor: boolean }, { outdoor: false }],
  ['We would rather sit on the terrace', { indoor: boolean }, { indoor: false }],
  ['One way to Rome', { round_trip: boolean }, { round_trip: false }],
  ['Keep the repository private', { public: boolean }, { public: false }],
  [
    'fetch https://example.com/health for me',
    { method: { enum: ['POST', 'PUT', 'GET', 'DELETE'] } },
    { method: 'GET' },
  ],
  [
    'Is https://example.com/status up?',
    { method: { enum: ['POST', 'PUT', 'GET', 'DELETE'] } },
    { method: 'GET' },
  ],
  ['Get rid of https://example.com/items/4', { method: { enum: ['GET', 'DELETE'] } }, { method: 'DELETE' }],
  ['Submit {"a":1} to https://example.com/get', { method: { enum: ['GET', 'POST'] } }, { method: 'POST' }],
  [
    'Remove https://example.com/items/4',
    { method: { enum: ['GET', 'POST', 'DELETE'] } },
    { method: 'DELETE' },
  ],
  ['HEAD https://example.com/items/4', { method: { enum: ['GET', 'HEAD'] } }, { method: 'HEAD' }],
]

const topics: Row[] = [
  ['find the mails that mention the hotel invoice', { query: string }, { query: 'hotel invoice' }],
  ['Search the wiki for onboarding and read the page you find.', { query: string }, { query: 'onboarding' }],
  ['Are there any documents about parental leave?', { query: string }, { query: 'parental leave' }],
  [
    'Look for messages from the landlord in my inbox',
    { query: string },
    { query: 'messages from the landlord' },
  ],
  ['Please search our docs for how to rotate keys', { query: string }, { query: 'how to rotate keys' }],
  ['number of servings in the lasagna recipe pls', { dish: string }, { dish: 'Lasagna' }],
  ['How long does shakshuka take to make?', { dish: string }, { dish: 'Shakshuka' }],
  ['Three titles for a novel set in Venice, please', { topic: string }, { topic: 'a novel set in Venice' }],
]

describe('an argument is found in other words', () => {
  for (const [kind, rows] of Object.entries({ codes, money, places, names, wishes, topics }))
    it.each(rows)(`${kind}: %s`, (prompt, properties, expected) => {
      expect(ask(prompt, properties)).toEqual(expected)
    })
})

describe('an operand', () => {
  it.each<[string, string, object]>([
    ['Take 14 times 6 and give me the result.', '', { a: 14, b: 6 }],
    ['Divide what you get by 5.', '85', { a: 85, b: 5 }],
    ['divide what you have by 5', '85', { a: 85, b: 5 }],
    ['Take whatever comes out and multiply it by 3', '4', { a: 4, b: 3 }],
    ['Subtract 7 from what is left', '30', { a: 30, b: 7 }],
    ['Deduct 2 from the previous result', '30', { a: 30, b: 2 }],
    ['Multiply the outcome by 3', '4', { a: 4, b: 3 }],
  ])('of "%s" after "%s"', (prompt, results, expected) => {
    expect(ask(prompt, { a: number, b: number }, results)).toEqual(expected)
  })
})
