/** A simulator that plays recordings: plain responses, near misses, rules and faults over them. */
import { describe, expect, it } from 'vitest'
import { createSimulator, type ScenarioInput, type SimulatorOptions } from '../../src/index.ts'
import { asClient, exchange, posting, recorder, recordingsOf } from './_record.ts'

const gateway = 'https://gateway.example/v1'
const chat = (content: string, more: object = {}) => ({
  url: `${gateway}/chat/completions`,
  body: { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more },
})
const said = (text: string) => ({ body: `{"id":"x","says":${JSON.stringify(text)}}` })

const ruled = (rule: NonNullable<ScenarioInput['rules']>[number]) => [{ title: 'A rule', rules: [rule] }]

async function playing(exchanges: Parameters<typeof recordingsOf>[0], options: SimulatorOptions = {}) {
  const sim = createSimulator({ onWarning: () => {}, ...options, recordings: await recordingsOf(exchanges) })
  const ask = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await sim.fetch('http://sim/v1/chat/completions', posting(body, headers))
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return { sim, ask }
}

describe('the same request', () => {
  it('gets the recorded bytes, whatever its headers, its key and the order of its fields', async () => {
    const { ask, sim } = await playing([exchange(chat('hello'), said('hi'))])
    const { body } = chat('hello')
    const reordered = { messages: body.messages, model: body.model, stream: false }
    for (const headers of [{}, { authorization: 'Bearer other', 'x-client': '2' }])
      expect((await ask(reordered, headers)).text).toBe('{"id":"x","says":"hi"}')
    expect(sim.journal({}).at(-1)?.cause.decidedBy).toEqual({
      kind: 'recording',
      name: 'a HAR object, entry 1',
    })
  })

  it('gets the nth recording the nth time, and then the last one, in each session', async () => {
    const { ask } = await playing([
      exchange(chat('again'), said('first')),
      exchange(chat('again'), said('second')),
    ])
    const { body } = chat('again')
    const inSession = (name: string) =>
      ask(body, { 'x-sim-session': name }).then(({ text }) => JSON.parse(text).says)
    const says = [await inSession('a'), await inSession('b'), await inSession('a'), await inSession('a')]
    expect(says).toEqual(['first', 'first', 'second', 'second'])
  })

  it('is recognised without what was taken out of the recording', async () => {
    const { ask } = await playing([
      exchange(chat('hello', { user: 'redacted' }), said('hi'), { redacted: ['/user'] }),
    ])
    expect((await ask(chat('hello', { user: 'anna' }).body)).text).toContain('hi')
  })

  it('is explained with what was taken out of the recording: any value of it matches', async () => {
    const redacted = ['/messages/0/content', 'header:authorization']
    const { sim, ask } = await playing([
      exchange(chat('redacted'), said('hi'), { redacted }),
      exchange(chat('whole', { seed: 7 }), said('ho'), { redacted: ['header:authorization'] }),
    ])
    expect((await ask(chat('What is the weather?').body)).text).toContain('hi')
    expect((await ask(chat('whole', { seed: 7 }).body)).text).toContain('ho')
    expect(sim.explainRequest(0).text).toContain(
      'Redacted in the recording: /messages/0/content. Any value matches: the recording was selected by the ' +
        'rest of the request, and by the order of such requests.',
    )
    expect(sim.explainRequest(1).text).not.toContain('Redacted')
  })

  it('plays a recorded refusal, and responses to what we would reject, before we look at the key', async () => {
    const { ask } = await playing([
      exchange({ ...chat('x'), body: { modell: 1 } }, { status: 400, body: '{"theirs":true}' }),
      exchange({ ...chat('x'), body: { model: 7 } }, said('they accept it')),
    ])
    expect(await ask({ modell: 1 }, { authorization: '' })).toMatchObject({
      status: 400,
      text: '{"theirs":true}',
    })
    expect((await ask({ model: 7 })).status).toBe(200)
  })

  it('may be a form: its fields and the content of its files decide', async () => {
    const real = createSimulator()
    const { fetch, exchanges } = recorder(real)
    const form = (prompt: string) => {
      const data = new FormData()
      data.set('prompt', prompt)
      data.set('model', 'video-1')
      return { method: 'POST', body: data, headers: asClient }
    }
    const recorded = await (await fetch('http://real/v1/videos', form('a cat'))).text()
    const { sim } = await playing(exchanges)
    expect(await (await sim.fetch('http://sim/v1/videos', form('a cat'))).text()).toBe(recorded)
    expect(await (await sim.fetch('http://sim/v1/videos', form('a dog'))).text()).not.toBe(recorded)
  })
})

