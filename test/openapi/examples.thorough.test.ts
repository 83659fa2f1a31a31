/** The examples: there is one of everything, and each is what its schema says. */
import { describe, expect, it } from 'vitest'
import { document, judge, type MediaType, noted, operations, resolved } from './_document.ts'

interface Shown {
  readonly title: string
  readonly schema: object
  readonly value: unknown
}

const shownBy = (title: string, { schema, examples, ...stream }: MediaType): Shown[] => [
  ...Object.entries(examples ?? {}).map(([name, { value }]) => ({
    title: `${title}, ${name}`,
    schema: schema ?? {},
    value,
  })),
  ...Object.entries(stream['x-event-examples'] ?? {}).flatMap(([name, events]) =>
    events
      .filter(({ data }) => data !== '[DONE]')
      .map(({ data }, index) => ({
        title: `${title}, ${name}, event ${index}`,
        schema:
          (data !== null && typeof data === 'object' && 'error' in data
            ? stream['x-event-error-schema']
            : stream['x-event-schema']) ?? {},
        value: data,
      })),
  ),
]

const shown: Shown[] = operations.flatMap(
  ({ object: { operationId, requestBody, responses, parameters } }) => [
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, media]) =>
      shownBy(`${operationId} takes ${type}`, media),
    ),
    ...Object.entries(responses).flatMap(([status, response]) =>
      Object.entries(resolved(response).content ?? {}).flatMap(([type, media]) =>
        shownBy(`${operationId} answers ${status} ${type}`, media),
      ),
    ),
    ...(parameters ?? []).flatMap(({ name, schema, example }) =>
      example === undefined ? [] : [{ title: `${operationId} with ${name}`, schema, value: example }],
    ),
  ],
)

describe('every example', () => {
  it('is there to be looked at', () => {
    expect(shown.length).toBeGreaterThan(250)
  })

  it('is what its schema says', () => {
    const wrong = shown.flatMap(({ title, schema, value }) => {
      const holds = judge(schema)
      return holds(value) ? [] : [`${title}: ${JSON.stringify(holds.errors?.slice(0, 3))}`]
    })
    expect(wrong).toEqual([])
  })

  it('is of a working simulator', () => {
    expect(JSON.stringify(document)).not.toContain('simulator_bug')
  })
})

describe('every operation shows', () => {
  it('a request, when it takes one', () => {
    const silent = noted.flatMap(({ object }) =>
      Object.entries(object.requestBody?.content ?? {}).flatMap(([type, { examples }]) =>
        Object.keys(examples ?? {}).length === 0 ? [`${object.operationId} ${type}`] : [],
      ),
    )
    // Only a request that is held can be released, and an example waits for its response.
    expect(silent).toEqual(['sim.releaseRequest application/json'])
    const unfilled = noted.flatMap(({ object }) =>
      (object.parameters ?? [])
        .filter(({ in: place, example }) => place === 'path' && example === undefined)
        .map(({ name }) => `${object.operationId} ${name}`),
    )
    expect(unfilled).toEqual(['sim.releaseRequest id'])
  })

  it('a response, in each of its media types but files', () => {
    const silent = noted.flatMap(({ object }) => {
      const content = Object.entries((object.responses['200'] ?? object.responses['201'])?.content ?? {})
      // The store answers an upload with a tag in a header and nothing else.
      if (object.operationId === 'uploads.send') return []
      return content.length === 0
        ? [object.operationId]
        : content
            .filter(
              ([, { schema, examples }]) =>
                schema?.['format'] !== 'binary' && Object.keys(examples ?? {}).length === 0,
            )
            .map(([type]) => `${object.operationId} ${type}`)
    })
    // A trace would repeat all the other examples.
    expect(silent).toEqual(['sim.releaseRequest application/json', 'sim.getTrace'])
  })

  it('a refusal, unless there is none', () => {
    const silent = noted.filter(({ object }) =>
      Object.entries(object.responses).every(
        ([status, response]) =>
          Number(status) < 400 ||
          Object.values(resolved(response).content ?? {}).every(
            ({ examples }) => Object.keys(examples ?? {}).length === 0,
          ),
      ),
    )
    // What takes no key, no parameter and no body cannot be asked wrongly.
    expect(silent.map(({ object }) => object.operationId)).toEqual([
      'sim.health',
      'sim.ready',
      'sim.listSessions',
      'sim.listBreakpoints',
      'sim.getEvents',
      'sim.getTrace',
      'sim.getClock',
      'sim.freezeClock',
      'sim.listScenarios',
      'sim.listOverrides',
      'sim.clearOverrides',
      'sim.listJobs',
      'sim.unusedRules',
      'sim.clientReport',
      'sim.settled',
    ])
  })

  it('a stream event by event, to its end', () => {
    const streams = noted.flatMap(({ object }) =>
      Object.entries(object.responses['200']?.content?.['text/event-stream']?.['x-event-examples'] ?? {}).map(
        ([name, events]) => [`${object.operationId} ${name}`, events.at(-1)] as const,
      ),
    )
    expect(Object.fromEntries(streams)).toMatchObject({
      'chat.create stream': { data: '[DONE]' },
      'chat.create stream-error': { data: { error: { type: 'api_error' } } },
      'messages.create stream': { event: 'message_stop', data: { type: 'message_stop' } },
      'images.generate stream': {
        event: 'image_generation.completed',
        data: { type: 'image_generation.completed' },
      },
      'images.generate stream-error': {
        event: 'error',
        data: { type: 'error', error: { type: 'api_error' } },
      },
      'images.edit stream': { event: 'image_edit.completed', data: { type: 'image_edit.completed' } },
      'messages.create stream-error': {
        event: 'error',
        data: { type: 'error', error: { type: 'api_error' } },
      },
    })
    expect(streams.filter(([, last]) => last === undefined)).toEqual([])
  })
})
