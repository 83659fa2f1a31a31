/** The largest bodies are read to their last byte, and rejected with one more. */
import { expect, it } from 'vitest'
import { simulator } from '../_setup.ts'

const mebibyte = 1024 * 1024
const blanks = new Uint8Array(mebibyte).fill(32)

/** Sends `start`, blanks and `end`, `size` bytes in all, without holding them. */
async function statusOf(contentType: string, size: number, start: string, end: string): Promise<number> {
  let left = size - start.length - end.length
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
    pull(controller) {
      if (left === 0) {
        controller.enqueue(new TextEncoder().encode(end))
        return controller.close()
      }
      const chunk = blanks.subarray(0, Math.min(left, mebibyte))
      left -= chunk.length
      controller.enqueue(chunk)
    },
  })
  const { status } = await simulator().fetch('http://gateway.test/v1/videos', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': contentType },
    body,
    duplex: 'half',
  } as RequestInit)
  return status
}

const part = '--X\r\ncontent-disposition: form-data; name='

it.each([
  ['JSON', 'application/json', 64, '{"prompt":"a sunset"', '}'],
  [
    'a form',
    'multipart/form-data; boundary=X',
    256,
    `${part}"prompt"\r\n\r\na sunset\r\n${part}"unknown"; filename="a"\r\n\r\n`,
    '\r\n--X--\r\n',
  ],
])('%s', async (_, type, mebibytes, start, end) => {
  expect(await statusOf(type, mebibytes * mebibyte, start, end)).toBe(200)
  expect(await statusOf(type, mebibytes * mebibyte + 1, start, end)).toBe(413)
})