describe('a request that was not recorded', () => {
  it('is simulated, and the explanation names the nearest recording and the field', async () => {
    const { ask, sim } = await playing([
      exchange(chat('hello'), said('hi')),
      exchange(chat('goodbye', { temperature: 1.5 }), said('bye')),
    ])
    const { status, headers } = await ask(chat('hello!').body, { 'x-sim-explain': '1' })
    expect(status).toBe(200)
    expect(headers.get('x-sim-explain')).toContain(
      'recording a HAR object, entry 1: `body.messages[0].content`: expected "hello", got "hello!".',
    )
    expect(sim.explainRequest(0).text).toContain('entry 1: `body.messages[0].content`')
  })

  it('is rejected in the same words where that is wanted', async () => {
    const { ask, sim } = await playing([exchange(chat('hello'), said('hi'))], { onMiss: 'reject' })
    const { status, text } = await ask(chat('hello!').body)
    expect(status).toBe(422)
    expect(JSON.parse(text).error.message).toContain(
      'recordings: no recording matches this chat.create request in the session "default". Closest: recording a HAR ' +
        'object, entry 1: `body.messages[0].content`: expected "hello", got "hello!".',
    )
    expect(sim.journal({}).at(-1)).toMatchObject({
      cause: { decidedBy: { kind: 'unrecorded' }, unmatched: true },
    })
    expect((await sim.fetch('http://sim/v1/models', { headers: asClient })).status).toBe(422)
  })

  it('is rejected by strict with the nearest recording', async () => {
    const { ask } = await playing([exchange(chat('hello'), said('hi'))], { strict: true })
    expect((await ask(chat('hello').body)).status).toBe(200)
    const { text } = await ask(chat('hello!').body)
    expect(text).toContain('Closest: recording a HAR object, entry 1')
  })
})

describe('rules and faults', () => {
  it('a rule that answers goes before recordings', async () => {
    const { ask } = await playing([exchange(chat('hello'), said('hi'))], {
      onMiss: 'reject',
      scenarios: ruled({ when: { model: 'gpt-4o' }, then: { text: 'ruled' } }),
    })
    expect((await ask(chat('hello').body)).text).toContain('ruled')
  })

  it('a rule that adds something acts on the recorded response', async () => {
    const { ask, sim } = await playing([exchange(chat('hello'), said('hi'))], {
      scenarios: ruled({ id: 'p', when: {}, then: { patch: { says: 'ho' }, headers: { 'x-y': '1' } } }),
    })
    const { text, headers } = await ask(chat('hello').body)
    expect([text, headers.get('x-y')]).toEqual(['{"id":"x","says":"ho"}', '1'])
    expect(sim.journal({}).at(-1)?.cause.decidedBy).toEqual({
      kind: 'recording',
      name: 'a HAR object, entry 1',
    })
  })

  it('an override applies, and the retry gets the recording', async () => {
    const { ask, sim } = await playing([
      exchange(chat('hello'), said('first')),
      exchange(chat('hello'), said('second')),
    ])
    sim.overrides.add({ when: { operation: 'chat.create' }, fault: 'overloaded', times: 1 })
    expect((await ask(chat('hello').body)).status).toBeGreaterThanOrEqual(500)
    expect((await ask(chat('hello').body)).text).toContain('first')
  })
})

