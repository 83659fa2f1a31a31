/** Invented texts and usual numbers for the names of properties. */
import type { Faker } from '@faker-js/faker'
import type { Random } from '../../engine/random.ts'
import type { UsualNumbers } from './fill-number.ts'

export type FakerLike = Faker

export interface Fakes {
  /** A fake of a kind. The same source gives the same fake; one person's name and address belong together. */
  text(kind: Kind, random: Random): string
  /** One English adjective or noun. */
  word(part: 'adjective' | 'noun', random: Random): string
}

/**
 * Creates the fakes of one faker, whose data and class alone are used. Only a constructor takes a
 * `randomizer`, and `seed()` is many times slower than a source that is replaced for each draw.
 */
export function createFakes(faker: FakerLike): Fakes {
  let source: Random | undefined
  const randomizer = {
    next(): number {
      if (source === undefined) throw new Error('fakes: a draw without a source')
      return source.next()
    },
    seed(): void {},
  }
  const Keyed = faker.constructor as new (options: {
    locale: unknown
    randomizer: typeof randomizer
  }) => Faker
  const keyed = new Keyed({ locale: faker.rawDefinitions, randomizer })
  const draw = (random: Random, write: (faker: Faker) => string): string => {
    source = random
    try {
      return write(keyed)
    } finally {
      source = undefined
    }
  }
  return {
    text: (kind, random) => draw(random, (one) => kinds[kind](one, random)),
    word: (part, random) => draw(random, (one) => one.word[part]()),
  }
}

/** Real places that belong together; the cities of faker are invented. */
const places = [
  ['Amsterdam', 'Netherlands', 'NL', 'Europe/Amsterdam'],
  ['Boston', 'United States', 'US', 'America/New_York'],
  ['Cape Town', 'South Africa', 'ZA', 'Africa/Johannesburg'],
  ['Dublin', 'Ireland', 'IE', 'Europe/Dublin'],
  ['Hamburg', 'Germany', 'DE', 'Europe/Berlin'],
  ['Kyoto', 'Japan', 'JP', 'Asia/Tokyo'],
  ['Lisbon', 'Portugal', 'PT', 'Europe/Lisbon'],
  ['Melbourne', 'Australia', 'AU', 'Australia/Melbourne'],
  ['Montreal', 'Canada', 'CA', 'America/Toronto'],
  ['Seoul', 'South Korea', 'KR', 'Asia/Seoul'],
] as const

type Write = (faker: Faker, random: Random) => string

const place =
  (column: 0 | 1 | 2 | 3): Write =>
  (_, random) =>
    random.pick(places)[column]
const oneOf =
  (list: readonly string[]): Write =>
  (_, random) =>
    random.pick(list)
const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '')
// All kinds of a person draw the first name first.
const login = ({ person }: Faker): string => `${slug(person.firstName())}.${slug(person.lastName())}`

/** Addresses, domains and phone numbers are reserved for examples. */
const kinds = {
  name: ({ person }) => `${person.firstName()} ${person.lastName()}`,
  firstName: ({ person }) => person.firstName(),
  lastName: ({ person }) => [person.firstName(), person.lastName()][1] as string,
  username: login,
  email: (faker) => `${login(faker)}@example.com`,
  phone: (_, random) => `+1 555 01${random.integer(10, 99)}`,
  city: place(0),
  country: place(1),
  countryCode: place(2),
  timezone: place(3),
  address: ({ location }, random) =>
    `${random.integer(1, 240)} ${location.street()}, ${random.pick(places)[0]}`,
  zip: (_, random) => String(random.integer(10_000, 99_999)),
  company: ({ person }, random) =>
    `${person.lastName()} ${random.pick(['Labs', 'Group', 'Foods', 'Studio'])}`,
  product: ({ commerce }) => commerce.productName(),
  job: ({ person }) => person.jobTitle(),
  url: ({ word }) => `https://example.com/${slug(word.noun())}`,
  domain: ({ word }) => `${slug(word.noun())}.example.com`,
  path: ({ word }, random) => `/data/${slug(word.noun())}.${random.pick(['txt', 'csv', 'pdf'])}`,
  id: ({ word }, random) => `${slug(word.noun()).slice(0, 3)}_${random.hex(8)}`,
  currency: oneOf(['USD', 'EUR', 'GBP', 'JPY', 'CHF']),
  color: oneOf(['red', 'blue', 'green', 'yellow', 'orange', 'purple', 'black', 'white']),
  unit: oneOf(['kg', 'g', 'l', 'ml', 'cm', 'm', 'km']),
  language: oneOf(['English', 'French', 'German', 'Spanish', 'Italian', 'Japanese']),
  date: (_, random) => `2026-${pad(random.integer(1, 12))}-${pad(random.integer(1, 28))}`,
  time: (_, random) => `${pad(random.integer(8, 20))}:${pad(random.integer(0, 11) * 5)}`,
  version: (_, random) => `${random.integer(1, 4)}.${random.integer(0, 12)}.${random.integer(0, 9)}`,
  word: ({ word }) => word.noun(),
  sentence: ({ lorem: _, word }) => `The ${word.adjective()} ${word.noun()} is ${word.adjective()}.`,
} satisfies Readonly<Record<string, Write>>

