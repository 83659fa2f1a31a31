/** Fakes come from a key alone and belong to nobody. */
import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import { createFakes } from '../../src/behaviours/json-schema/fakes.ts'
import { randomFrom } from '../../src/engine/random.ts'

const fakes = createFakes(faker)
const KINDS = (
  'person first_name last_name username email phone city country address street zip company ' +
  'product url domain file path uuid id color ingredient book song animal'
).split(' ')

describe('a fake', () => {
  it.each(KINDS)('of the kind %s: the same key gives the same, other keys others', (kind) => {
    const draw = (key: string): string | undefined => fakes.text(kind, randomFrom(key))
    expect(draw('a')).toBe(draw('a'))
    expect(draw('a')).toMatch(/\S/)
    expect(new Set(Array.from({ length: 30 }, (_, i) => draw(String(i)))).size).toBeGreaterThan(5)
  })

  it('does not depend on the fakes drawn before', () => {
    const alone = createFakes(faker).text('person', randomFrom('k'))
    for (const kind of KINDS) fakes.text(kind, randomFrom('other'))
    expect(fakes.text('person', randomFrom('k'))).toBe(alone)
  })

  it('neither moves nor follows the faker it was made from', () => {
    faker.seed(1)
    const untouched = faker.person.fullName()
    faker.seed(1)
    const mine = fakes.text('company', randomFrom('k'))
    expect(faker.person.fullName()).toBe(untouched)
    faker.seed(99)
    expect(fakes.text('company', randomFrom('k'))).toBe(mine)
  })

  it('of one key are of one person and one place', () => {
    const all = (kind: string): string => fakes.text(kind, randomFrom('k')) as string
    expect(all('person')).toBe(`${all('first_name')} ${all('last_name')}`)
    expect(all('email')).toBe(`${all('username')}@example.com`)
    expect(all('address').endsWith(`, ${all('city')}`)).toBe(true)
  })

  it('knows where its cities are', () => {
    const places = Array.from({ length: 200 }, (_, i) =>
      ['city', 'country', 'country_code', 'state', 'timezone', 'airport']
        .map((kind) => fakes.text(kind, randomFrom(`k${i}`)))
        .join(),
    )
    expect(places).toContain('Oslo,Norway,NO,Oslo,Europe/Oslo,OSL')
    expect(new Set(places).size).toBe(new Set(places.map((place) => place.split(',')[0])).size)
  })

  it('is of nobody: mail, links and numbers are those set aside for examples', () => {
    for (let i = 0; i < 50; i++) {
      const draw = (kind: string): string | undefined => fakes.text(kind, randomFrom(`k${i}`))
      expect(draw('email')).toMatch(/@example\.com$/)
      expect(draw('url')).toMatch(/^https:\/\/example\.com\//)
      expect(draw('domain')).toMatch(/\.example\.com$/)
      expect(draw('phone')).toMatch(/^\+1 555 01\d\d$/)
      expect(draw('ip')).toMatch(/^192\.0\.2\.\d+$/)
    }
  })

  it('there is none for a kind that is not known', () => {
    for (const kind of ['nothing', 'constructor', '__proto__', ''])
      expect(fakes.text(kind, randomFrom('k'))).toBeUndefined()
  })

  it('words are English words', () => {
    expect(fakes.word('noun', randomFrom('k'))).toMatch(/^[a-z][a-z-]+$/i)
    expect(fakes.word('adjective', randomFrom('k'))).toMatch(/^[a-z][a-z-]+$/i)
  })
})
