/**
 * The simulator's own responses, as the OpenAPI document shows them, by the contract that it judges others
 * by.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { serviceGroups } from '../../../src/endpoints/registry.ts'
import { type Exchange, textBody } from '../../../src/exchange/exchange.ts'
import { createSchemaJudge } from '../../../src/judges/contract/judge-response.ts'
import { callOf } from '../../../src/judges/judged-calls.ts'
import { createRouter } from '../../../src/protocol/router.ts'
import type { MediaType, OperationObject, ResponseObject } from '../../openapi/_document.ts'

const document = JSON.parse(
  readFileSync(new URL('../../../schema/openapi.json', import.meta.url), 'utf8'),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: { readonly responses: Readonly<Record<string, ResponseObject>> }
}

interface Shown {
  readonly name: string
  readonly status: number
  readonly type: string
  readonly body: string
  readonly events: readonly { readonly at: number; readonly data: string }[] | undefined
}

function shown({ responses }: OperationObject): Shown[] {
  return Object.entries(responses).flatMap(([status, { $ref, ...own }]) => {
    const response = $ref === undefined ? own : document.components.responses[$ref.split('/').at(-1) ?? '']
    return Object.entries(response?.content ?? {}).flatMap(([type, media]) =>
      Object.entries(media.examples ?? {}).map(([name, { value }]) => ({
        name: `${status} ${name}`,
        status: Number(status),
        type,
        body: typeof value === 'string' ? value : JSON.stringify(value),
        events: eventsOf(media, name),
      })),
    )
  })
}

const eventsOf = ({ 'x-event-examples': events }: MediaType, name: string) =>
  events?.[name]?.map(({ data }) => ({ at: 0, data: typeof data === 'string' ? data : JSON.stringify(data) }))

/** What the contract forbids and clients need: docs/decisions/messages.md. */
const known = ['messages.create: 400 thread /error/details']

describe('every response that is shown', () => {
  const { routes } = createRouter(serviceGroups)
  const judge = createSchemaJudge()
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods))

  it.each(routes.map((route) => [route.endpoint.operation, route] as const))('of %s', (operation, route) => {
    const object = all.find(({ operationId }) => operationId === operation) as OperationObject
    const { method } = route.endpoint
    const exchange = { seq: 0, request: { method }, redacted: [] } as unknown as Exchange
    const found = shown(object).flatMap(({ name, status, type, body, events }) => {
      const headers = [['content-type', type]] as const
      const response = { status, headers, body: textBody(body), events }
      const request = { stream: events !== undefined }
      return judge(callOf(exchange, response, { route, params: {}, request })).map(
        ({ args: { expected, got }, evidence: [{ place }] }) =>
          `${operation}: ${name} ${place.pointer}: expected ${expected}, got ${got}`,
      )
    })
    expect(found.filter((line) => !known.some((one) => line.startsWith(one)))).toEqual([])
  })

  it('is of every operation that answers', () => {
    const without = routes.filter(({ endpoint }) => {
      const object = all.find(({ operationId }) => operationId === endpoint.operation)
      return endpoint.response !== undefined && (object === undefined || shown(object).length === 0)
    })
    expect(without.map(({ endpoint }) => endpoint.operation)).toEqual([])
  })
})
