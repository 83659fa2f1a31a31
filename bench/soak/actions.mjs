/**
 * The actions of the traffic. Each throws for an unexpected result; `weight` is its frequency.
 */
import { request } from 'node:http'
import { connect as openSocket } from 'node:net'

const user = (content) => [{ role: 'user', content }]
const key = { authorization: 'Bearer sk-soak' }
const json = { ...key, 'content-type': 'application/json' }

function expect(condition, message) {
  if (!condition) throw new Error(message)
}

async function post({ fetch, url }, path, body, wanted = 200, headers = json) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  expect(
    response.status === wanted,
    `${path}: ${response.status} instead of ${wanted}: ${text.slice(0, 150)}`,
  )
  return text === '' ? undefined : JSON.parse(text)
}

/** The status with which an SDK's call was rejected. */
const statusOf = (promise) =>
  promise.then(
    () => 200,
    (error) => error.status ?? error.message,
  )

/** Polls until the job has ended, or was evicted. */
async function poll({ wait, over }, ask, isOver) {
  for (let tries = 0; tries < 60 && !over(); tries++) {
    await wait(400)
    const state = await ask()
    if (state === undefined || isOver(state)) return state
  }
  return undefined
}

const evicted = (error) => {
  if (error.status === 404) return undefined
  throw error
}

const talk = [
  {
    name: 'chat',
    weight: 30,
    async act({ clients }, n) {
      const { choices } = await clients.openai.chat.completions.create({
        model: 'gpt-4o',
        messages: user(`Reply with exactly: number ${n}`),
      })
      expect(choices[0].message.content === `number ${n}`, `got ${choices[0].message.content}`)
    },
  },
  {
    name: 'chat, streamed',
    weight: 8,
    async act({ clients }, n) {
      const stream = await clients.openai.chat.completions.create({
        ...{ model: 'gpt-4o', stream: true, messages: user(`Tell me about pier ${n}.`) },
      })
      let finish
      for await (const { choices } of stream) finish = choices[0]?.finish_reason ?? finish
      expect(finish === 'stop', `ended with ${finish}`)
    },
  },
  {
    name: 'chat with tools',
    weight: 4,
    async act({ clients }, n) {
      const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
      const { choices } = await clients.openai.chat.completions.create({
        model: 'gpt-4o',
        messages: user(`What is the weather in town ${n}?`),
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: weather } }],
        tool_choice: 'required',
      })
      JSON.parse(choices[0].message.tool_calls[0].function.arguments)
    },
  },
  {
    name: 'messages',
    weight: 8,
    async act({ clients }, n) {
      const { stop_reason: reason } = await clients.anthropic.messages.create({
        model: 'claude-soak',
        max_tokens: 200,
        messages: user(`Reply with exactly: number ${n}`),
      })
      expect(reason === 'end_turn', `ended with ${reason}`)
    },
  },
  {
    name: 'messages, streamed',
    weight: 4,
    async act({ clients }, n) {
      const stream = clients.anthropic.messages.stream({
        ...{ model: 'claude-soak', max_tokens: 500, messages: user(`List three boats of harbour ${n}.`) },
      })
      await stream.finalMessage()
    },
  },
  {
    name: 'decision',
    weight: 3,
    async act({ clients }, n) {
      const { answers } = await clients.typesafe.systemOne({
        state: { document: `Parcel ${n} is late. This is urgent.` },
        questions: { urgent: { type: 'noul', instructions: 'Is this urgent?' } },
      })
      expect(answers.urgent !== undefined, 'no answer')
    },
  },
  {
    name: 'list of models',
    weight: 2,
    async act({ clients }) {
      expect((await clients.openai.models.list()).data.length > 0, 'no models')
    },
  },
]

