/** `POST /v1/images/edits` (contract 4.5): pictures made from pictures, in one body or as a stream. */
import { sourceFrom } from '../../behaviours/made-pictures.ts'
import { checkModel } from '../../behaviours/model-access.ts'
import { defineEndpoint } from '../../protocol/endpoint.ts'
import { invalid } from '../../protocol/validate.ts'
import { answer } from './answer.ts'
import { fileFindings, filesOf, type Picture } from './edit-files.ts'
import { modelOf } from './models.ts'
import { orderOf } from './order.ts'
import { filesToDecode, filesToKeep, readEditForm } from './read-edit-form.ts'
import { describe, ruleFindings } from './rules.ts'
import { editBody, imageEvent, imagesReply, promptOf } from './schema.ts'

export const editImage = defineEndpoint({
  operation: 'images.edit',
  method: 'POST',
  path: '/v1/images/edits',
  summary: 'Edit pictures by a prompt, in one body or as a stream',
  // The contract knows a form alone; upstream's JSON body names pictures by address, and nothing is fetched (docs/decisions/images.md).
  accepts: ['form'],
  readForm: readEditForm,
  decodes: filesToDecode,
  keeps: filesToKeep,
  body: editBody,
  reply: imagesReply,
  event: imageEvent('image_edit'),
  contentIgnores: ['n', 'stream', 'partial_images', 'response_format', 'output_format', 'output_compression', 'user'],
  needs: () => ['tokens'],
  promptOf,
  act(call, context) {
    const { body } = call
    const model = modelOf(body, context.settings)
    checkModel(model.id, call.key, 'images', context.settings)
    if (model.kind === 'c') throw invalid([{ field: 'model', message: `expected a model of kind A or B, got ${describe(model)}, which edits no pictures` }], undefined)
    const found = [...ruleFindings(body, model, editBody.shape, context.settings), ...fileFindings(body, model, context.settings)]
    if (found.length > 0) throw invalid(found.slice(0, 20), undefined)
    const { images, mask } = filesOf(body)
    const sent = { pictures: images.map(({ image }) => image), fidelity: body.input_fidelity ?? 'low' } as const
    const from = { kind: 'edit', source: sourceFrom(images[0] as Picture), ...(mask === undefined ? {} : { mask: sourceFrom(mask) }) } as const
    return answer(body, orderOf(body, model, call.content, context.world, { auto: shapeOf(sent.pictures[0]), from }), sent, 'image_edit', call, context)
  },
})

/** The size that `auto` becomes: the one whose shape is nearest to the first picture's. */
function shapeOf(picture: { readonly width: number; readonly height: number } | undefined): '1024x1024' | '1536x1024' | '1024x1536' {
  const ratio = picture === undefined ? 1 : picture.width / picture.height
  if (ratio >= 1.25) return '1536x1024'
  return ratio <= 0.8 ? '1024x1536' : '1024x1024'
}