const pad = (number: number): string => String(number).padStart(2, '0')

export type Kind = keyof typeof kinds

/** The last words of names, for kinds that are called otherwise. */
const kindsOfNames: Readonly<Record<string, Kind>> = {
  person: 'name',
  author: 'name',
  customer: 'name',
  'full name': 'name',
  'given name': 'firstName',
  'first name': 'firstName',
  'last name': 'lastName',
  surname: 'lastName',
  'family name': 'lastName',
  user: 'username',
  login: 'username',
  'user name': 'username',
  mail: 'email',
  telephone: 'phone',
  mobile: 'phone',
  location: 'city',
  place: 'city',
  town: 'city',
  destination: 'city',
  origin: 'city',
  nation: 'country',
  'country code': 'countryCode',
  street: 'address',
  postcode: 'zip',
  'postal code': 'zip',
  'zip code': 'zip',
  organization: 'company',
  employer: 'company',
  brand: 'company',
  'job title': 'job',
  occupation: 'job',
  link: 'url',
  uri: 'url',
  website: 'url',
  host: 'domain',
  file: 'path',
  filename: 'path',
  folder: 'path',
  identifier: 'id',
  key: 'id',
  code: 'id',
  colour: 'color',
  day: 'date',
  birthday: 'date',
  deadline: 'date',
  tag: 'word',
  keyword: 'word',
  category: 'word',
  description: 'sentence',
  summary: 'sentence',
  text: 'sentence',
  content: 'sentence',
  message: 'sentence',
  comment: 'sentence',
  explanation: 'sentence',
  reason: 'sentence',
  answer: 'sentence',
  note: 'sentence',
}

/** The words of a name in lower case, its plural as singular: `userEmails` is `user email`. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .slice(0, 100)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
  return words.map((word) => (word.length > 3 ? word.replace(/(?<![su])s$/, '').replace(/ie$/, 'y') : word))
}

/** The kind of text that a property holds, by the last two words or the last word of its name. */
export function kindOf(name: string): Kind | undefined {
  const words = wordsOf(name)
  for (const last of [words.slice(-2).join(' '), words.at(-1) ?? '']) {
    if (Object.hasOwn(kindsOfNames, last)) return kindsOfNames[last]
    if (Object.hasOwn(kinds, last)) return last as Kind
  }
  return undefined
}

/** Usual numbers by the last word of a name. */
const numbersOfNames: Readonly<Record<string, readonly [low: number, high: number, decimals?: number]>> = {
  age: [18, 75],
  year: [2020, 2026],
  month: [1, 12],
  hour: [0, 23],
  minute: [5, 55],
  latitude: [-60, 70, 4],
  lat: [-60, 70, 4],
  longitude: [-180, 180, 4],
  lon: [-180, 180, 4],
  temperature: [-5, 32, 1],
  percent: [5, 95],
  percentage: [5, 95],
  price: [5, 250, 2],
  cost: [5, 250, 2],
  amount: [5, 250, 2],
  total: [5, 250, 2],
  rating: [3, 5, 1],
  score: [0.5, 0.99, 2],
  confidence: [0.5, 0.99, 2],
  probability: [0.5, 0.99, 2],
  count: [1, 10],
  quantity: [1, 10],
  timestamp: [1_767_225_600, 1_798_761_599],
}

export function usualNumbers(name: string, isWhole: boolean): UsualNumbers {
  const last = wordsOf(name).at(-1) ?? ''
  const [low, high, decimals = 0] = Object.hasOwn(numbersOfNames, last)
    ? (numbersOfNames[last] ?? [1, 100])
    : [1, 100, 2]
  if (!isWhole) return { low, high, decimals }
  return high < 1
    ? { low: 50, high: 99, decimals: -1 }
    : { low: Math.ceil(low), high: Math.floor(high), decimals: -1 }
}
