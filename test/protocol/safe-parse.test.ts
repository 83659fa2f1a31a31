/** zod compares the `length` of anything that has one: clients may send objects with a strange one. */
import { describe, expect, it } from 'vitest'
import { post, simulator } from '../_setup.ts'

const strange = { length: { toString: null } }
const rule = { when: { body: { a: 1 } }, then: { text: strange } }

describe('an object whose `length` cannot be compared, where a text or a list is expected', () => {
  it.each([
    [
      '/v1/tob/remove-background',
      { model: 'm', imgUrl: strange },
      '`imgUrl`: expected a string, got an object.',
    ],
    [
      '/v1/chat/completions',
      { model: 'm', messages: strange },
      '`messages`: expected an array, got an object.',
    ],
    ['/__sim/scenarios', { title: 'a', rules: [rule] }, '`rules[0].then'],
    ['/__sim/clock/advance', { by: strange }, '`by`: expected'],
  ])('%s rejects it like any other object', async (path, body, words) => {
    const response = await post(simulator(), path, body)
    expect(await response.text()).toContain(words)
    expect(response.status).toBe(400)
  })
})
