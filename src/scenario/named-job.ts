/** The job, video or operation that a call names or submits, as rules see it. */
import { isFields } from '../engine/fields.ts'
import type { Submission } from '../engine/resource.ts'
import { copied, truncate } from '../engine/truncate.ts'
import type { World } from '../engine/world.ts'
import type { Payload } from '../protocol/call.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { ScriptedKind } from '../protocol/scripted.ts'
import { bodyOf, type NamedJob } from './condition-facts.ts'
import type { RuleFacts } from './facts.ts'

/** What a call names. Nothing of the call is validated. */
export function namedJob(
  { kind: { resource: kind }, id: idIn }: NonNullable<Endpoint['concerns']>,
  params: Readonly<Record<string, string>>,
  payload: Payload,
  { store }: Pick<World, 'store'>,
): NamedJob | undefined {
  const body = bodyOf(payload)
  const id = idIn(params, isFields(body) ? body : {})
  if (typeof id !== 'string') return undefined
  const found = store.find<{ readonly model?: string }>(kind, id)
  if (typeof found !== 'object' || found.submission === undefined) return { kind, id, made: undefined }
  // One that names no model has the default one, or that of the job that it was made from.
  const { model = found.facts.model } = found.submission
  return { kind, id, made: { ...found.submission, model } }
}

/** What is kept of a call that submits, for as long as what it makes. */
export function submissionOf({ operation, model, prompt, payload }: RuleFacts): Submission {
  return {
    operation,
    model,
    prompt: prompt === undefined ? undefined : kept(prompt, { values: 1 }),
    body:
      payload.kind === 'json' && payload.text.length <= smallBody
        ? payload.value
        : kept(bodyOf(payload), { values: maxValues }),
    form: payload.kind === 'form',
  }
}

/** The same of a resource that a scenario gives, in the words of its `given`. */
export function givenSubmission(
  fields: Readonly<Record<string, unknown>>,
  { promptField = 'prompt' }: ScriptedKind,
): Submission {
  const { model, [promptField]: prompt } = fields
  return {
    operation: undefined,
    model: typeof model === 'string' ? model : undefined,
    prompt: typeof prompt === 'string' ? prompt : undefined,
    body: fields,
    form: false,
  }
}

/** Such bodies are kept as they are; of larger ones (pictures as text) the beginning of each text. */
const smallBody = 16_384
const maxText = 4000
const maxValues = 1000

// A session keeps thousands of jobs, and a body can have megabytes.
function kept<T>(value: T, left: { values: number }): T
function kept(value: unknown, left: { values: number }): unknown {
  left.values--
  if (typeof value === 'string')
    return value.length > maxText ? copied(truncate(value, maxText)) : copied(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const list: unknown[] = []
    for (const item of value) if (left.values > 0) list.push(kept(item, left))
    return list
  }
  const fields: Record<string, unknown> = {}
  for (const name of Object.keys(value))
    if (left.values > 0) fields[name] = kept((value as Record<string, unknown>)[name], left)
  return fields
}