const cutOff = [
  {
    name: 'stream, aborted',
    weight: 6,
    async act({ clients, chance }, n) {
      const stream = await clients.openai.chat.completions.create({
        ...{ model: 'soak-paced', stream: true, messages: user(`Tell me a long story about pier ${n}.`) },
      })
      let left = 1 + Math.floor(chance() * 6)
      for await (const _ of stream) if (--left === 0) break
      stream.controller.abort()
    },
  },
  {
    name: 'socket, closed in the middle of a body',
    weight: 2,
    act: ({ url, wait }) =>
      new Promise((resolve, reject) => {
        const { port, hostname } = new URL(url)
        const socket = openSocket({ port: Number(port), host: hostname }, async () => {
          socket.write(
            `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer sk-soak\r\n` +
              'content-type: application/json\r\ncontent-length: 500\r\n\r\n{"model":',
          )
          await wait(50)
          socket.destroy()
          resolve()
        })
        socket.on('error', reject)
      }),
  },
  {
    name: 'response that nobody reads',
    weight: 1,
    act: ({ url, wait }) =>
      new Promise((resolve, reject) => {
        const asked = request(`${url}/v1/models`, { headers: key, agent: false }, async (response) => {
          response.pause()
          await wait(300)
          asked.destroy()
          resolve()
        })
        asked.once('error', reject).end()
      }),
  },
]

const rejections = [
  {
    name: 'rejected calls',
    weight: 5,
    async act(context, n) {
      const chat = '/v1/chat/completions'
      const cases = [
        () => post(context, chat, { model: 'gpt-4o', temperature: n + 3, messages: user('x') }, 400),
        () => post(context, chat, '{"model": "gpt-4o", "messages": [', 400),
        () =>
          post(context, chat, { model: 'gpt-4o', messages: user('x') }, 401, {
            'content-type': 'application/json',
          }),
        () => post(context, `/v1/nothing-${n}`, {}, 404),
        () => post(context, chat, { model: 'sim-rate-limit', messages: user(`x ${n}`) }, 429),
        () => post(context, chat, { model: 'sim-server-error', messages: user(`x ${n}`) }, 500),
      ]
      await context.pick(cases)()
    },
  },
  {
    name: 'rules of the watched file',
    weight: 5,
    async act({ clients }, n) {
      const { chat } = clients.openai
      const { choices } = await chat.completions.create({
        model: 'soak-said',
        messages: user(`Say it, ${n}.`),
      })
      expect(/^Edition \d+$/.test(choices[0].message.content), `got ${choices[0].message.content}`)
      const status = await statusOf(
        chat.completions.create({ model: 'soak-overloaded', messages: user(`x ${n}`) }),
      )
      expect(status === 503, `${status} instead of 503`)
    },
  },
]

const jobs = [
  {
    name: 'video',
    weight: 2,
    async act(context, n) {
      const { videos } = context.clients.openai
      const { id } = await videos.create({ model: 'sora-2', prompt: `a boat, number ${n}`, seconds: '4' })
      const ended = await poll(
        context,
        () => videos.retrieve(id).catch(evicted),
        ({ status }) => status === 'completed' || status === 'failed',
      )
      if (ended?.status === 'completed' && n % 2 === 0) await (await videos.downloadContent(id)).arrayBuffer()
      if (ended !== undefined && n % 3 === 0) await videos.delete(id).catch(evicted)
    },
  },
  {
    name: 'image job',
    weight: 3,
    async act(context, n) {
      const { fetch, url } = context
      const { id } = await post(context, '/v1/tob/diffusion', {
        model: 'image-job-v7',
        text: `a pier, number ${n}`,
      })
      const ended = await poll(
        context,
        async () => {
          const response = await fetch(`${url}/v1/tob/job/${id}`, { headers: key })
          const job = await response.json()
          return response.ok ? job : undefined
        },
        ({ status }) => status >= 2,
      )
      const [first] = ended?.urls ?? []
      if (first !== undefined && n % 4 === 0) await (await fetch(first)).arrayBuffer()
    },
  },
  {
    name: 'long-running operation',
    weight: 1,
    async act(context, n) {
      const { google } = context.clients
      const config = { durationSeconds: 4, aspectRatio: '16:9' }
      let operation = await google.models.generateVideos({
        ...{ model: 'veo-3.0-generate-001', source: { prompt: `a fox, number ${n}` }, config },
      })
      await poll(
        context,
        async () => (operation = await google.operations.getVideosOperation({ operation }).catch(evicted)),
        ({ done }) => done === true,
      )
    },
  },
  {
    name: 'image',
    weight: 1,
    async act({ clients }, n) {
      const { data } = await clients.openai.images.generate({
        ...{ model: 'gpt-image-1', prompt: `a lighthouse, number ${n}`, size: '1024x1024', quality: 'low' },
      })
      expect(data[0].b64_json?.length > 100, 'no image')
    },
  },
  {
    name: 'upload',
    weight: 3,
    async act(context, n) {
      const { fetch } = context
      const target = await post(context, '/v1/files/upload_url', {
        path: `notes/${n}`,
        storage_provider: 'COS',
      })
      const bytes = new Uint8Array(20_000 + (n % 50) * 1000).fill(n)
      const sent = await fetch(target.upload_url, { method: target.method, body: bytes })
      expect(sent.ok, `${sent.status}: ${(await sent.text()).slice(0, 150)}`)
      const read = await (await fetch(target.visit_url)).arrayBuffer()
      expect(read.byteLength === bytes.length, `${read.byteLength} bytes instead of ${bytes.length}`)
    },
  },
]

