/** Forms that come in chunks of any length, and files in them that are larger than anybody takes. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFormReader } from '../../src/http/read-form.ts'
import { inspectPixels } from '../../src/media/image/pixels.ts'
import type { FilePart, FormField, Payload } from '../../src/protocol/call.ts'
import type { Endpoint } from '../../src/protocol/endpoint.ts'
import { runs } from '../_counts.ts'
import { integrations, simulator } from '../_setup.ts'
import { as, png } from '../endpoints/images/_images.ts'
import { bytesOf, field, file, formOf as wholeForm } from '../hostile/_forms.ts'

const files = (fields: readonly FormField[]): FilePart[] =>
  fields.flatMap((field) => ('file' in field ? [field.file] : []))
/** An endpoint that stores and inspects every file of a form. */
const endpoint = (maxBytes?: number): Endpoint =>
  ({
    accepts: ['form'],
    files: { inspect: files, ...(maxBytes === undefined ? {} : { maxBytes }) },
  }) as unknown as Endpoint

async function read(
  chunks: readonly Uint8Array[],
  boundary: string,
  maxFileBytes?: number,
): Promise<Payload> {
  const reader = await createFormReader(
    `multipart/form-data; boundary="${boundary}"`,
    endpoint(maxFileBytes),
    inspectPixels,
  )
  for (const chunk of chunks) reader.add(chunk)
  return reader.finish()
}

/** Chunks of the lengths that are given, again and again. */
function* cutInto(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] as number
    yield bytes.subarray(at, at + length)
    at += length
  }
}

interface Part {
  readonly name: string
  readonly filename?: string
  readonly content: Uint8Array
}

const formOf = (parts: readonly Part[], boundary: string, epilogue = ''): Uint8Array =>
  bytesOf(
    wholeForm(
      parts.map(({ name, filename, content }) =>
        filename === undefined ? field(name, content) : file(name, content, filename),
      ),
      boundary,
    ),
    epilogue,
  )

