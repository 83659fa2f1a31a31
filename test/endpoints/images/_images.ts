/**
 * What the tests of images share: a session in which images are drawn and edited, files to send, and eyes
 * that are not ours.
 */
import { createHash } from 'node:crypto'
import { encode } from 'fast-png'
import sharp from 'sharp'
import type { Simulator, SimulatorOptions } from '../../../src/index.ts'
import type { ImageMedia, Media } from '../../../src/protocol/media.ts'
import { dataOf, simulator } from '../../_setup.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/** A simulator with short words for what the tests do. */
export function imagesSession(options: SimulatorOptions = {}) {
  const sim = simulator(options)
  const answer = async (response: Response): Promise<Answer> => {
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body:
        response.headers.get('content-type')?.startsWith('application/json') === true
          ? JSON.parse(text)
          : text,
    }
  }
  const send = (path: string, body: string | FormData, key: string) =>
    sim.fetch(`http://gateway.test${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      body,
    })
  const generate = async (body: object | FormData, key = 'sk-test') =>
    answer(await send('/v1/images/generations', body instanceof FormData ? body : JSON.stringify(body), key))
  const edit = async (body: FormData) => answer(await send('/v1/images/edits', body, 'sk-test'))
  /** The response of a call, unread. */
  const open = (body: object | FormData): Promise<Response> =>
    body instanceof FormData
      ? send('/v1/images/edits', body, 'sk-test')
      : send('/v1/images/generations', JSON.stringify(body), 'sk-test')
  return {
    sim,
    generate,
    edit,
    /** Events of a stream whose time has come, as `[event, data]`. */
    async streamed(body: object | FormData): Promise<{ event: string; data: any }[]> {
      const response = await open(body)
      sim.clock.advance('10m')
      return eventsIn(await response.text())
    },
    open,
    read: (url: string) => sim.fetch(url),
  }
}

/**
 * A session for tests that look at all but the pixels: each image is one pixel with its description behind
 * its end, so that two can be told apart. To draw one takes longer than everything else about its call.
 */
export function undrawnSession(options: SimulatorOptions = {}): ReturnType<typeof imagesSession> {
  const session = imagesSession(options)
  undrawn(session.sim)
  return session
}

/** The same of any simulator. */
export function undrawn({ core }: Pick<Simulator, 'core'>): void {
  const render = async (media: Media) => ({
    bytes: Buffer.concat([png(1), Buffer.from(JSON.stringify(media))]),
    type: 'image/png',
    etag: '"one pixel"',
  })
  Object.assign(core.media, { render })
}

/** What such an image in base64 shall be. */
export function whatOf(base64: string): ImageMedia {
  const text = Buffer.from(base64, 'base64').toString('utf8')
  return JSON.parse(text.slice(text.lastIndexOf('IEND') + 8).replace(/^[^{]*/, '')) as ImageMedia
}

/** The events of a stream's text. */
export function eventsIn(text: string): { event: string; data: any }[] {
  const names = text.split('\n\n').flatMap((block) => /^event: (.*)$/m.exec(block)?.[1] ?? [])
  return dataOf(text).map((data, index) => ({ event: names[index] as string, data: JSON.parse(data) }))
}

/** Of which kind a test image is: grey without alpha, all opaque, or with one clear pixel. */
export type Look = 'plain' | 'opaque' | 'clear'

/** A real PNG. */
export function png(width = 4, height = width, look: Look = 'clear'): Uint8Array<ArrayBuffer> {
  const channels = look === 'plain' ? 3 : 4
  const data = new Uint8Array(width * height * channels).fill(200)
  if (look !== 'plain') for (let at = 3; at < data.length; at += 4) data[at] = 255
  if (look === 'clear') data[data.length - 1] = 0
  return encode({ width, height, channels, data }) as Uint8Array<ArrayBuffer>
}

export const megabyte = 1024 * 1024

/** A real PNG of so many bytes: what stands behind its end changes nothing else. */
export function heavy(bytes: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes)
  file.set(png())
  return file
}
/** The same image as a file of another format. */
export async function as(
  format: 'jpeg' | 'webp' | 'gif',
  width = 4,
  height = width,
  look: Look = 'plain',
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    await sharp(png(width, height, look))
      [format](format === 'webp' ? { lossless: true } : {})
      .toBuffer(),
  )
}

/** A file of a form. Its name says nothing of what it is. */
export const fileOf = (
  bytes: Uint8Array<ArrayBuffer>,
  name = 'upload',
  type = 'application/octet-stream',
): File => new File([bytes], name, { type })

/** What a decoder that is not ours sees. */
export async function seen(
  bytes: Uint8Array | string,
): Promise<{ format: string; width: number; height: number; alpha: boolean }> {
  const file = typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes
  const image = sharp(file)
  const { format, width, height } = await image.metadata()
  const { isOpaque } = await image.stats()
  return { format, width, height, alpha: !isOpaque }
}

/** The pixels of a file as RGB, by a decoder that is not ours. */
export const pixelsOf = async (base64: string): Promise<Buffer> =>
  sharp(Buffer.from(base64, 'base64')).removeAlpha().raw().toBuffer()

/** An image in a few letters: what tests compare, so that a failure stays readable. */
export function sumOf(bytes: Uint8Array | string): string {
  return createHash('sha256')
    .update(typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes)
    .digest('hex')
    .slice(0, 16)
}

/** The images of a response in base64, each in a few letters. */
export const sumsOf = (body: unknown): string[] =>
  (body as { data: { b64_json: string }[] }).data.map((item) => sumOf(item.b64_json))

/** How far two images are apart: the mean difference of their bytes. */
export function distance(a: Buffer, b: Buffer): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += Math.abs((a[at] as number) - (b[at] as number))
  return sum / a.length
}
