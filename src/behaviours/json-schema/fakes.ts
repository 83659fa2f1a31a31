/** Invented texts for the names of properties. */
import type { Faker } from '@faker-js/faker'
import type { Random } from '../../engine/random.ts'
import { byName, type Words } from '../words.ts'

export type FakerLike = Faker

/**
 * The fakes of one faker, whose data and class alone are used. Only a constructor takes a `randomizer`, and
 * `seed()` is many times slower than a source that is replaced for each draw.
 */
export class Fakes {
  readonly #faker: Faker
  #source: Random | undefined

  constructor(faker: FakerLike) {
    const randomizer = { next: (): number => this.#source?.next() ?? 0, seed(): void {} }
    type Options = { locale: unknown; randomizer: typeof randomizer }
    const Keyed = faker.constructor as new (options: Options) => Faker
    this.#faker = new Keyed({ locale: faker.rawDefinitions, randomizer })
  }

  /**
   * A text of the kind that a name says; undefined if it says none. The same source gives the same text, and
   * one person's name and address belong together.
   */
  textFor({ words }: Words, random: Random): string | undefined {
    const write = kinds.get(words.slice(-2).join(' ')) ?? kinds.get(words.at(-1) ?? '')
    this.#source = random
    return write?.(this.#faker, random)
  }

  /** An English adjective and a noun. */
  words(random: Random): string {
    this.#source = random
    const { word } = this.#faker
    return `${word.adjective()} ${word.noun()}`
  }
}

type Write = (faker: Faker, random: Random) => string

/** Real places that belong together; the cities of faker are invented. */
const places = [
  ['Amsterdam', 'Netherlands'],
  ['Boston', 'United States'],
  ['Cape Town', 'South Africa'],
  ['Dublin', 'Ireland'],
  ['Hamburg', 'Germany'],
  ['Kyoto', 'Japan'],
  ['Lisbon', 'Portugal'],
  ['Melbourne', 'Australia'],
] as const

const oneOf =
  (list: string): Write =>
  (_, random) =>
    random.pick(list.split(' '))
const pad = (number: number): string => String(number).padStart(2, '0')
const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '')
// All kinds of a person draw the first name first.
const login = ({ person }: Faker): string => `${slug(person.firstName())}.${slug(person.lastName())}`

/** What the last words of a name say. Addresses, domains and phone numbers are reserved for examples. */
const kinds = byName<Write>(
  [
    [
      'name, full name, person, author, customer',
      ({ person }) => `${person.firstName()} ${person.lastName()}`,
    ],
    ['first name, given name', ({ person }) => person.firstName()],
    ['last name, family name, surname', ({ person }) => [person.firstName(), person.lastName()][1] as string],
    ['user, username, user name, login', login],
    ['email, mail', (faker) => `${login(faker)}@example.com`],
    ['phone, telephone, mobile', (_, random) => `+1 555 01${random.integer(10, 99)}`],
    ['city, location, place, town, destination, origin', (_, random) => random.pick(places)[0]],
    ['country, nation', (_, random) => random.pick(places)[1]],
    ['address, street', ({ location }, random) => `${random.integer(1, 240)} ${location.street()}`],
    ['zip, zip code, postcode, postal code', (_, random) => String(random.integer(10_000, 99_999))],
    [
      'company, organization, employer, brand',
      ({ person }, random) => `${person.lastName()} ${random.pick(['Labs', 'Group', 'Foods', 'Studio'])}`,
    ],
    ['product', ({ commerce }) => commerce.productName()],
    ['job, job title, occupation', ({ person }) => person.jobTitle()],
    ['url, uri, link, website', ({ word }) => `https://example.com/${slug(word.noun())}`],
    ['domain, host', ({ word }) => `${slug(word.noun())}.example.com`],
    ['path, file, filename, folder', ({ word }) => `/data/${slug(word.noun())}.txt`],
    ['id, identifier, key, code', ({ word }, random) => `${slug(word.noun()).slice(0, 3)}_${random.hex(8)}`],
    ['country code', oneOf('NL US ZA IE DE JP PT AU')],
    ['currency', oneOf('USD EUR GBP JPY CHF')],
    ['timezone', oneOf('UTC Europe/Berlin America/New_York Asia/Tokyo')],
    ['color, colour', oneOf('red blue green yellow orange purple black white')],
    ['unit', oneOf('kg g l ml cm m km')],
    ['language', oneOf('English French German Spanish Italian Japanese')],
    [
      'date, day, birthday, deadline',
      (_, random) => `2026-${pad(random.integer(1, 12))}-${pad(random.integer(1, 28))}`,
    ],
    ['time', (_, random) => `${pad(random.integer(8, 20))}:${pad(random.integer(0, 11) * 5)}`],
    ['version', (_, random) => `${random.integer(1, 4)}.${random.integer(0, 12)}.${random.integer(0, 9)}`],
    ['word, tag, keyword, category', ({ word }) => word.noun()],
    [
      'sentence, description, summary, text, content, message, comment, explanation, reason, answer, note',
      ({ word }) => `The ${word.adjective()} ${word.noun()} is ${word.adjective()}.`,
    ],
  ],
  ', ',
)