const image = (name: string, content: Uint8Array): Part => ({ name, filename: `${name}.png`, content })
const factsOf = (filename: string, content: Uint8Array) => ({
  filename,
  contentType: 'image/png',
  size: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

/** A form of these parts, read in chunks of 64 KiB. */
const readParts = (parts: readonly Part[], boundary: string, maxFileBytes?: number): Promise<Payload> =>
  read([...cutInto(formOf(parts, boundary), [65_536])], boundary, maxFileBytes)

/** What the form must be read as. */
const fieldsOf = (parts: readonly Part[]): unknown[] =>
  parts.map(({ name, filename, content }) =>
    filename === undefined
      ? { name, value: Buffer.from(content).toString() }
      : {
          name,
          file: factsOf(filename, content),
        },
  )

describe('a form in chunks', () => {
  const boundary = 'X-ray'
  // Beginnings of a boundary, and line ends, where a boundary could be torn.
  const bait = fc.constantFrom(
    '\r',
    '\r\n',
    '\r\n--',
    `\r\n--${boundary.slice(0, 3)}`,
    `\r\n-${boundary}`,
    `--${boundary}`,
    '\n--',
    'a',
    'some words that go on for longer than any boundary of a form does',
  )
  const content = fc
    .tuple(fc.array(bait, { minLength: 1, maxLength: 12 }), fc.constantFrom(1, 1, 40, 9000, 40_000))
    .map(([chunks, times]) =>
      Buffer.from(
        chunks
          .join('')
          .repeat(times)
          .slice(0, 1_500_000)
          .replaceAll(`\r\n--${boundary}`, `\r\n--${boundary.slice(1)}`),
      ),
    )
  const parts = fc.array(
    fc.record(
      { name: fc.constantFrom('a', 'b'), filename: fc.constantFrom('a.png', undefined), content },
      { requiredKeys: ['name', 'content'] },
    ),
    { minLength: 1, maxLength: 4 },
  )

  it('is parsed as in one piece, wherever it is split', async () => {
    await fc.assert(
      fc.asyncProperty(
        parts,
        fc.array(fc.constantFrom(1, 7, 50, 1000, 65_536, 262_144), { minLength: 1, maxLength: 5 }),
        fc.constantFrom('', 'and that was it'),
        async (given, lengths, epilogue) => {
          const sent = given.map(({ filename, ...part }) => ({
            ...part,
            ...(filename === undefined ? {} : { filename }),
          }))
          // Byte by byte only what is not long.
          const bytes = formOf(sent, boundary, epilogue)
          const chunks = [
            ...cutInto(
              bytes,
              bytes.length > 200_000 ? [65_536, ...lengths.filter((length) => length > 1)] : lengths,
            ),
          ]
          expect(await read(chunks, boundary)).toEqual({ kind: 'form', fields: fieldsOf(sent) })
        },
      ),
      runs(60),
    )
  })

  it('can be split inside a boundary, at any byte of it, after a full buffer', async () => {
    const part = image('a', Buffer.alloc(300_000, 7))
    const bytes = formOf([part, { name: 'b', content: Buffer.from('b') }], boundary)
    const end = Buffer.from(bytes).indexOf(`\r\n--${boundary}`)
    for (let torn = 0; torn <= boundary.length + 4; torn++) {
      expect(
        await read([bytes.subarray(0, end + torn), bytes.subarray(end + torn)], boundary),
        `${torn}`,
      ).toEqual({ kind: 'form', fields: fieldsOf([part, { name: 'b', content: Buffer.from('b') }]) })
    }
  })

  it.each([
    [
      'ends early',
      (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 12),
      'Multipart stream not finished',
    ],
    [
      'starts with other bytes',
      (bytes: Uint8Array) => Buffer.concat([Buffer.from('hello'), bytes]),
      'Invalid multipart stream: missing initial boundary',
    ],
  ])('that %s is malformed', async (_, change, reason) => {
    const bytes = change(formOf([image('a', Buffer.alloc(1_000_000))], boundary))
    expect(await read([...cutInto(bytes, [65_536])], boundary)).toEqual({
      kind: 'rejected',
      type: 'invalid_request_error',
      message: `The form is malformed: ${reason}.`,
    })
  })

  it('can name a file in an unknown character set, and nothing is printed on the console', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue()
    onTestFinished(() => warned.mockRestore())
    const names = ["no-such-charset''a%20b", "utf-8''%e6%bc%a2"]
    const parts = names.map(
      (name) => `--X\r\nContent-Disposition: form-data; name=a; filename*=${name}\r\n\r\n`,
    )
    const payload = await read([Buffer.from(`${parts.join('c\r\n')}c\r\n--X--\r\n`)], 'X', 1000)
    expect(payload.kind === 'form' && files(payload.fields).map(({ filename }) => filename)).toEqual([
      'a b',
      '漢',
    ])
    expect(warned).not.toHaveBeenCalled()
  })

  it('has the same part names however their headers are written', async () => {
    const heads = [
      'Content-Disposition: form-data; name="image"; filename="a b.png"\r\nContent-Type: image/png',
      'content-disposition: form-data; name=" image "; filename=" a b.png "\r\ncontent-type: Image/PNG; a=b',
      'CONTENT-DISPOSITION: Form-Data;filename="a b.png";name=image\r\ncontent-type:image/png',
      'Content-Disposition: form-data; name="i\\mage"; filename="a\\ b.png"\r\nContent-Type:  image/png ',
    ]
    const parts = heads.map((head) => `--X\r\n${head}\r\n\r\nc\r\n`)
    const payload = await read([Buffer.from(`${parts.join('')}--X--\r\n`)], 'X', 1000)
    const file = { ...factsOf('a b.png', Buffer.from('c')), contentType: 'image/png' }
    expect(payload).toEqual({ kind: 'form', fields: heads.map(() => ({ name: 'image', file })) })
  })

  it('has at most 1,000 parts, however long they are', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        name: 'a',
        content: Buffer.alloc(index === 0 ? 3_000_000 : 1, 'a'),
      }))
    expect(await readParts(many(1000), boundary)).toMatchObject({ kind: 'form' })
    expect(await readParts(many(1001), boundary)).toEqual({
      kind: 'rejected',
      type: 'invalid_request_error',
      message: 'The form is malformed: it has more than 1000 parts.',
    })
  })
})

