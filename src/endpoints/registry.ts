/** The operations of the service, group by group. */

import { createVocabulary, type Vocabulary } from '../protocol/operations.ts'
import { chat } from './chat/index.ts'
import { files, uploads } from './files/index.ts'
import { imageJobs } from './image-jobs/index.ts'
import { images } from './images/index.ts'
import { messages } from './messages/index.ts'
import { systemone } from './systemone/index.ts'
import { videoOperations } from './video-operations/index.ts'
import { videos } from './videos/index.ts'

/** Every group of the service. */
export const serviceGroups = [
  chat,
  messages,
  images,
  imageJobs,
  videos,
  videoOperations,
  files,
  uploads,
  systemone,
]

/** What scenarios can name. */
export const createServiceVocabulary = (): Vocabulary => createVocabulary(serviceGroups)
