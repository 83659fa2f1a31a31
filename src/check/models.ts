/** Which models a check uses: those that were named, else those that the gateway lists, else a guess. */
import { isFields, listOf } from '../engine/fields.ts'
import type { CheckOptions, Fetch } from './options.ts'
import { namesModel, type PlannedProbe } from './suite.ts'

export interface Model {
  readonly id: string
  /** False: nobody said that the gateway has it. */
  readonly given: boolean
}

export interface Models {
  of(group: string): Model
  /** Those of a group that the gateway has, as far as they are known. */
  known(group: string): readonly string[]
}

/** Asks for the list of models where one is needed that was not named. */
export async function chooseModels(
  plan: readonly PlannedProbe[],
  { baseUrl, apiKey, models = {} }: CheckOptions,
  fetch: Fetch,
): Promise<Models> {
  const needed = plan.filter(
    ({ probe, models: group }) => namesModel(probe.request) && models[group] === undefined,
  )
  const listed = needed.length === 0 ? [] : await listModels(baseUrl, apiKey, fetch)
  const chosen = new Map<string, Model>(
    Object.entries(models).map(([group, id]) => [group, { id, given: true }]),
  )
  for (const { set, models: group } of needed) {
    if (chosen.has(group) || set.model === undefined) continue
    const { id, names } = set.model
    // The shortest name is the plainest model: `gpt-4o`, and not `gpt-4o-audio-preview`.
    const [plainest] = listed.filter((one) => names.test(one)).sort((a, b) => a.length - b.length)
    const found = listed.includes(id) ? id : plainest
    chosen.set(group, { id: found ?? id, given: found !== undefined })
  }
  return {
    known(group) {
      const { id } = chosen.get(group) ?? {}
      const names = needed.find(({ models: own }) => own === group)?.set.model?.names
      const ids = names === undefined ? [] : listed.filter((one) => names.test(one))
      return ids.length > 0 ? ids : id === undefined ? [] : [id]
    },
    of(group) {
      const model = chosen.get(group)
      if (model === undefined) throw new Error(`check: no model for ${group}`)
      return model
    },
  }
}

// The list is no part of the contract: where there is none, models are guessed.
async function listModels(baseUrl: string, apiKey: string, fetch: Fetch): Promise<readonly string[]> {
  try {
    const reply = await fetch(`${baseUrl}/v1/models`, {
      headers: { authorization: `Bearer ${apiKey}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(30_000),
    })
    const body: unknown = reply.status === 200 ? await reply.json() : undefined
    return isFields(body)
      ? listOf(body['data']).flatMap((one) =>
          isFields(one) && typeof one['id'] === 'string' ? [one['id']] : [],
        )
      : []
  } catch {
    return []
  }
}
