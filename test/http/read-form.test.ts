/** Multipart forms as clients write them, and forms that no server can read. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createFormReader } from '../../src/http/read-form.ts'
import type { Payload } from '../../src/protocol/call.ts'
import { png } from '../endpoints/images/_images.ts'
import { bytesOf, field, file, formOf } from '../hostile/_forms.ts'

const boundary = 'X-ray'

async function read(form: Uint8Array | string, given = boundary, chunk = 65_536): Promise<Payload> {
  const reader = await createFormReader(`multipart/form-data; boundary="${given}"`)
  const bytes = typeof form === 'string' ? Buffer.from(form) : form
  for (let at = 0; at < bytes.length; at += chunk) reader.add(bytes.subarray(at, at + chunk))
  return reader.finish()
}
const rejected = (message: string) => ({ kind: 'rejected', type: 'invalid_request_error', message })
const fileFacts = (filename: string, content: Uint8Array) => ({
  filename,
  contentType: 'image/png',
  size: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

const image = png(8)
const noise = Buffer.from(`\r\n--${boundary.slice(0, 3)}\r\n-${boundary}--${boundary}\n--\r`.repeat(9000))
const form = bytesOf(
  formOf([field('a', 'words\r\n'), file('b', image, 'b.png'), file('c', noise, 'c.png')], boundary),
)
const parsed = {
  kind: 'form',
  fields: [
    { name: 'a', value: 'words\r\n' },
    {
      name: 'b',
      file: {
        ...fileFacts('b.png', image),
        image: { format: 'png', width: 8, height: 8, hasTransparency: true },
      },
    },
    { name: 'c', file: fileFacts('c.png', noise) },
  ],
}

describe('a form', () => {
  it.each([1, 7, 1000, 1_000_000])('has the same fields in chunks of %i bytes', async (chunk) => {
    expect(await read(form, boundary, chunk)).toEqual(parsed)
  })

  it.each([
    ['an empty line', '\r\n'],
    ['a preamble', 'This is a message with several parts.\r\n'],
    ['a preamble that names the boundary', `the boundary is --${boundary}\r\n`],
  ])('may have %s before its first part', async (_, preamble) => {
    expect(await read(Buffer.concat([Buffer.from(preamble), form]))).toEqual(parsed)
  })

  it('may have an epilogue', async () => {
    expect(await read(Buffer.concat([form, Buffer.from('and that was it')]))).toEqual(parsed)
  })

  it('has the same part names however their headers are written', async () => {
    const heads = [
      'Content-Disposition: form-data; name="image"; filename="a b.png"\r\nContent-Type: image/png',
      'content-disposition: form-data; name="image"; filename="a b.png"\r\ncontent-type: Image/PNG; a=b',
      'CONTENT-DISPOSITION: Form-Data;filename="a b.png";name=image\r\ncontent-type:image/png',
      'Content-Disposition: form-data; name="i\\mage"; filename="a\\ b.png"\r\nContent-Type:  image/png ',
    ]
    const parts = heads.map((head) => `--X\r\n${head}\r\n\r\nc\r\n`)
    const c = fileFacts('a b.png', Buffer.from('c'))
    expect(await read(`${parts.join('')}--X--\r\n`, 'X')).toEqual({
      kind: 'form',
      fields: heads.map(() => ({ name: 'image', file: c })),
    })
  })

  it('has files with names in other scripts', async () => {
    const head = "Content-Disposition: form-data; name=a; filename*=utf-8''%e6%bc%a2"
    expect(await read(`--X\r\n${head}\r\n\r\nc\r\n--X--\r\n`, 'X')).toMatchObject({
      fields: [{ name: 'a', file: { filename: '漢' } }],
    })
  })

  it('has at most 1,000 parts', async () => {
    const many = (count: number): Uint8Array =>
      bytesOf(
        formOf(
          Array.from({ length: count }, () => field('a', 'b')),
          boundary,
        ),
      )
    expect(await read(many(1000))).toMatchObject({ kind: 'form' })
    expect(await read(many(1001))).toEqual(
      rejected('The form is malformed: Multipart part count exceeds maximum allowed count of 1000.'),
    )
  })

  it.each([
    ['ends early', form.subarray(0, form.length - 12), 'Multipart stream not finished'],
    ['has another boundary', Buffer.from('--Y\r\n'), 'it has no part with the boundary "X-ray"'],
    [
      'has a part without a name',
      Buffer.from(`--${boundary}\r\nX: y\r\n\r\nb\r\n--${boundary}--`),
      'a part has no name',
    ],
  ])('that %s is malformed', async (_, bytes, reason) => {
    expect(await read(bytes)).toEqual(rejected(`The form is malformed: ${reason}.`))
  })

  it('needs a boundary in its content type', async () => {
    const reader = await createFormReader('multipart/form-data')
    reader.add(form)
    expect(reader.finish()).toEqual(
      rejected('content-type: multipart/form-data without a boundary: let your HTTP client set it.'),
    )
  })

  it('without bytes is no form', async () => {
    expect(await read('')).toEqual({ kind: 'none' })
  })
})
