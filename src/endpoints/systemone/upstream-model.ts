/** Under which name the upstream answers (contract 2.9). */
import { matchesModel } from '../../protocol/auth.ts'
import type { Settings } from '../../protocol/settings.ts'

/** The model name in replies: as configured, else the platform's own (contract 2.9 allows both). */
export function upstreamModel(model: string, { systemone }: Settings): string {
  return (
    Object.entries(systemone.upstreamModels).find(([pattern]) => matchesModel(pattern, model))?.[1] ?? model
  )
}
