/** `POST /v1/images/edits` (contract 4.5): pictures made from pictures, in one body or as a stream. */

import { sourceOfFile } from '../../behaviours/image-series.ts'
import { type Random, randomFrom } from '../../engine/random.ts'
import { checkModel } from '../../protocol/auth.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { invalid } from '../../protocol/validate.ts'
import { answerImages } from './answer.ts'
import { fileFindings, maxFileBytes, type SourceImage, type SourceImages } from './edit-files.ts'
import { modelOf } from './models.ts'
import { sourceImagesOf } from './named-files.ts'
import { orderOf } from './order.ts'
import { filesToInspect, filesToStore, readEditForm, uploadsToInspect } from './read-edit-form.ts'
import { describeModel, ruleFindings } from './rules.ts'
import { editBody, imageEvent, imagesReply, sampleCall } from './schema.ts'

export const editImage = defineEndpoint({
  operation: 'images.edit',
  method: 'POST',
  path: '/v1/images/edits',
  summary: 'Edit pictures by a prompt, in one body or as a stream',
  // The contract has only forms; the JSON body of the upstream names images by address, and nothing is
  // fetched (docs/decisions/images.md).
  accepts: ['form'],
  sdkNames: { 'images.edits': '' },
  draws: true,
  sampleCall: (needs) => ({ ...sampleCall(needs), image: { picture: { width: 64, height: 64 } } }),
  readForm: readEditForm,
  files: {
    store: filesToStore,
    inspect: filesToInspect,
    uploads: uploadsToInspect,
    maxBytes: maxFileBytes,
  },
  body: editBody,
  reply: imagesReply,
  event: imageEvent('image_edit'),
  // The result depends on the images, not on how they were sent.
  contentIgnores: [
    'image',
    'mask',
    'n',
    'stream',
    'partial_images',
    'response_format',
    'output_format',
    'output_compression',
    'user',
  ],
  needs: () => ['tokens'],
  promptOf: ({ prompt }) => prompt,
  act(call, context) {
    const { body } = call
    const model = modelOf(body, context.settings)
    checkModel(model.id, call.key, 'images', context.settings)
    if (model.kind === 'c')
      throw invalid(
        [
          {
            field: 'model',
            message: `expected a model of kind A or B, got ${describeModel(model)}, which edits no pictures`,
          },
        ],
        undefined,
      )
    const given = sourceImagesOf(body, context)
    const pictures = 'findings' in given ? undefined : given
    const findings = [
      ...ruleFindings(body, model, editBody.shape, context.settings),
      ...('findings' in given ? given.findings : fileFindings(given, model, context.settings)),
    ]
    if (findings.length > 0 || pictures === undefined) throw invalid(findings.slice(0, 20), undefined)
    const { images, mask } = pictures
    const sent = {
      pictures: images.map(({ image }) => image),
      fidelity: body.input_fidelity ?? 'low',
    } as const
    const from = {
      kind: 'edit',
      source: sourceOfFile(images[0] as SourceImage),
      ...(mask === undefined ? {} : { mask: sourceOfFile(mask) }),
    } as const
    return answerImages(
      body,
      orderOf(body, model, contentOf(call.content, pictures), context.world, {
        auto: shapeOf(sent.pictures[0]),
        from,
      }),
      sent,
      'image_edit',
      call,
      context,
    )
  },
})

/** The chance of what is drawn: by the request without its pictures, and by the bytes of these. */
function contentOf(content: Random, { images, mask }: SourceImages): Random {
  return randomFrom(
    JSON.stringify([content.fork('pictures').hex(32), images.map(({ sha256 }) => sha256), mask?.sha256]),
  )
}

/** The size that `auto` becomes: the one whose shape is nearest to the first picture's. */
function shapeOf(
  picture: { readonly width: number; readonly height: number } | undefined,
): '1024x1024' | '1536x1024' | '1024x1536' {
  const ratio = picture === undefined ? 1 : picture.width / picture.height
  if (ratio >= 1.25) return '1536x1024'
  return ratio <= 0.8 ? '1024x1536' : '1024x1024'
}
