/** `middleware`: the simulator inside an Express 5 app, at any path, before and after body parsers. */

import express from 'express'
import { describe, expect, it } from 'vitest'
import { middleware } from '../../src/express.ts'
import { bodyOf, simulator } from '../_setup.ts'
import { serve } from './_express.ts'
import { listenTo, openSocket } from './_socket.ts'

const key = { authorization: 'Bearer sk-test' }
const question = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Name a colour.' }] }
const chat = (body: unknown = question, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...key, 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** What the simulator answers without Express. */
async function plainAnswer(): Promise<string> {
  return (await simulator().fetch('http://a.test/v1/chat/completions', chat())).text()
}

function form(): FormData {
  const fields = new FormData()
  fields.set('model', 'video-1')
  fields.set('prompt', 'a sunset')
  return fields
}

describe('mounted', () => {
  it('at the root, responds as it does alone', async () => {
    const { url } = await serve((app, sim) => app.use(middleware(sim)))
    const response = await fetch(`${url}/v1/chat/completions`, chat())
    expect(response.status).toBe(200)
    expect(response.headers.get('date')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
    expect(await response.text()).toBe(await plainAnswer())
  })

  it('below a path, responds there and uses it in links', async () => {
    const { url, sim } = await serve((app, sim) => app.use('/proxy/gateway', middleware(sim)))
    const base = `${url}/proxy/gateway`
    const submitted = await bodyOf(fetch(`${base}/v1/tob/diffusion`, chat({ model: 'v7', text: 'a cat' })))
    sim.clock.advance('1m')
    const job = await bodyOf(fetch(`${base}/s/default/v1/tob/job/${submitted.id}`, { headers: key }))
    expect(job.urls[0]).toMatch(`${base}/s/default/media/image-jobs/`)
    expect((await fetch(job.urls[0] as string)).headers.get('content-type')).toBe('image/png')
    expect((await fetch(`${url}/v1/models`, { headers: key })).status).toBe(404)
  })

  it('twice, serves two simulators side by side', async () => {
    const other = simulator()
    const { url, sim } = await serve((app, sim) =>
      app.use('/one', middleware(sim)).use('/two', middleware(other)),
    )
    await fetch(`${url}/two/v1/models`, { headers: key })
    expect(sim.journal()).toHaveLength(0)
    expect(other.journal()).toHaveLength(1)
  })

  it('leaves unknown paths to the app, unread, and handles all others with its errors', async () => {
    const { url, sim } = await serve((app, sim) =>
      app
        .use(middleware(sim))
        .use(express.json())
        .post('/v1/mine', (request, response) => void response.json({ got: request.body })),
    )
    expect(await bodyOf(fetch(`${url}/v1/mine`, chat({ x: 1 })))).toEqual({ got: { x: 1 } })
    const unknown = await fetch(`${url}/v1/nothing`)
    expect(unknown.status).toBe(404)
    expect(unknown.headers.get('content-type')).toContain('text/html')
    expect((await fetch(`${url}/v1/chat/completions`, { headers: key })).status).toBe(405)
    expect(sim.journal()).toMatchObject([{ response: { status: 405 } }])
  })
})

describe('body parsers', () => {
  const parsers: Record<string, () => express.RequestHandler> = {
    'express.json()': () => express.json(),
    'express.json() that takes every type': () => express.json({ type: () => true }),
    'express.raw()': () => express.raw({ type: () => true }),
    'express.text()': () => express.text({ type: () => true }),
  }
  for (const [name, parser] of Object.entries(parsers)) {
    it(`do not change responses: ${name}, before the simulator and after it`, async () => {
      const before = await serve((app, sim) => app.use(middleware(sim)).use(parser()))
      const behind = await serve((app, sim) => app.use(parser()).use(middleware(sim)))
      for (const { url, sim } of [before, behind]) {
        expect(await (await fetch(`${url}/v1/chat/completions`, chat())).text()).toBe(await plainAnswer())
        expect(sim.journal()).toMatchObject([
          { request: { body: { text: JSON.stringify(question) } }, response: { status: 200 } },
        ])
      }
    })
  }

  it.each([
    ['itself when the parser in front leaves it alone', express.json()],
    ['from the bytes of express.raw()', express.raw({ type: () => true })],
  ])('reads a form %s', async (_, parser) => {
    const { url } = await serve((app, sim) => app.use(parser).use(middleware(sim)))
    expect((await fetch(`${url}/v1/videos`, { method: 'POST', headers: key, body: form() })).status).toBe(200)
  })

  it('a form parsed before the simulator is rejected, with where to mount it', async () => {
    // What form parsers such as multer do: the body is gone, the text fields stand in request.body.
    const takesApart: express.RequestHandler = (request, _response, next) => {
      request.body = { model: 'video-1', prompt: 'a sunset' }
      request.resume().on('end', () => next())
    }
    const { url } = await serve((app, sim) => app.use(takesApart).use(middleware(sim)))
    const response = await fetch(`${url}/v1/videos`, { method: 'POST', headers: key, body: form() })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message:
          'A body parser before the simulator has already parsed this form: mount the simulator first.',
      },
    })
  })

  it('a body that was read before and not kept is rejected, instead of waiting for it', async () => {
    const swallows: express.RequestHandler = (request, _response, next) =>
      void request.resume().on('end', () => next())
    const { url } = await serve((app, sim) => app.use(swallows).use(middleware(sim)))
    const message =
      'A middleware before the simulator has already consumed this body: mount the simulator first.'
    for (const init of [
      chat(),
      {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json' },
        body: new Blob(['{}']).stream(),
        duplex: 'half',
      } as RequestInit,
    ]) {
      const response = await fetch(`${url}/v1/chat/completions`, init)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: { message } })
    }
    expect((await fetch(`${url}/v1/models`, { headers: key })).status).toBe(200)
  })

  it("the endpoint's limit applies to parsed bodies", async () => {
    const { url } = await serve(
      (app, sim) => app.use(express.raw({ type: () => true })).use(middleware(sim)),
      { settings: { limits: { jsonBytes: 1024 } } },
    )
    expect(
      (await fetch(`${url}/v1/chat/completions`, chat({ ...question, user: 'x'.repeat(2000) }))).status,
    ).toBe(413)
  })
})

describe('faults inside Express', () => {
  it('cut the connection after delivering everything before the cut', async () => {
    const { port } = await serve((app, sim) => app.use(express.json()).use('/gateway', middleware(sim)), {
      clock: 'auto',
    })
    const body = JSON.stringify({ ...question, model: 'sim-disconnect-after-3', stream: true })
    const socket = await openSocket(port)
    const server = listenTo(socket)
    socket.write(
      `POST /gateway/v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer sk-test\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await server.closed
    const raw = server.text()
    expect(raw.match(/^data: /gm)).toHaveLength(3)
    expect(raw.endsWith('0\r\n\r\n')).toBe(false)
  })
})
