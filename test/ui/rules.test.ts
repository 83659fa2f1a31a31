/** The pure parts of the view of rules: overrides are built from the capabilities of a real simulator. */
import { describe, expect, it } from 'vitest'
import type { Capabilities, OverrideState } from '../../src/generated/control-types.ts'
import { createSimulator } from '../../src/index.ts'
import {
  inGroups,
  leftText,
  optionTitle,
  overrideOf,
  overrideText,
  presetsOf,
  usualText,
} from '../../src/ui/rules/faults.ts'
import { bodyOf, jsonCall } from '../_setup.ts'

const sim = createSimulator()
const capabilities = (await (await sim.fetch('/__sim/capabilities')).json()) as Capabilities
const faultNamed = (wanted: string) => {
  const fault = capabilities.faults.find(({ name }) => name === wanted)
  if (fault === undefined) throw new Error(`no fault ${wanted}`)
  return fault
}
const form = { operation: '', options: {}, nth: '', times: '1', ttl: '' }

describe('common failures', () => {
  it('are known to the server, each for one request', async () => {
    const presets = presetsOf(capabilities)
    expect(presets.map(({ label }) => label)).toEqual([
      'Next request fails with 503',
      'Next request is rate-limited (429)',
      'Next request gets no response',
      'Next connection is reset',
      'Next stream is cut after 3 events',
      'Next stream stalls after 3 events',
      'Next image job fails',
      'Next video fails',
      'Next video operation fails',
      'Next job is created even though its submission fails',
    ])
    for (const { label, body } of presets) {
      const response = await createSimulator().fetch('/__sim/overrides', jsonCall(body))
      expect(response.status, label).toBe(201)
      expect(await response.json(), label).toMatchObject({ left: 1 })
    }
  })

  it('make the next video fail, and no other', async () => {
    const fresh = createSimulator({ clock: 'manual' })
    const preset = presetsOf(capabilities).find(({ label }) => label === 'Next video fails')
    await fresh.fetch('/__sim/overrides', jsonCall(preset?.body))
    const video = async () =>
      (await bodyOf(fresh.fetch('/v1/videos', jsonCall({ model: 'sora-2', prompt: 'a fox' }))))['id']
    const [first, second] = [await video(), await video()]
    fresh.clock.advance('10m')
    const headers = { authorization: 'Bearer sk-test' }
    const status = async (id: unknown) =>
      (await bodyOf(fresh.fetch(`/v1/videos/${id}`, { headers })))['status']
    expect([await status(first), await status(second)]).toEqual(['failed', 'completed'])
  })

  it('leave out faults that the server does not know', () => {
    expect(presetsOf({ ...capabilities, faults: [faultNamed('hang')] })).toEqual([
      { label: 'Next request gets no response', body: { fault: { kind: 'hang' }, times: 1 } },
    ])
  })
})