const sessions = [
  {
    name: 'session by header',
    weight: 8,
    async act({ clients, chance }, n) {
      const session = `h${Math.floor(chance() * 3000)}`
      const { chat } = clients.openaiOf(undefined, { 'x-sim-session': session })
      await chat.completions.create({ model: 'gpt-4o', messages: user(`Reply with exactly: ${n}`) })
    },
  },
  {
    name: 'session by the control API',
    weight: 3,
    async act(context, n) {
      const session = await context.clients.sim.createSession({
        ...(n % 2 === 0 ? { ttl: '30s' } : {}),
        ...(n % 3 === 0 ? { clock: 'manual' } : {}),
        scenarios: [
          { title: `Session ${n}`, rules: [{ when: { model: 'soak-own' }, then: { text: `session ${n}` } }] },
        ],
      })
      const { chat } = context.clients.openaiOf(session.name)
      const ask = (model) => chat.completions.create({ model, messages: user(`x ${n}`) })
      const { choices } = await ask('soak-own')
      expect(choices[0].message.content === `session ${n}`, `got ${choices[0].message.content}`)
      await session.overrides.add({
        when: { operation: 'chat.create' },
        then: { error: { status: 429 } },
        times: 1,
      })
      const answers = [await statusOf(ask('gpt-4o')), await statusOf(ask('gpt-4o'))].join()
      expect(answers === '429,200', `${answers} instead of 429,200`)
      if (n % 3 === 0) await session.clock.advance('1h')
      await session.verify({ requests: { operation: 'chat.create' }, times: 3 })
      // Every other one is left to its ttl or to eviction.
      if (n % 4 < 2) await session.dispose()
    },
  },
  {
    name: 'faults that break the connection',
    weight: 2,
    async act(context, n) {
      const session = await context.clients.sim.createSession({})
      await session.overrides
        .add({ fault: context.pick(['disconnect', 'reset', 'malformed-json']), times: 1 })
        .catch((error) => {
          if (error.problem === undefined) throw error
        })
      const { chat } = context.clients.openaiOf(session.name)
      await chat.completions.create({ model: 'gpt-4o', messages: user(`x ${n}`) }).catch(() => {})
      await session.dispose()
    },
  },
]

const watching = [
  {
    name: 'journal',
    weight: 2,
    async act({ clients, fetch, url }) {
      const page = await (await fetch(`${url}/__sim/journal?limit=50`)).json()
      const [one] = page.entries
      if (one !== undefined) await (await fetch(`${url}/__sim/journal/${one.seq}/explain`)).text()
      await clients.sim.health()
    },
  },
  {
    name: 'journal as lines',
    weight: 0.2,
    async act({ fetch, url }) {
      const text = await (await fetch(`${url}/__sim/journal?format=jsonl&limit=500`)).text()
      expect(text.length > 0, 'an empty journal')
    },
  },
  {
    name: 'state, report and unused rules',
    weight: 0.5,
    async act({ fetch, url, pick }) {
      const response = await fetch(
        `${url}/__sim/${pick(['state', 'client-report', 'unused-rules', 'sessions', 'clock', 'faults'])}`,
      )
      await response.text()
      expect(response.ok, `status ${response.status}`)
    },
  },
  {
    name: 'reset of a session',
    weight: 0.3,
    async act({ fetch, url, chance }) {
      const session = `h${Math.floor(chance() * 3000)}`
      await fetch(`${url}/s/${session}/__sim/reset`, { method: 'POST', headers: json, body: '{}' })
    },
  },
]

export const actions = [...talk, ...cutOff, ...rejections, ...jobs, ...sessions, ...watching]
