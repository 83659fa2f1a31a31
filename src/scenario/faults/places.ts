/** Where faults can act, and the options by which several of them name their place. */
import * as z from 'zod'

/** Operations that can answer as a stream. */
export const streaming = ['chat.create', 'messages.create', 'images.generate', 'images.edit'] as const

/** Operations that make something that lives over time. */
export const submitting = [
  'imageJobs.create',
  'imageJobs.uploadPaint',
  'imageJobs.retexture',
  'imageJobs.pan',
  'imageJobs.removeBackground',
  'imageJobs.variation',
  'videos.create',
  'videos.remix',
  'operations.submit',
  'operations.submitForPublisher',
] as const

/**
 * Every operation of the gateway; not those of the object store behind its upload URLs, which refuses in its
 * own way.
 */
export const gateway = [
  'models.*',
  'chat.*',
  'messages.*',
  'images.*',
  'imageJobs.*',
  'videos.*',
  'operations.*',
  'files.*',
  'systemone.*',
] as const

/** Behind how many events of a stream something happens. */
export const afterEvents = (count: number, description = 'How many events arrive before it.') =>
  z.int().min(0).default(count).describe(description)

/** Behind how many bytes of a body something happens. */
export const afterBytes = (
  description = 'How many bytes of the body arrive before it, in the place of the option beside this one.',
) => z.int().min(0).optional().describe(description)

/** Behind which share of a body something happens. */
export const afterShare = (share: number) =>
  z.number().min(0).max(1).default(share).describe('The share of the body (0 to 1) that arrives before it.')
