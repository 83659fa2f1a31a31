/** The images and masks that images.edit rejects. */
import { expect, it } from 'vitest'
import { form, invalid } from '../_openai-family.ts'
import { as, fileOf, heavy, megabyte, png, undrawnSession } from './_images.ts'

type Bytes = Uint8Array<ArrayBuffer>

const b = 'the model dall-e-2 (kind B)'
const anImage = 'expected a PNG, WebP or JPEG image, got'
const transparent = 'expected a `mask`, or an image with transparent pixels (the area to edit), got'
const area = 'expected transparent pixels (the area to edit), got'
const text = () => new TextEncoder().encode('this is no image at all') as Bytes
const half = (bytes: Bytes): Bytes => bytes.slice(0, bytes.length - 8)

type Part = [name: string, value: string | File]

/** The fields of an edit in which such a file is wrong. */
const places = {
  'an image for A': (file: Part[1]): Part[] => [
    ['image', file],
    ['model', 'gpt-image-1'],
  ],
  'an image for B': (file: Part[1]): Part[] => [
    ['image', file],
    ['model', 'dall-e-2'],
  ],
  'a mask': (file: Part[1]): Part[] => [
    ['image', fileOf(png())],
    ['model', 'gpt-image-1'],
    ['mask', file],
  ],
}

it.each<[keyof typeof places, string, () => Bytes | Promise<Bytes>, string]>([
  [
    'an image for A',
    'a GIF, whatever it is called',
    () => as('gif'),
    `${anImage} FILE, whose content is a GIF`,
  ],
  ['an image for A', 'nothing', () => new Uint8Array(0), `${anImage} FILE, which is empty`],
  ['an image for A', 'text', text, `${anImage} FILE, whose content is not an image`],
  ...(['png', 'jpeg', 'webp'] as const).map(
    (format) =>
      [
        'an image for A',
        `the first half of a ${format}`,
        async () => half(format === 'png' ? png(40) : await as(format, 40)),
        `${anImage} FILE, an invalid ${format} file: the file is truncated`,
      ] as [keyof typeof places, string, () => Promise<Bytes>, string],
  ),
  ['an image for B', 'a JPEG', () => as('jpeg'), `expected a PNG for ${b}, got FILE, whose content is JPEG`],
  ['an image for B', '4x5 pixels', () => png(4, 5), `expected a square image for ${b}, got 4x5 pixels`],
  [
    'an image for B',
    '4 MB, and not a byte less',
    () => heavy(4 * megabyte),
    `expected less than 4 MB (4194304 bytes) for ${b}, got FILE`,
  ],
  [
    'an image for B',
    'no transparency',
    () => png(4, 4, 'plain'),
    `${transparent} FILE, which has no alpha channel`,
  ],
  ['a mask', 'a WebP', () => as('webp', 4, 4, 'clear'), 'expected a PNG, got FILE, whose content is WEBP'],
  ['a mask', 'text', text, 'expected a PNG with transparent areas, got FILE, whose content is not an image'],
  [
    'a mask',
    '4 MB, and not a byte less',
    () => heavy(4 * megabyte),
    'expected less than 4 MB (4194304 bytes), got FILE',
  ],
  ['a mask', '5x5 pixels', () => png(5), 'expected 4x4 pixels (the size of the first image), got 5x5'],
  ['a mask', 'no transparency', () => png(4, 4, 'plain'), `${area} FILE, which has no alpha channel`],
])('images.edit rejects %s of %s', async (place, _, make, sentence) => {
  const { edit } = undrawnSession()
  const bytes = await make()
  const file = `"cat.png" (image/png, ${bytes.length} bytes)`
  const field = place === 'a mask' ? 'mask' : 'image'
  const message = `\`${field}\`: ${sentence.replace('FILE', file)}`
  const parts = places[place](fileOf(bytes, 'cat.png', 'image/png'))
  const { status, body } = await edit(form(['prompt', 'with a red hat'], ...parts))
  expect(status).toBe(400)
  expect(body.error.details[0]).toEqual({ code: 400, message, field })
})

it.each([
  ['image', 'a PNG, WebP or JPEG image'],
  ['mask', 'a PNG with transparent areas'],
])('images.edit rejects a text as %s', async (field, what) => {
  const image: Part[] = field === 'image' ? [] : [['image', fileOf(png())]]
  const { body } = await undrawnSession().edit(form(['prompt', 'x'], ...image, [field, 'fox.png']))
  const sentence = `expected a file: ${what} as a form part with a filename, got "fox.png"`
  expect(body).toEqual(invalid(field, sentence))
})
