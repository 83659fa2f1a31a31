/** A tool of the table of prompts, and what its parameters are made of. */

export type Input = Readonly<Record<string, unknown>>

export interface RunnableTool {
  readonly name: string
  readonly description?: string
  readonly parameters: Readonly<Record<string, unknown>>
  run(input: Input): unknown
}

type Properties = Readonly<Record<string, unknown>>

export const object = (
  properties: Properties,
  required = Object.keys(properties),
): RunnableTool['parameters'] => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
export const text = (description?: string): object => ({
  type: 'string',
  ...(description && { description }),
})
export const number = (description?: string): object => ({
  type: 'number',
  ...(description && { description }),
})
export const tool = (
  name: string,
  description: string | undefined,
  parameters: RunnableTool['parameters'],
  run: (input: Input) => unknown = () => ({ ok: true }),
): RunnableTool => ({ name, ...(description !== undefined && { description }), parameters, run })
