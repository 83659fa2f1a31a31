/** What a scenario breaks on purpose is not held against the gateway. */
import { describe, expect, it } from 'vitest'
import { directoryWith, run } from '../cli/_io.ts'

const story = (then: string, expected = '{ stream: { ended: done } }') => `title: broken on purpose
rules:
  - when: { operation: chat.create }
    then: ${then}
steps:
  - call: chat.create
    with: { model: gpt-4o, stream: true, messages: [{ role: user, content: hi }] }
    expect: ${expected}
`

const replay = (text: string) => run(['replay', 'a.yaml'], { cwd: directoryWith({ 'a.yaml': text }) })

describe('an event that is no JSON', () => {
  it.each([
    '{ fault: malformed-event }',
    '{ stream: { script: [{ text: a }, { raw: "data: {\\n\\n" }, { text: b }] } }',
  ])('is noted where the scenario orders it: %s', async (then) => {
    const { code, stdout } = await replay(story(then))
    expect(stdout).toContain('broken events, as the scenario orders: stream.events[')
    expect(code).toBe(0)
  })

  it('is what a step may expect as well', async () => {
    expect((await replay(story('{ fault: malformed-event }', '{ offContract: true }'))).code).toBe(0)
  })
})
