/** The model name of replies (contract 2.9). */
import { isListed } from '../../protocol/auth.ts'
import type { Settings } from '../../protocol/settings.ts'

/** The model name in replies: as configured, else the platform's own (contract 2.9 allows both). */
export function upstreamModel(model: string, { systemone }: Settings): string {
  return (
    Object.entries(systemone.upstreamModels).find(([pattern]) => isListed(model, [pattern]))?.[1] ?? model
  )
}
