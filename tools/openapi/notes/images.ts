/** Notes of the document on images. */
import { fromBase64 } from '../../../src/engine/bytes.ts'
import type { FormPart, GroupNotes } from '../notes.ts'

const prompt = 'a fox in the snow'
/** A PNG of one transparent pixel. */
const clear = fromBase64(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAACklEQVR4XmMAAQAABQABmzsGegAAAABJRU5ErkJggg==',
)
const image = (name: string, filename: string): FormPart => ({
  name,
  filename,
  type: 'image/png',
  bytes: clear,
})
const kinds =
  'Three kinds of models have different parameters: A (the newest, and all unlisted models), B and C.'

export const imagesNotes: GroupNotes = {
  title: 'Images',
  description:
    'Image generations and edits, as one body or, with kind A, as a stream with partial ' + 'images.',
  params: {
    imageId: 'The response id in the image URL.',
    image: 'The index of the image in `data`, with a file extension: `0.png`.',
  },
  operations: {
    'images.generate': {
      source: 'the contract; parameter names and stream events: the upstream image API',
      description: `${kinds} A returns base64; B and C return base64 or URLs that expire after 60 minutes.`,
      calls: () => [
        {
          name: 'b',
          summary: 'Two URLs from kind B',
          json: { model: 'dall-e-2', prompt, n: 2, size: '256x256' },
        },
        {
          name: 'c',
          summary: 'A URL from kind C, with the revised prompt',
          json: { model: 'dall-e-3', prompt, style: 'natural' },
        },
        {
          name: 'a',
          summary: 'An image from kind A',
          json: { model: 'gpt-image-1', prompt, quality: 'low' },
        },
        {
          name: 'stream',
          summary: 'A streamed image from kind A',
          json: { model: 'gpt-image-1', prompt, quality: 'low', stream: true, partial_images: 1 },
        },
        {
          name: 'stream-error',
          summary: 'A stream that ends in an error',
          json: { model: 'sim-error-after-1', prompt, stream: true, partial_images: 1 },
        },
        {
          name: 'size',
          summary: 'A size that the model does not support',
          json: { model: 'dall-e-3', prompt, size: '256x256' },
        },
      ],
    },
    'images.edit': {
      source: 'the contract; parameter names and stream events: the upstream image API',
      description:
        `${kinds} C does not support edits. Send images as \`image\`, \`image[]\`, \`image[0]\`, ` +
        `\`image.0\` or \`image.0.items\`; names may repeat. The bytes determine the image format. A ` +
        `string instead of a file is the \`path\` or \`visit_url\` of an uploaded file ` +
        `(\`files.createUploadUrl\`). Send numbers and booleans as strings.`,
      calls: () => [
        // The invalid requests derive from the first example. It returns URLs, which saves drawing dozens
        // of images.
        {
          name: 'b',
          summary: 'An image and a mask for kind B',
          form: [
            { name: 'model', value: 'dall-e-2' },
            { name: 'prompt', value: 'with a red hat' },
            image('image', 'fox.png'),
            image('mask', 'mask.png'),
            { name: 'size', value: '256x256' },
          ],
        },
        {
          name: 'a',
          summary: 'Two images and a mask for kind A',
          form: [
            { name: 'model', value: 'gpt-image-1' },
            { name: 'prompt', value: 'with a red hat' },
            image('image', 'fox.png'),
            image('image', 'hat.png'),
            image('mask', 'mask.png'),
          ],
        },
        {
          name: 'no-image',
          summary: 'A request without an image',
          form: [{ name: 'prompt', value: 'with a red hat' }],
        },
        {
          name: 'stream',
          summary: 'A streamed edit',
          form: [
            { name: 'model', value: 'gpt-image-1' },
            { name: 'prompt', value: 'with a red hat' },
            image('image', 'fox.png'),
            image('image', 'hat.png'),
            { name: 'stream', value: 'true' },
          ],
        },
      ],
    },
    'images.readImage': {
      source: 'the contract: the URLs in `data` are valid for 60 minutes',
      description: 'Takes no API key. An expired URL gets a 403 with an XML body, as from an object store.',
      async calls(made) {
        const { data } = await made('images.generate', {
          json: { model: 'dall-e-2', prompt, size: '256x256' },
        })
        const [, imageId = '', image = ''] =
          /\/media\/images\/([^/]+)\/(.+)$/.exec(String((data as { url: string }[])[0]?.url)) ?? []
        return [{ name: 'image', summary: 'The first image', params: { imageId, image } }]
      },
    },
  },
  names: {
    'images.generate body': 'ImageRequest',
    'images.generate response': 'ImageResult',
    'images.generate response.usage': 'ImageUsage',
    'images.generate event': 'ImageEvent',
    'images.edit body': 'ImageEditRequest',
    'images.edit event': 'ImageEditEvent',
  },
  fields: {
    ImageResult: 'The images from a generation or edit.',
    'ImageResult.data': 'The images.',
    'ImageResult.background': 'Kind A only.',
    'ImageResult.output_format': 'Kind A only.',
    'ImageResult.quality': 'Kind A only: the value that was used, even for `auto`.',
    'ImageResult.size': 'Kind A only: the value that was used, even for `auto`.',
  },
}
