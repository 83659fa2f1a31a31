/** The probes of `gateway-sim check` for image generations and edits. */
import {
  from,
  type ProbeRequest,
  type ProbeSet,
  probeImage,
  rejections,
  theModel,
  withoutKey,
} from '../../protocol/probe.ts'
import { editImage } from './edit-image.ts'
import { generateImage } from './generate-image.ts'
import { readImage } from './read-image.ts'

const prompt = 'a lighthouse at night'
const drawn = { model: theModel, prompt, n: 1 }
const answered = { spend: 'all', expect: { status: [200] } } as const
const tooLong = 'a'.repeat(32_001)

const edit = (...fields: readonly (readonly [string, string])[]): ProbeRequest => ({
  form: [['model', theModel], ['image', probeImage], ...fields],
})

export const imagesProbes: ProbeSet = {
  group: 'images',
  model: 'gpt-image-1',
  probes: [
    withoutKey('an image without an API key', generateImage, { json: drawn }),
    withoutKey('an image edit without an API key', editImage, edit(['prompt', prompt])),
    ...rejections({ endpoint: generateImage, json: drawn }, [
      ['an image with n: 11', 'n: integer 1..10', { n: 11 }],
      [
        'an image with a prompt of 32001 characters',
        'prompt: max 32000 characters for gpt-image-1, 1000 for dall-e-2, 4000 for dall-e-3',
        { prompt: tooLong },
      ],
      ['an image with an unknown size', 'size: the values of the model', { size: '17x17' }],
      [
        'a JPEG with a transparent background',
        '`transparent` needs output `png` or `webp`',
        { background: 'transparent', output_format: 'jpeg' },
      ],
    ]),
    {
      name: 'an image edit with n: 11',
      endpoint: editImage,
      states: 'n: 1..10',
      spend: 'none',
      expect: { status: 'invalid' },
      request: edit(['prompt', prompt], ['n', '11']),
    },
    {
      ...answered,
      name: 'an image',
      endpoint: generateImage,
      states: 'Response 200: image result',
      request: { json: drawn },
    },
    {
      ...answered,
      name: 'the image URL',
      endpoint: readImage,
      states: 'a URL is valid for 60 minutes',
      request: { to: from('an image', '/data/0/url') },
    },
    {
      name: 'a streamed image',
      endpoint: generateImage,
      states: 'stream flag (gpt-image-1 only)',
      spend: 'all',
      request: { json: { ...drawn, stream: true, partial_images: 1 } },
    },
    {
      name: 'an image edit',
      endpoint: editImage,
      states: 'Response 200: image result',
      spend: 'all',
      request: edit(['prompt', prompt]),
      expect: { status: [200] },
    },
  ],
}
