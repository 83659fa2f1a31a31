/** What the tests of images and of videos share: the start of time, forms, and the envelope of rejections. */
import { expect } from 'vitest'

/** The start of virtual time in `manual` and `auto`, 2026-01-01T00:00:00Z, in Unix seconds. */
export const start = 1_767_225_600

/** A form from pairs. */
export function form(...fields: readonly (readonly [string, string | File])[]): FormData {
  const data = new FormData()
  for (const [name, value] of fields) data.append(name, value)
  return data
}

/** The envelope of a rejection, whole. */
export function rejection(
  type: string,
  status: number,
  message: unknown,
  param: string | null = null,
  details: unknown[] = [],
) {
  return {
    error: {
      type,
      code: status,
      message,
      param,
      details,
      trace_id: expect.stringMatching(/^trc_[0-9a-f]{32}$/),
    },
  }
}

/** An answer as the sessions of these tests hand it over: with this status and exactly this body. */
export const answered = (status: number, body: unknown) => ({ status, body, headers: expect.any(Headers) })

/** The envelope of one finding of validation; `code` is 2004 in image jobs. */
export function invalid(field: string, message: string, code = 400) {
  return rejection('invalid_request_error', code, `\`${field}\`: ${message}.`, field, [
    { code, message: `\`${field}\`: ${message}`, field },
  ])
}

/** The smallest GIF, which no operation takes. */
export const gif = Uint8Array.from([...Buffer.from('GIF89a'), 1, 0, 1, 0, 0, 0, 0, 59])
