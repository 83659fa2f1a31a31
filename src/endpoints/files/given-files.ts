/** Stored files: their provider and type, and those that a scenario gives to a new session. */
import * as z from 'zod'
import { keepUpload } from '../../behaviours/uploads/upload.ts'
import type { HeldBytes } from '../../protocol/call.ts'
import { fileType } from '../../protocol/held-file.ts'
import type { GivenFile, GivenFiles } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'
import { show } from '../../protocol/wording.ts'
import { readObjectKey } from './signed-url.ts'

/** The body of an upload: any bytes. */
export const fileBytes = () => z.custom<HeldBytes>()

/** Whether it can be sent as a header. */
export const isMediaType = (text: string): boolean => /^[\t\x20-\x7e]{1,1000}$/.test(text)

export const expectedMediaType = 'expected up to 1000 printable ASCII characters'

/** The scheme of a storage provider, by default of the first one; or what is wrong with its name. */
export function schemeOf(
  provider: string | undefined,
  { files: { providers } }: Settings,
): { readonly scheme: string } | { readonly problem: string } {
  const known = Object.keys(providers)
  const scheme = Object.entries(providers).find(([name]) => name === (provider ?? known[0]))?.[1]
  if (scheme !== undefined) return { scheme }
  const names = known.map((name) => JSON.stringify(name)).join(', ')
  const expected = `${known.length === 1 ? '' : 'one of '}${names}`
  return { problem: `expected ${expected} (setting files.providers), got ${show(provider)}` }
}

type Fault = NonNullable<ReturnType<GivenFiles['faultOf']>>

/** A given file in the form of the store, or what is wrong with it. */
function readGiven(
  { path, provider, contentType, bytes }: GivenFile,
  settings: Settings,
): { readonly scheme: string; readonly key: string; readonly type: string } | Fault {
  const read = readObjectKey(path)
  if ('problem' in read) return { field: 'path', message: read.problem }
  const store = schemeOf(provider, settings)
  if ('problem' in store) return { field: 'provider', message: store.problem }
  if (contentType !== undefined && !isMediaType(contentType))
    return { field: 'contentType', message: `${expectedMediaType}, got ${show(contentType)}` }
  const maxBytes = settings.limits.fileBytes
  if (bytes.size > maxBytes)
    return {
      field: 'content',
      message: `expected at most ${maxBytes} bytes (setting limits.fileBytes), got ${bytes.size}`,
    }
  return { ...store, ...read, type: contentType ?? fileType(bytes, read.key) }
}

export const givenFiles: GivenFiles = {
  faultOf(file, settings) {
    const read = readGiven(file, settings)
    return 'field' in read ? read : undefined
  },
  put(files, { sandbox, settings }) {
    for (const file of files) {
      const read = readGiven(file, settings)
      if ('field' in read) throw new RangeError(`the file ${show(file.path)}: ${read.field}: ${read.message}`)
      keepUpload(
        { ...read, bytes: file.bytes, uploadedAt: sandbox.clock.now() - (file.age ?? 0) },
        { sandbox },
      )
    }
  },
}
