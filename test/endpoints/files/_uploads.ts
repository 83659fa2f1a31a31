/** What the tests of uploads share: asking for an address, sending bytes, reading a rejection of the store. */
import { describe, expect } from 'vitest'
import type { Simulator } from '../../../src/index.ts'
import { type Integration, integrations, jsonCall } from '../../_setup.ts'

export interface Target {
  readonly upload_url: string
  readonly method: 'PUT' | 'POST'
  readonly path: string
  readonly visit_url: string
}

type Call = typeof fetch

/** How a test reaches a simulator. */
export interface Way {
  readonly fetch: Call
  readonly url: string
}

/** In-process. */
export const inside = (sim: Simulator): Way => ({ fetch: sim.fetch as Call, url: 'http://gateway.test' })

/**
 * Tests of what a store does, in process and over HTTP. That the other doors do the same is proved with many
 * requests, uploads among them, by test/determinism.property.test.ts, and with every kind of body by
 * test/clients/uploads-fetch.test.ts.
 */
export function describeDoors(title: string, body: (integration: Integration) => void): void {
  for (const integration of integrations.slice(0, 2))
    describe(`${title}, through ${integration.name}`, () => body(integration))
}

/** Asks for an address, whatever comes. */
export function ask(
  { fetch: call, url }: Way,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return call(`${url}/v1/files/upload_url`, jsonCall(body, headers))
}

/** An address for a file. */
export async function target(
  way: Way,
  path = 'images/cat.png',
  more: Readonly<Record<string, unknown>> = {},
): Promise<Target> {
  const response = await ask(way, { path, ...more })
  expect(response.status).toBe(200)
  return (await response.json()) as Target
}

/** Sends bytes to an address with its method. */
export function send(
  way: Pick<Way, 'fetch'>,
  { upload_url, method }: Target,
  body: RequestInit['body'] = 'meow',
  headers: Record<string, string> = { 'content-type': 'image/png' },
): Promise<Response> {
  return way.fetch(upload_url, { method, headers, body })
}

export interface StoreError {
  readonly Code: string
  readonly Message: string
  readonly RequestId: string
  readonly TraceId: string
}

/** The rejection of a store: XML of four fields, with the request id of the header. */
export async function rejected(sent: Response | Promise<Response>, status: number): Promise<StoreError> {
  const response = await sent
  const text = await response.text()
  expect([response.status, response.headers.get('content-type')], text).toEqual([status, 'application/xml'])
  const fields = Object.fromEntries(
    [...text.matchAll(/^\t<(\w+)>([^<>]*)<\/\1>$/gm)].map(([, name, value]) => [name, value]),
  )
  expect(Object.keys(fields)).toEqual(['Code', 'Message', 'RequestId', 'TraceId'])
  expect(text).toMatch(/^<\?xml version='1\.0' encoding='utf-8' \?>\n<Error>\n[^]*<\/Error>\n$/)
  expect(fields['RequestId']).toBe(response.headers.get('x-request-id'))
  return fields as unknown as StoreError
}

/** The path and query of an address: what signatures cover. */
export const local = (address: string): string => address.replace(/^https?:\/\/[^/]+(?:\/gateway(?=\/))?/, '')
