/**
 * uploads.send behind what an app puts in front of the simulator: body parsers under Express, the user's own
 * msw handlers.
 */

import express, { type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { middleware } from '../../../src/express.ts'
import { serve } from '../../integrations/_express.ts'
import { rejected, send, target } from './_uploads.ts'

async function behind(...parsers: RequestHandler[]) {
  const { sim, url } = await serve((app, mounted) => {
    for (const parser of parsers) app.use(parser)
    app.use(middleware(mounted))
  })
  const way = { fetch, url }
  return { sim, way, there: await target(way) }
}

const bytes = Uint8Array.from({ length: 50_000 }, (_, index) => (index * 7) % 256)
const all = [express.json(), express.urlencoded({ extended: true }), express.text(), express.raw()]

async function kept(there: { visit_url: string }): Promise<Buffer> {
  const read = await fetch(there.visit_url)
  expect(read.status).toBe(200)
  return Buffer.from(await read.arrayBuffer())
}

describe('an upload behind body parsers', () => {
  it.each([
    ['image/png'],
    ['application/octet-stream'],
    ['application/pdf'],
    ['multipart/form-data; boundary=x'],
  ])('of %s keeps its bytes', async (type) => {
    const { way, there } = await behind(...all)
    expect((await send(way, there, bytes, { 'content-type': type })).status).toBe(200)
    expect((await kept(there)).equals(bytes)).toBe(true)
    expect((await fetch(there.visit_url)).headers.get('content-type')).toBe(type)
  })

  it.each([
    ['application/json', JSON.stringify({ a: [1, 2, { b: 'é' }], c: null })],
    ['text/plain', 'naïve text\n'],
    ['text/plain; charset=utf-8', ''],
  ])('of %s that was parsed is written as it was', async (type, text) => {
    const { way, there } = await behind(...all)
    expect((await send(way, there, text, { 'content-type': type })).status).toBe(200)
    expect((await kept(there)).toString()).toBe(text)
  })

  it.each([
    ['application/json', '{ "a": 1 }'],
    ['application/json', '{"a":1.0}'],
    ['application/x-www-form-urlencoded', 'a=1&b=2'],
    ['text/plain; charset=latin1', Buffer.from('na\xefve', 'latin1')],
  ])('of %s whose bytes are lost is rejected (400)', async (type, text) => {
    const { sim, way, there } = await behind(...all)
    const { Code, Message } = await rejected(send(way, there, text, { 'content-type': type }), 400)
    expect([Code, Message]).toEqual([
      'InvalidArgument',
      'A body parser before the simulator has parsed this file, and its bytes are lost: mount the ' +
        'simulator first.',
    ])
    expect(sim.core.sessions.get('default').sandbox.uploads.count).toBe(0)
  })
})
