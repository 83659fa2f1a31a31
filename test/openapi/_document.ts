/** The document under test, made once per file, and what its tests look for in it. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type OpenapiDocument, openapi } from '../../src/openapi.ts'
import { groupNotes } from '../../tools/openapi/notes.ts'

export interface Example {
  readonly summary?: string
  readonly value: unknown
}

export interface MediaType {
  readonly schema?: Record<string, unknown>
  readonly examples?: Readonly<Record<string, Example>>
  readonly 'x-event-schema'?: { readonly $ref: string }
  readonly 'x-event-error-schema'?: { readonly $ref: string }
  readonly 'x-event-examples'?: Readonly<
    Record<string, readonly { readonly event?: string; readonly data: unknown }[]>
  >
}

export interface ResponseObject {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly 'x-not-in-contract'?: boolean
  readonly 'x-inferred'?: boolean
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: Record<string, unknown>
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export interface Operation {
  readonly method: string
  readonly path: string
  readonly object: OperationObject
}

export const document: OpenapiDocument = await openapi()

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, object]) => ({
    method: method.toUpperCase(),
    path,
    object: object as OperationObject,
  })),
)

/** Those that notes speak of; a test says which they leave out, the others need not say it again. */
export const noted: readonly Operation[] = operations.filter(
  ({ object: { operationId, tags } }) => groupNotes[tags[0] ?? '']?.operations[operationId] !== undefined,
)

/** One operation by its id. */
export function operation(id: string): OperationObject {
  const found = operations.find(({ object }) => object.operationId === id)
  if (found === undefined) throw new Error(`no operation ${id} in the document`)
  return found.object
}

/** What stands at a reference, or the thing itself when it is none. */
export function resolved<Thing extends object>(thing: Thing): Thing {
  const { $ref } = thing as { readonly $ref?: string }
  if ($ref === undefined) return thing
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
  if (found === undefined) throw new Error(`${$ref} leads nowhere`)
  return found as Thing
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('binary', true)
// ajv takes the whole document for one schema, so that references into its components work.
ajv.addSchema(document, 'document')

/** Holds values against a schema of the document. */
export function judge(schema: object): ValidateFunction {
  const { $ref } = schema as { readonly $ref?: string }
  return $ref === undefined ? ajv.compile(schema) : (ajv.getSchema(`document${$ref}`) as ValidateFunction)
}
