/** The platform of node and of browsers. */
import type { CreatePlatform } from '../core/platform.ts'
import { createMedia } from '../media/media.ts'
import { createFacilities } from './lazy-dependencies.ts'
import { drive } from './pace.ts'
import { turn } from './turn.ts'

export const createPlatform: CreatePlatform = ({ memory }) => ({
  facilities: createFacilities(),
  media: createMedia({ cacheBytes: memory.mediaBytes }),
  drive,
  turn,
})
