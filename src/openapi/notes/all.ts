/**
 * The notes of every group, by its name. A group without notes is in the document all the same, with less to
 * say.
 */
import { chatNotes } from './chat.ts'
import { controlNotes } from './control.ts'
import { filesNotes, uploadsNotes } from './files.ts'
import { imageJobsNotes } from './image-jobs.ts'
import { imagesNotes } from './images.ts'
import { messagesNotes } from './messages.ts'
import type { GroupNotes } from './notes.ts'
import { operationsNotes } from './operations.ts'
import { systemoneNotes } from './systemone.ts'
import { videosNotes } from './videos.ts'

export const groupNotes: Readonly<Record<string, GroupNotes>> = {
  chat: chatNotes,
  messages: messagesNotes,
  images: imagesNotes,
  'image-jobs': imageJobsNotes,
  videos: videosNotes,
  operations: operationsNotes,
  files: filesNotes,
  uploads: uploadsNotes,
  systemone: systemoneNotes,
  control: controlNotes,
}
