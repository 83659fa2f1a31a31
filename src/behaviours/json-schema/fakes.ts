/**
 * Invented values that look real (people, places, companies, addresses), drawn from a keyed source.
 */
import type { Faker } from '@faker-js/faker'
import type { Random } from '../../engine/random.ts'

/**
 * A ready instance of `@faker-js/faker`, as its locale entries export one. Only its data and class are
 * used, never its generator, so the instance passed in is neither seeded nor advanced.
 */
export type FakerLike = Faker

export interface Fakes {
  /**
   * A fake of a kind (`city`, `email`, `first_name`, …); undefined for a kind without fakes. The same key
   * gives the same fake.
   */
  text(kind: string, random: Random): string | undefined
  /** One English adjective or noun. */
  word(part: 'adjective' | 'noun', random: Random): string
}

/**
 * Creates the fakes of one faker. A second instance is built once from the class and data of the given one
 * (0.1 ms), because only a constructor takes a `randomizer`: `seed()` costs 110 µs, and replacing the source
 * of the randomizer costs nothing.
 */
export function createFakes(faker: FakerLike): Fakes {
  let source: Random | undefined
  const randomizer = {
    next(): number {
      if (source === undefined) throw new Error('fakes: a draw outside of a keyed source')
      return source.next()
    },
    seed(): void {},
  }
  const Keyed = faker.constructor as new (options: {
    locale: unknown
    randomizer: typeof randomizer
  }) => Faker
  const keyed = new Keyed({ locale: faker.rawDefinitions, randomizer })

  const draw = <T>(random: Random, make: (faker: Faker) => T): T => {
    source = random
    try {
      return make(keyed)
    } finally {
      source = undefined
    }
  }

  return {
    text(kind, random) {
      const make = Object.hasOwn(TEXTS, kind) ? TEXTS[kind] : undefined
      return make === undefined ? undefined : draw(random, (one) => make(one, random))
    },
    word: (part, random) => draw(random, (one) => (part === 'noun' ? one.word.noun() : one.word.adjective())),
  }
}

/** Real places that belong together; faker's cities are invented names. */
const CITIES: readonly (readonly [
  city: string,
  country: string,
  code: string,
  state: string,
  timezone: string,
  airport: string,
])[] = [
  ['Amsterdam', 'Netherlands', 'NL', 'North Holland', 'Europe/Amsterdam', 'AMS'],
  ['Athens', 'Greece', 'GR', 'Attica', 'Europe/Athens', 'ATH'],
  ['Barcelona', 'Spain', 'ES', 'Catalonia', 'Europe/Madrid', 'BCN'],
  ['Bogotá', 'Colombia', 'CO', 'Cundinamarca', 'America/Bogota', 'BOG'],
  ['Boston', 'United States', 'US', 'Massachusetts', 'America/New_York', 'BOS'],
  ['Cape Town', 'South Africa', 'ZA', 'Western Cape', 'Africa/Johannesburg', 'CPT'],
  ['Chicago', 'United States', 'US', 'Illinois', 'America/Chicago', 'ORD'],
  ['Copenhagen', 'Denmark', 'DK', 'Capital Region', 'Europe/Copenhagen', 'CPH'],
  ['Dublin', 'Ireland', 'IE', 'Leinster', 'Europe/Dublin', 'DUB'],
  ['Hamburg', 'Germany', 'DE', 'Hamburg', 'Europe/Berlin', 'HAM'],
  ['Helsinki', 'Finland', 'FI', 'Uusimaa', 'Europe/Helsinki', 'HEL'],
  ['Kyoto', 'Japan', 'JP', 'Kansai', 'Asia/Tokyo', 'KIX'],
  ['Lisbon', 'Portugal', 'PT', 'Lisbon', 'Europe/Lisbon', 'LIS'],
  ['Melbourne', 'Australia', 'AU', 'Victoria', 'Australia/Melbourne', 'MEL'],
  ['Montreal', 'Canada', 'CA', 'Quebec', 'America/Toronto', 'YUL'],
  ['Nairobi', 'Kenya', 'KE', 'Nairobi', 'Africa/Nairobi', 'NBO'],
  ['Oslo', 'Norway', 'NO', 'Oslo', 'Europe/Oslo', 'OSL'],
  ['Prague', 'Czechia', 'CZ', 'Bohemia', 'Europe/Prague', 'PRG'],
  ['Seattle', 'United States', 'US', 'Washington', 'America/Los_Angeles', 'SEA'],
  ['Seoul', 'South Korea', 'KR', 'Seoul', 'Asia/Seoul', 'ICN'],
  ['Singapore', 'Singapore', 'SG', 'Singapore', 'Asia/Singapore', 'SIN'],
  ['Vienna', 'Austria', 'AT', 'Vienna', 'Europe/Vienna', 'VIE'],
]

