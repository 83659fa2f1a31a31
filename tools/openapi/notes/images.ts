/** What the document says of images beyond their schemas. */
import { fromBase64 } from '../../../src/engine/bytes.ts'
import type { FormPart, GroupNotes } from '../notes.ts'

const prompt = 'a fox in the snow'
/** A PNG of one clear pixel. */
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
  'Models are of three kinds: A (the newest, and every id of no kind), B and C; each takes values of its own.'

export const imagesNotes: GroupNotes = {
  title: 'Images',
  description: [
    'Images of a prompt, and edits of images: in one body, or with A as a stream that shows them on',
    'their way.',
  ].join(' '),
  params: {
    imageId: 'The images of one response, as its addresses name them.',
    image: 'The place of the image in `data` and its ending: `0.png`.',
  },
  operations: {
    'images.generate': {
      source: 'the contract; names of the parameters and events of streams: the upstream image API',
      description: [
        `${kinds} A returns base64; B and C return addresses that can be read for 60 minutes, or base64.`,
      ].join(' '),
      calls: () => [
        {
          name: 'b',
          summary: 'Two addresses of B',
          json: { model: 'dall-e-2', prompt, n: 2, size: '256x256' },
        },
        {
          name: 'c',
          summary: 'An address of C, with the prompt that it has drawn',
          json: { model: 'dall-e-3', prompt, style: 'natural' },
        },
        { name: 'a', summary: 'An image of A', json: { model: 'gpt-image-1', prompt, quality: 'low' } },
        {
          name: 'stream',
          summary: 'An image of A as a stream',
          json: { model: 'gpt-image-1', prompt, quality: 'low', stream: true, partial_images: 1 },
        },
        {
          name: 'stream-error',
          summary: 'A stream that ends in an error',
          json: { model: 'sim-error-after-1', prompt, stream: true, partial_images: 1 },
        },
        {
          name: 'size',
          summary: 'A size that the model does not have',
          json: { model: 'dall-e-3', prompt, size: '256x256' },
        },
      ],
    },
    'images.edit': {
      source: 'the contract; names of the parameters and events of streams: the upstream image API',
      description: [
        `${kinds} C edits nothing. Images stand under \`image\`, \`image[]\`, \`image[0]\`, \`image.0\``,
        `or \`image.0.items\`, also several times; what they are is read from their bytes. A text in the`,
        `place of a file is the \`path\` or \`visit_url\` of one that was uploaded`,
        `(\`files.createUploadUrl\`). Numbers and truths are written as text.`,
      ].join(' '),
      calls: () => [
        // The first one is what wrong calls are made from: answered with addresses, dozens of images need
        // not be drawn.
        {
          name: 'b',
          summary: 'An image and a mask for B',
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
          summary: 'Two images and a mask for A',
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
          summary: 'Without an image',
          form: [{ name: 'prompt', value: 'with a red hat' }],
        },
        {
          name: 'stream',
          summary: 'As a stream',
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
      source: 'the contract: the addresses in `data` lead to the images, for 60 minutes',
      description: 'Without a key. After its time an address answers 403 in the XML of an object store.',
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
    ImageResult: 'The images of a generation or an edit.',
    'ImageResult.data': 'The images, in the order in which they were drawn.',
    'ImageResult.background': 'Of A alone.',
    'ImageResult.output_format': 'Of A alone.',
    'ImageResult.quality': 'Of A alone: what `auto` became.',
    'ImageResult.size': 'Of A alone: what `auto` became.',
  },
}
