/** A batch: what one simulator is put through from its beginning, decided by the seed and a number alone. */
import { call } from './calls.ts'
import { file, scenario, settings } from './files.ts'
import { Random } from './random.ts'
import type { Seeds } from './seeds.ts'
import { bytes } from './sockets.ts'
import { type Area, areas, type CallStep, type Step } from './steps.ts'

export type Mode = 'in-process' | 'http'

export interface Batch {
  readonly area: Area
  readonly steps: readonly Step[]
}

const json = (operation: string, path: string, body: unknown): CallStep => ({
  kind: 'call',
  operation,
  method: 'POST',
  path,
  headers: { authorization: 'Bearer sk-fuzz', 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Things of each kind that have ended well, so that later steps have ids to name. */
const beginning: readonly Step[] = [
  json('videos.create', '/v1/videos', { model: 'sim-finished', prompt: 'a sunset' }),
  json('imageJobs.create', '/v1/tob/diffusion', { model: 'sim-finished', text: 'a lighthouse' }),
  json('videoOperations.submit', '/v1beta/models/veo-3:predictLongRunning', {
    instances: [{ prompt: 'a sunset [sim:finished]' }],
  }),
  json('images.generate', '/v1/images/generations', { prompt: 'a fox', model: 'dall-e-2', size: '256x256' }),
  json('files.createUploadUrl', '/v1/files/upload_url', { path: 'images/cat.png' }),
  json('videos.create', '/v1/videos', { model: 'video-1', prompt: 'a sunrise' }),
  json('imageJobs.create', '/v1/tob/diffusion', { model: 'image-job-v7', text: 'a harbour' }),
]

const shares: Readonly<Record<Mode, Readonly<Record<Area, number>>>> = {
  'in-process': { calls: 6.5, control: 2.5, files: 1, sockets: 0 },
  http: { calls: 5, control: 2, files: 0.5, sockets: 2.5 },
}

function areaOf(random: Random, mode: Mode, only: Area | undefined): Area {
  return only ?? random.weighted(shares[mode])
}

export function makeBatch(
  seeds: Seeds,
  seed: string,
  index: number,
  mode: Mode,
  only?: Area,
  size = 200,
): Batch {
  const random = new Random(`${seed}/${mode}/${index}`)
  const area = areaOf(random, mode, only)
  if (!areas.includes(area)) throw new Error(`no area ${area}`)
  const steps = [...beginning]
  while (steps.length < size) steps.push(stepOf(random, seeds, area, mode))
  return { area, steps }
}

function stepOf(random: Random, seeds: Seeds, area: Area, mode: Mode): Step {
  switch (area) {
    case 'calls':
      return call(random, seeds, random.chance(0.03) ? 'control' : 'service')
    case 'control':
      return call(random, seeds, random.chance(0.65) ? 'control' : 'service')
    case 'sockets':
      return random.chance(0.8) ? bytes(random, seeds) : call(random, seeds, 'service')
    case 'files':
      if (random.chance(0.6)) return call(random, seeds, random.chance(0.1) ? 'control' : 'service')
      if (mode === 'http') return random.chance(0.01) ? file(random, seeds) : scenario(random, seeds)
      return random.chance(0.3) ? settings(random, seeds) : scenario(random, seeds)
  }
}
