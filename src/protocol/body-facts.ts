/** What rules and reserved values look at in a body that nobody has validated yet. */
import type { Payload } from './call.ts'
import type { Endpoint } from './endpoint.ts'

export interface BodyFacts {
  readonly model: string | undefined
  /** The last message of the user, or the prompt. */
  readonly prompt: string | undefined
}

const nothing: BodyFacts = { model: undefined, prompt: undefined }

/** What a body says; without an endpoint, nobody knows where its prompt is. */
export function readBodyFacts(payload: Payload, endpoint: Endpoint | undefined): BodyFacts {
  let model: unknown
  let fields: Readonly<Record<string, unknown>>
  if (payload.kind === 'json') {
    const { value } = payload
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return nothing
    fields = value as Readonly<Record<string, unknown>>
    model = fields['model']
  } else if (payload.kind === 'form') {
    const texts = payload.fields.flatMap((field) => ('value' in field ? [[field.name, field.value]] : []))
    model = texts.find(([name]) => name === 'model')?.[1]
    fields = Object.fromEntries(texts)
  } else return nothing
  const prompt = endpoint?.promptOf?.(fields)
  return {
    model: typeof model === 'string' ? model : undefined,
    prompt: typeof prompt === 'string' ? prompt : undefined,
  }
}
