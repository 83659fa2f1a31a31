/** The operations of the service, group by group, and what scenarios can say of them. */

import type { Vocabulary } from '../scenario/format/scenario.ts'
import { chat } from './chat/index.ts'
import { files, uploads } from './files/index.ts'
import { imageJobs } from './image-jobs/index.ts'
import { imageJobsKind } from './image-jobs/scripted.ts'
import { images } from './images/index.ts'
import { messages } from './messages/index.ts'
import { operations } from './operations/index.ts'
import { operationsKind } from './operations/scripted.ts'
import { systemone } from './systemone/index.ts'
import { videos } from './videos/index.ts'
import { videosKind } from './videos/scripted.ts'

/** Every group of the service. */
export const serviceGroups = [
  chat,
  messages,
  images,
  imageJobs,
  videos,
  operations,
  files,
  uploads,
  systemone,
]

/** What scenarios can speak about. */
export function createVocabulary(): Vocabulary {
  const endpoints = new Map(
    serviceGroups.flatMap((group) =>
      group.endpoints.map((endpoint) => [endpoint.operation, endpoint] as const),
    ),
  )
  const catalogs = new Map(
    serviceGroups.flatMap(({ endpoints: own, catalog }) =>
      own.map(({ operation }) => [operation, catalog] as const),
    ),
  )
  return {
    operations: [...endpoints.keys()],
    kinds: [imageJobsKind, videosKind, operationsKind],
    endpoint: (operation) => endpoints.get(operation),
    catalog: (operation) => catalogs.get(operation),
  }
}
