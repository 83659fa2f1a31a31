/** The largest bodies that are read unless the settings say otherwise. */
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
      const piece = blanks.subarray(0, Math.min(left, mebibyte))
      left -= piece.length
      controller.enqueue(piece)
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

it('are 64 MiB of JSON', async () => {
  const parts = ['{"prompt":"a sunset"', '}'] as const
  expect(await statusOf('application/json', 64 * mebibyte, ...parts)).toBe(200)
  expect(await statusOf('application/json', 64 * mebibyte + 1, ...parts)).toBe(413)
})

it('are 256 MiB of a form', async () => {
  const type = 'multipart/form-data; boundary=X'
  const part = '--X\r\ncontent-disposition: form-data; name='
  const start = `${part}"prompt"\r\n\r\na sunset\r\n${part}"unknown"; filename="a"\r\n\r\n`
  expect(await statusOf(type, 256 * mebibyte, start, '\r\n--X--\r\n')).toBe(200)
  expect(await statusOf(type, 256 * mebibyte + 1, start, '\r\n--X--\r\n')).toBe(413)
})