const place =
  (column: 0 | 1 | 2 | 3 | 4 | 5) =>
  (_: Faker, random: Random): string =>
    random.pick(CITIES)[column]
const oneOf = (words: string) => {
  const list = words.split(', ')
  return (_: Faker, random: Random): string => random.pick(list)
}
const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.integer(0, 9)).join('')
const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/gu, '')
const person = (faker: Faker): string => `${faker.person.firstName()} ${faker.person.lastName()}`
const street = (faker: Faker, random: Random): string =>
  `${random.integer(1, 240)} ${faker.location.street()}`

// With one key, `first_name`, `last_name`, `email` and `username` belong to one person, and `city`, `country`
// and `timezone` to one place: each first makes the same draws in the same order. Addresses, domains and
// phone numbers are reserved for examples.
const TEXTS: Readonly<Record<string, (faker: Faker, random: Random) => string>> = {
  person,
  first_name: (faker) => faker.person.firstName(),
  last_name: (faker) => person(faker).split(' ').slice(1).join(' '),
  username: (faker) => `${slug(faker.person.firstName())}.${slug(faker.person.lastName())}`,
  email: (faker) => `${slug(faker.person.firstName())}.${slug(faker.person.lastName())}@example.com`,
  phone: (_, random) => `+1 555 01${digits(random, 2)}`,
  city: place(0),
  country: place(1),
  country_code: place(2),
  state: place(3),
  region: place(3),
  location: place(0),
  timezone: place(4),
  airport: place(5),
  street,
  address(faker, random) {
    const city = random.pick(CITIES)[0]
    return `${street(faker, random)}, ${city}`
  },
  zip: (_, random) => `${random.integer(1, 9)}${digits(random, 4)}`,
  company: (faker, random) =>
    `${faker.person.lastName()} ` +
    `${random.pick(['Labs', 'Group', 'Industries', 'Partners', 'Foods', 'Systems', 'Studio', 'Logistics'])}`,
  product: (faker) => faker.commerce.productName(),
  department: oneOf('Engineering, Marketing, Finance, Operations, Support, Design, Sales'),
  job: oneOf(
    'Software engineer, Project manager, Data analyst, Nurse, Teacher, Architect, Accountant, Chef, ' +
      'Designer, Electrician',
  ),
  url: (faker) => `https://example.com/${slug(faker.word.noun())}`,
  image_url: (faker) => `https://example.com/images/${slug(faker.word.noun())}.jpg`,
  domain: (faker) => `${slug(faker.word.noun())}.example.com`,
  ip: (_, random) => `192.0.2.${random.integer(1, 254)}`,
  path: (faker) => `/data/${slug(faker.word.noun())}/${slug(faker.word.noun())}.txt`,
  file: (faker, random) => `${slug(faker.word.noun())}.${random.pick(['pdf', 'txt', 'csv', 'docx'])}`,
  uuid: (_, random) =>
    `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-` +
    `${random.pick([...'89ab'])}${random.hex(3)}-${random.hex(12)}`,
  id: (faker, random) => `${slug(faker.word.noun()).slice(0, 3)}_${random.hex(8)}`,
  code_text: oneOf("print('Hello'), return a + b, SELECT name FROM users WHERE active, console.log(total)"),
  expression: oneOf('2 + 2, 3 * 7, 10 / 4, 12 - 5'),
  currency: oneOf('USD, EUR, GBP, JPY, CHF, CAD, AUD'),
  color: oneOf('red, blue, green, yellow, orange, purple, black, white, grey, brown, teal, navy'),
  unit: oneOf('kg, g, l, ml, cm, m, km, cup, piece'),
  language: oneOf('English, French, German, Spanish, Italian, Portuguese, Japanese, Korean, Arabic, Hindi'),
  locale: oneOf('en-US, en-GB, fr-FR, de-DE, es-ES, it-IT, ja-JP, pt-BR'),
  time: (_, random) =>
    `${String(random.integer(8, 20)).padStart(2, '0')}:${String(random.integer(0, 11) * 5).padStart(2, '0')}`,
  room: oneOf('kitchen, living room, bedroom, bathroom, office, hallway'),
  amount: oneOf('200 g, 2 cups, 1 tablespoon, 3 pieces, 150 ml, half a cup, 1 teaspoon'),
  money: (_, random) => `$${random.integer(5, 240)}.${random.integer(1, 9)}0`,
  temperature: (_, random) => `${random.integer(2, 31)}°C`,
  percent: (_, random) => `${random.integer(5, 95)}%`,
  humidity: (_, random) => `${random.integer(30, 90)}%`,
  distance: (_, random) => `${random.integer(1, 90)} km`,
  weight: (_, random) => `${random.integer(1, 90)} kg`,
  height: (_, random) => `${random.integer(10, 190)} cm`,
  speed: (_, random) => `${random.integer(5, 120)} km/h`,
  minute: (_, random) => `${random.integer(1, 11) * 5} minutes`,
  day_count: (_, random) => `${random.integer(2, 9)} days`,
  duration: (_, random) => `${random.integer(1, 11) * 5} minutes`,
  weekday: oneOf('Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday'),
  month_name: oneOf(
    'January, February, March, April, May, June, July, August, September, October, November, December',
  ),
  category: oneOf('general, technology, travel, health, finance, education, sports, entertainment'),
  type: oneOf('standard, basic, premium, custom, regular'),
  status: oneOf('active, pending, completed, open, in progress'),
  tag: (faker) => faker.word.noun(),
  weather: oneOf('sunny, partly cloudy, overcast, light rain, clear, windy, scattered showers'),
  ingredient: (faker) => faker.food.ingredient(),
  dish: oneOf(
    'Mushroom risotto, Vegetable curry, Roast chicken, Lentil soup, Tomato pasta, Grilled salmon, Apple ' +
      'pie, Bean chili',
  ),
  cuisine: oneOf('Italian, Indian, Mexican, Thai, French, Greek, Japanese, Lebanese'),
  book: (faker) => faker.book.title(),
  movie: oneOf(
    'The Long Harbor, A Quiet Summit, Northern Lights, The Last Orchard, Paper Lanterns, Second Winter',
  ),
  song: (faker) => faker.music.songName(),
  animal: (faker) => faker.animal.type(),
  word: (faker) => faker.word.noun(),
  sentiment: oneOf('positive, neutral, negative, mixed'),
  level: oneOf('low, medium, high'),
  role: oneOf('admin, editor, viewer, member, owner'),
  gender: oneOf('female, male, nonbinary'),
  version: (_, random) => `${random.integer(1, 4)}.${random.integer(0, 12)}.${random.integer(0, 9)}`,
  symbol: (_, random) => Array.from({ length: 4 }, () => random.pick([...'ABCDEFGHIKLMNOPRSTUVWX'])).join(''),
  hash: (_, random) => random.hex(32),
}