describe('a file larger than the endpoint allows', () => {
  it.each(['png', 'jpeg', 'webp'] as const)(
    'is measured, hashed and recognized as %s, but neither held nor inspected; other files are',
    async (format) => {
      const small = png(8)
      const content = Buffer.concat([
        format === 'png' ? png(40) : await as(format, 40),
        Buffer.alloc(2_000_000, 9),
      ])
      const payload = await readParts([image('a', content), image('b', small)], 'X', 1_000_000)
      expect(payload).toEqual({
        kind: 'form',
        fields: [
          {
            name: 'a',
            file: {
              ...factsOf('a.png', content),
              image: { format, width: 40, height: 40, hasTransparency: format !== 'jpeg', pixels: 'unseen' },
            },
          },
          {
            name: 'b',
            file: {
              ...factsOf('b.png', small),
              image: { format: 'png', width: 8, height: 8, hasTransparency: true, pixels: 'transparent' },
            },
          },
        ],
      })
    },
  )

  it('is released while it is still arriving', async () => {
    const reader = await createFormReader(
      'multipart/form-data; boundary=X',
      endpoint(2_000_000),
      inspectPixels,
    )
    const smaller = vi.spyOn(ArrayBuffer.prototype, 'resize')
    onTestFinished(() => smaller.mockRestore())
    const given = (bytes: number): number => {
      for (let at = 0; at < bytes; at += 65_536) reader.add(Buffer.alloc(65_536))
      return smaller.mock.calls.length
    }
    reader.add(Buffer.from('--X\r\nContent-Disposition: form-data; name="a"; filename="a.png"\r\n\r\n'))
    // What was held is copied once more to be looked at, in one block; more is not held after that.
    expect([given(1_500_000) > 0, given(1_000_000) > 0]).toEqual([false, true])
    const gone = smaller.mock.calls.length
    expect(given(4_000_000)).toBe(gone)
  })

  it('is held up to the last allowed byte', async () => {
    const content = Buffer.concat([png(8), Buffer.alloc(1000)])
    const kept = async (most: number) => {
      const payload = await readParts([image('a', content)], 'X', most)
      return payload.kind === 'form' && files(payload.fields)[0]?.image?.pixels !== 'unseen'
    }
    expect([await kept(content.length), await kept(content.length - 1)]).toEqual([true, false])
  })
})

// 60 MiB through each door.
describe.each(integrations)('an edit of an oversized file, through $name', (integration) => {
  it('is rejected as usual, and the next request gets a response', async () => {
    const { fetch: call, url } = await integration.open(simulator())
    const edit = async (bytes: Uint8Array<ArrayBuffer>) => {
      const form = new FormData()
      form.append('model', 'gpt-image-1')
      form.append('prompt', 'a fox')
      form.append('image', new File([bytes], 'fox.png', { type: 'image/png' }))
      const response = await call(`${url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test' },
        body: form,
      })
      return {
        status: response.status,
        body: (await response.json()) as { error?: { message: string; param: string } },
      }
    }
    const large = new Uint8Array(60 * 1024 * 1024)
    large.set(png(64))
    expect(await edit(large)).toMatchObject({
      status: 400,
      body: {
        error: {
          type: 'invalid_request_error',
          param: 'image',
          message:
            '`image`: expected less than 50 MB (52428800 bytes), got "fox.png" (image/png, 62914560 bytes).',
        },
      },
    })
    expect((await edit(png(64))).status).toBe(200)
  })
})