describe('the form', () => {
  it('omits empty fields, and sends numbers where the option is one', () => {
    const options = { afterEvents: '3', how: 'close', afterBytes: ' ' }
    expect(
      overrideOf(faultNamed('disconnect'), { ...form, operation: 'chat.create', options }, capabilities),
    ).toEqual({
      when: { operation: 'chat.create', body: { stream: true } },
      fault: { kind: 'disconnect', afterEvents: 3, how: 'close' },
      times: 1,
    })
    expect(overrideOf(faultNamed('hang'), { ...form, times: '', ttl: '30s' }, capabilities)).toEqual({
      fault: { kind: 'hang' },
      ttl: '30s',
    })
    expect(
      overrideOf(faultNamed('auth'), { ...form, options: { status: '403' } }, capabilities).fault,
    ).toEqual({
      kind: 'auth',
      status: 403,
    })
  })

  it('takes a number without a unit for seconds, and says that', async () => {
    const options = { retryAfter: '2', interval: '0.5', pause: '20ms' }
    const kinds = ['rate-limit', 'dribble', 'split'] as const
    const bodies = kinds.map((kind) =>
      overrideOf(faultNamed(kind), { ...form, options, ttl: '30' }, capabilities),
    )
    expect(bodies.map(({ fault, ttl }) => [fault, ttl])).toEqual([
      [{ kind: 'rate-limit', retryAfter: '2s' }, '30s'],
      [{ kind: 'dribble', interval: '0.5s' }, '30s'],
      [{ kind: 'split', pause: '20ms' }, '30s'],
    ])
    for (const body of bodies)
      expect((await createSimulator().fetch('/__sim/overrides', jsonCall(body))).status).toBe(201)
    const retry = faultNamed('rate-limit').options['retryAfter'] ?? {}
    expect(usualText('1s', retry)).toBe('1')
    const title = (kind: string, name: string) => optionTitle(name, faultNamed(kind).options[name] ?? {})
    expect(title('rate-limit', 'retryAfter')).toBe('Retry after, seconds')
    expect(title('disconnect', 'afterEvents')).toBe('After events')
    expect(title('disconnect', 'how')).toBe('End of the connection')
  })

  it('begins with the most used faults, and has all', () => {
    const { faults } = capabilities
    expect(inGroups(faults)[0]?.name).toBe('rate-limit')
    expect(new Set(inGroups(faults))).toEqual(new Set(faults))
  })

  it('affects only the Nth request', async () => {
    const body = overrideOf(faultNamed('overloaded'), { ...form, nth: '2' }, capabilities)
    expect(body).toMatchObject({ when: { nth: 2 }, times: 1 })
    const fresh = createSimulator()
    const made = await fresh.fetch('/__sim/overrides', jsonCall(body))
    const override = (await made.json()) as OverrideState
    expect(`${leftText(override)}: ${overrideText(override)}`).toMatch(
      /^one request: .*, only request 2: over/,
    )
    const chat = () =>
      fresh.fetch(
        '/v1/chat/completions',
        jsonCall({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
      )
    expect([(await chat()).status, (await chat()).status, (await chat()).status]).toEqual([200, 503, 200])
  })

  it('leaves wrong values for the server to judge', () => {
    const wrong = { ...form, options: { interval: 'soon' } }
    expect(overrideOf(faultNamed('dribble'), wrong, capabilities).fault).toEqual({
      kind: 'dribble',
      interval: 'soon',
    })
  })
})

describe('the list of overrides', () => {
  const state = (more: Partial<OverrideState>): OverrideState => ({
    ...{ id: 'override-1', when: {}, then: { fault: 'hang' }, matched: 0, answered: 0 },
    ...{ left: 1, expires: null, live: true },
    ...more,
  })

  it('says which requests get what', () => {
    const when = { operation: ['chat.create', 'messages.create'], body: { stream: true } }
    const then = { fault: { kind: 'disconnect', afterEvents: 3 } }
    expect(overrideText({ when, then })).toBe(
      'chat.create, messages.create (streams): disconnect (afterEvents 3)',
    )
    const many = { when: { operation: ['a', 'b', 'c', 'd', 'e'] }, then: { fault: 'hang' } }
    expect(overrideText(many, 3)).toBe('a, b, c and 2 more: hang')
    expect(overrideText(many, 4)).toBe(overrideText(many))
    expect(overrideText({ when: {}, then: { fault: ['hang', { kind: 'bom' }] } })).toBe(
      'every request: hang, bom',
    )
    expect(overrideText({ when: { operation: '*', body: { n: 2 } }, then: { error: { status: 503 } } })).toBe(
      '* where {"body":{"n":2}}: {"error":{"status":503}}',
    )
  })

  it('says what is left', () => {
    expect(leftText(state({}))).toBe('next request')
    expect(leftText(state({ left: 2, answered: 1 }))).toBe('next 2 requests, 1 answered')
    expect(leftText(state({ left: null }))).toBe('no limit')
    expect(leftText(state({ left: null, expires: '2026-01-01T00:00:30.000Z' }))).toBe(
      'no limit, until 00:00:30',
    )
    expect(leftText(state({ left: 0, answered: 1, live: false }))).toBe('used up, 1 answered')
    expect(leftText(state({ live: false }))).toBe('expired')
  })
})
