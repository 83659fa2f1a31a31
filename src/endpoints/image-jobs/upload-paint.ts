/** imageJobs.uploadPaint: repaints the masked part of a picture on a canvas (contract 4.1). */
import type { TransformRef } from '../../behaviours/image-series.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { checkEdit, checkModel } from './models.ts'
import { checkPicture } from './named-picture.ts'
import { paintedAreas, placedOn } from './paint-canvas.ts'
import { bounded } from './pictures.ts'
import { imageJobReply, promptIn, uploadPaintBody } from './schema.ts'
import { imageJobsKind, sampleImage, samplePrompt } from './scripted.ts'
import { seedFrom, startFrom } from './source-picture.ts'
import { submit } from './submit.ts'

export const uploadPaint = defineEndpoint({
  operation: 'imageJobs.uploadPaint',
  method: 'POST',
  path: '/v1/tob/upload-paint',
  summary: 'Edits a picture from its address, on a canvas.',
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
  // What is drawn follows from the pictures, not from their addresses; the areas are put to it again.
  contentIgnores: ['imgUrl', 'mask'],
  promptOf: promptIn,
  act(call, context) {
    const { model, imgUrl, mask, canvas, imgPos, remixPrompt } = call.body
    checkPicture(imgUrl, 'imgUrl', context)
    checkPicture(mask.url, 'mask.url', context)
    checkModel(model, call.key, context.settings, 'model')
    checkEdit(model, 'uploadPaint', context.settings, 'model')
    const start = startFrom(imgUrl, context, call.now)
    const masked = mask.url === undefined ? undefined : startFrom(mask.url, context, call.now)
    const areas = mask.areas ?? []
    const size = bounded(canvas)
    const from: TransformRef = {
      kind: 'paint',
      source: start.source,
      at: placedOn(size, imgPos, canvas),
      canvas: size,
      areas: paintedAreas(size, areas),
      ...(masked === undefined ? {} : { mask: masked.source }),
    }
    return submit(call, context, {
      model,
      text: remixPrompt,
      pictures: { size, seed: seedFrom(call.content, start, masked, areas), how: 'upload-paint', from },
    })
  },
})
