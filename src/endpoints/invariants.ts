/** What the contract says about each group beyond its schemas. Only judges load it. */
import type { GroupRules } from '../protocol/invariant.ts'
import { chatRules } from './chat/invariants.ts'
import { filesRules } from './files/invariants.ts'
import { imageJobsRules } from './image-jobs/invariants.ts'
import { imagesRules } from './images/invariants.ts'
import { messagesRules } from './messages/invariants.ts'
import { systemoneRules } from './systemone/invariants.ts'
import { videoOperationsRules } from './video-operations/invariants.ts'
import { videosRules } from './videos/invariants.ts'

const all: readonly GroupRules[] = [
  chatRules,
  messagesRules,
  systemoneRules,
  filesRules,
  imagesRules,
  imageJobsRules,
  videosRules,
  videoOperationsRules,
]

/** The rules of a group; it may have none. */
export const rulesOf = (group: string): GroupRules => all.find((rules) => rules.group === group) ?? { group }
