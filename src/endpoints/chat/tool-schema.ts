/** The tools of a chat request and the format of its answer (contract 4.2; names from wire-formats 2.1). */
import * as z from 'zod'

const text = z.string()
const name = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, dashes or underscores')

const jsonSchemaOf = z.union([z.record(z.string(), z.unknown()), z.boolean()])
export const functionDefinition = z.looseObject({
  name,
  description: text.nullish(),
  parameters: jsonSchemaOf.nullish(),
  strict: z.boolean().nullish(),
})
export const functionTool = z.looseObject({ type: z.literal('function'), function: functionDefinition })
const grammar = z.looseObject({ definition: z.string().min(1), syntax: z.enum(['lark', 'regex']) })
export const customTool = z.looseObject({
  type: z.literal('custom'),
  custom: z.looseObject({
    name,
    description: text.nullish(),
    format: z
      .discriminatedUnion('type', [
        z.looseObject({ type: z.literal('text') }),
        z.looseObject({ type: z.literal('grammar'), grammar }),
      ])
      .nullish(),
  }),
})

const namedFunction = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1) }),
})
const namedCustom = z.looseObject({
  type: z.literal('custom'),
  custom: z.looseObject({ name: z.string().min(1) }),
})
const allowedTools = z.looseObject({
  mode: z.enum(['auto', 'required']),
  tools: z.array(z.discriminatedUnion('type', [namedFunction, namedCustom])).min(1),
})
export const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.discriminatedUnion('type', [
    namedFunction,
    namedCustom,
    z.looseObject({ type: z.literal('allowed_tools'), allowed_tools: allowedTools }),
  ]),
])

export const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name,
      description: text.nullish(),
      schema: jsonSchemaOf.nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
])
