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
    ['url, uri, link, website', ({ word }) => `https://example.com/${slug(word.noun())}`],
    ['path, file, filename, folder', ({ word }) => `/data/${slug(word.noun())}.txt`],
    ['id, identifier, key, code', ({ word }, random) => `${slug(word.noun()).slice(0, 3)}_${random.hex(8)}`],
    ['currency', (_, random) => random.pick(['USD', 'EUR', 'GBP'])],
    ['language', (_, random) => random.pick(['English', 'French', 'German'])],
    [
      'date, day, birthday, deadline',
      (_, random) => `2026-${pad(random.integer(1, 12))}-${pad(random.integer(1, 28))}`,
    ],
    ['time', (_, random) => `${pad(random.integer(8, 20))}:${pad(random.integer(0, 11) * 5)}`],
    ['word, tag, keyword, category', ({ word }) => word.noun()],
    [
      'sentence, description, summary, text, content, message, comment, explanation, reason, answer, note',
      ({ word }) => `The ${word.adjective()} ${word.noun()} is ${word.adjective()}.`,
    ],
  ],
  ', ',
)
