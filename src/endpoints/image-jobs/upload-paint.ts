/** imageJobs.uploadPaint: repaints the masked part of an image on a canvas (contract 4.1). */
import type { TransformRef } from '../../behaviours/image-series.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { limitSize } from './job-images.ts'
import { checkEdit, checkModel } from './models.ts'
import { checkImageName } from './named-image.ts'
import { paintedAreas, rescaleRectangle } from './paint-canvas.ts'
import { imageJobReply, promptIn, uploadPaintBody } from './schema.ts'
import { imageJobsKind, sampleImage, samplePrompt } from './scripted.ts'
import { drawingSeed, resolveSource } from './source-image.ts'
import { submitImageJob } from './submit.ts'

export const uploadPaint = defineEndpoint({
  operation: 'imageJobs.uploadPaint',
  method: 'POST',
  path: '/v1/tob/upload-paint',
  summary: 'Edits an image from its address, on a canvas.',
  accepts: ['json'],
  submits: imageJobsKind,
  sampleCall: () => ({
    model: 'image-job-v7',
    imgUrl: sampleImage,
    mask: { url: sampleImage },
    canvas: { width: 200, height: 200 },
    imgPos: { width: 100, height: 100, x: 0, y: 0 },
    remixPrompt: samplePrompt,
  }),
  body: uploadPaintBody,
  reply: imageJobReply,
  // The result depends on the images, not on their addresses; `drawingSeed` adds the areas.
  contentIgnores: ['imgUrl', 'mask'],
  promptOf: promptIn,
  act(call, context) {
    const { model, imgUrl, mask, canvas, imgPos, remixPrompt } = call.body
    checkImageName(imgUrl, 'imgUrl', context)
    checkImageName(mask.url, 'mask.url', context)
    checkModel(model, call.key, context.settings, 'model')
    checkEdit(model, 'uploadPaint', context.settings, 'model')
    const start = resolveSource(imgUrl, context, call.now)
    const masked = mask.url === undefined ? undefined : resolveSource(mask.url, context, call.now)
    const areas = mask.areas ?? []
    const size = limitSize(canvas)
    const from: TransformRef = {
      kind: 'paint',
      source: start.source,
      at: rescaleRectangle(size, imgPos, canvas),
      canvas: size,
      areas: paintedAreas(size, areas),
      ...(masked === undefined ? {} : { mask: masked.source }),
    }
    return submitImageJob(call, context, {
      model,
      text: remixPrompt,
      images: { size, seed: drawingSeed(call.content, start, masked, areas), how: 'upload-paint', from },
    })
  },
})
