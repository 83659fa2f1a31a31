/** Where faults can act: groups of operations that several faults name. */

/** Operations that can answer as a stream. */
export const streaming = ['chat.create', 'messages.create', 'images.generate', 'images.edit'] as const

/** Operations that make something that lives over time. */
export const submitting = ['imageJobs.create', 'imageJobs.uploadPaint', 'imageJobs.retexture', 'imageJobs.pan', 'imageJobs.removeBackground', 'imageJobs.variation', 'videos.create', 'videos.remix', 'operations.submit', 'operations.submitForPublisher'] as const
