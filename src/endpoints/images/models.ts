/** Which model a request means and which of the contract's three kinds it is. */
import { isListed } from '../../protocol/auth.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { ImageRequest } from './schema.ts'

/** The kinds of contract 4.4: A the newest, B and C. */
export type ModelKind = 'a' | 'b' | 'c'

export interface Model {
  readonly id: string
  readonly kind: ModelKind
  /** Whether the settings name the id; one that they do not name follows A. */
  readonly named: boolean
}

/**
 * The model of a request; without one, B unless the request uses what only A has (contract 4.5; for 4.4,
 * wire-formats section 4).
 */
export function modelOf(request: ImageRequest, { images }: Settings): Model {
  const id = request.model ?? images.defaults[usesOnlyA(request) ? 'a' : 'b']
  const kind = (['c', 'b', 'a'] as const).find((candidate) => isListed(id, images.models[candidate]))
  return { id, kind: kind ?? 'a', named: kind !== undefined }
}

/** Fields that only A has. `stream` is one when it is true: false says what leaving it out says. */
export const onlyOfA = [
  'background',
  'moderation',
  'output_format',
  'output_compression',
  'partial_images',
  'input_fidelity',
] as const

function usesOnlyA(request: ImageRequest): boolean {
  if (request.stream === true || onlyOfA.some((name) => request[name] != null)) return true
  return (
    ['1536x1024', '1024x1536', 'auto'].includes(request.size ?? '') ||
    ['low', 'medium', 'high'].includes(request.quality ?? '')
  )
}
