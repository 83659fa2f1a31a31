/** What rules and reserved values look at in a body that nobody has validated yet. */
import type { Payload } from './call.ts'
import type { Endpoint } from './endpoint.ts'

/** The model that the body names. */
export function modelOf(payload: Payload): string | undefined {
  if (payload.kind === 'json' && payload.value !== null && typeof payload.value === 'object') {
    const { model } = payload.value as { model?: unknown }
    return typeof model === 'string' ? model : undefined
  }
  if (payload.kind === 'form')
    for (const field of payload.fields) if (field.name === 'model' && 'value' in field) return field.value
  return undefined
}

/** The last message of the user, or the prompt. */
export function promptOf(endpoint: Endpoint, payload: Payload): string | undefined {
  const fields = endpoint.promptOf === undefined ? undefined : fieldsOf(payload)
  const prompt = fields === undefined ? undefined : endpoint.promptOf?.(fields)
  return typeof prompt === 'string' ? prompt : undefined
}

function fieldsOf(payload: Payload): Readonly<Record<string, unknown>> | undefined {
  if (payload.kind === 'json') return isFields(payload.value) ? payload.value : undefined
  if (payload.kind !== 'form') return undefined
  return Object.fromEntries(
    payload.fields.flatMap((field) => ('value' in field ? [[field.name, field.value]] : [])),
  )
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
