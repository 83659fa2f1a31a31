/** The examples: there is one of everything, and each is what its schema says. */
import { describe, expect, it } from 'vitest'
import { document, judge, type MediaType, operations, resolved } from './_document.ts'

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