describe('reserved values', () => {
  const hello = chat('hello').body
  const recorded = (body: object, status = 401) => [
    exchange({ ...chat(''), body }, { status, body: '{"error":{"message":"revoked"}}' }),
  ]

  it.each([
    ['a key', hello, 'Bearer sk-wrong-key'],
    ['a model', { ...hello, model: 'sim-rate-limit' }, 'Bearer sk-any'],
    ['a word in a prompt', chat('hello [sim:overloaded]').body, 'Bearer sk-any'],
    ['a word that adds a fault', { ...chat('[sim:disconnect-after-1]').body, stream: true }, 'Bearer sk-any'],
  ])('%s does not change what was recorded', async (_, body, authorization) => {
    for (const recordedStatus of [200, 401]) {
      const { ask } = await playing(recorded(body, recordedStatus))
      const { status, text } = await ask(body, { authorization })
      expect([status, text]).toEqual([recordedStatus, '{"error":{"message":"revoked"}}'])
    }
    const { ask, sim } = await playing(recorded(body))
    await ask(body, { authorization })
    expect(sim.journal({}).at(-1)).toMatchObject({
      cause: { decidedBy: { kind: 'recording', name: 'a HAR object, entry 1' } },
    })
  })

  it('a key still decides what was not recorded', async () => {
    const { ask } = await playing(recorded(hello))
    const { status, text } = await ask(chat('other').body, { authorization: 'Bearer sk-wrong-key' })
    expect([status, text.includes('revoked')]).toEqual([401, false])
  })
})

describe('links and paths', () => {
  it('never lead to another host, also where nobody fetched what a response links to', async () => {
    const { sim, ask } = await playing([
      exchange(
        { url: 'https://gateway.example/v1/tob/job/job-9' },
        { body: '{"id":"job-9","status":2,"urls":["https://cdn.example/job-9/0.png"]}' },
      ),
      exchange(chat('a link?'), said('see https://elsewhere.example/page')),
    ])
    const job = await sim.fetch('http://sim.test/v1/tob/job/job-9', { headers: asClient })
    const { urls } = (await job.json()) as { urls: string[] }
    expect(urls).toEqual(['http://sim.test/job-9/0.png'])
    expect((await sim.fetch(urls[0] as string)).status).toBe(404)
    expect((await ask(chat('a link?').body)).text).toContain('https://elsewhere.example/page')
  })

  it.each([
    'https://cdn.example/v.mp4?sig=1',
    '//cdn.example/v.mp4?sig=1',
    'HTTPS://CDN.example:8443/v.mp4?sig=1',
  ])('of a redirect to %s neither', async (location) => {
    const redirect = exchange({ url: `${gateway}/videos/video_9/content` }, { status: 302, body: '' })
    const response = { ...redirect.response, headers: [['location', location] as const] }
    const { sim } = await playing([{ ...redirect, response: response as typeof redirect.response }])
    const { status, headers } = await sim.fetch('http://sim.test/s/one/v1/videos/video_9/content')
    expect([status, headers.get('location')]).toEqual([302, 'http://sim.test/s/one/v.mp4?sig=1'])
  })

  it('lead to the simulator, below the session of the call, and what they lead to is played', async () => {
    const { sim } = await playing([
      exchange(
        { url: 'https://gateway.example/api/v1/models' },
        { body: '{"next":"https://cdn.example/files/a.png?sig=redacted"}' },
      ),
      exchange(
        { url: 'https://cdn.example/files/a.png?sig=redacted' },
        { type: 'image/png', body: new Uint8Array([137, 80, 78, 71, 0, 255]) },
        { redacted: ['query:sig'] },
      ),
    ])
    const models = await sim.fetch('http://sim.test/s/one/v1/models')
    const { next } = (await models.json()) as { next: string }
    expect(next).toBe('http://sim.test/s/one/files/a.png?sig=redacted')
    const image = await sim.fetch(next)
    expect(image.headers.get('content-type')).toBe('image/png')
    expect([...new Uint8Array(await image.arrayBuffer())]).toEqual([137, 80, 78, 71, 0, 255])
    const part = await sim.fetch(next, { headers: { range: 'bytes=1-2' } })
    expect([part.status, await part.text()]).toEqual([206, 'PN'])
  })
})
