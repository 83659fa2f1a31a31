/** Files that were uploaded before a scenario begins. */
import { keepUpload } from '../../behaviours/uploads/upload.ts'
import type { Context } from '../../protocol/endpoint.ts'
import { fileType } from '../../protocol/held-file.ts'
import type { GivenFile, GivenFiles } from '../../protocol/scripted.ts'
import type { Settings } from '../../protocol/settings.ts'
import { show } from '../../protocol/wording.ts'
import { readObjectKey } from './object-key.ts'

/**
 * The mistake in a given file and its field, as a sentence without full stop; undefined when there is none.
 */
function faultOf(
  { path, provider, type, bytes }: GivenFile,
  settings: Settings,
): ReturnType<GivenFiles['faultOf']> {
  const read = readObjectKey(path, settings.files.pathBytes)
  if ('problem' in read) return { field: 'path', message: read.problem }
  const { providers } = settings.files
  if (provider !== undefined && !Object.hasOwn(providers, provider))
    return {
      field: 'provider',
      message: `expected ${Object.keys(providers)
        .map((known) => JSON.stringify(known))
        .join(' or ')} (setting files.providers), got ${show(provider)}`,
    }
  if (type !== undefined && !/^[\x20-\x7e]{1,1000}$/.test(type))
    return { field: 'type', message: `expected up to 1000 printable ASCII characters, got ${show(type)}` }
  const maxBytes = Math.min(settings.limits.fileBytes, settings.memory.fileBytes)
  if (bytes.size > maxBytes)
    return {
      field: 'content',
      message: [
        `expected at most ${maxBytes} bytes (settings limits.fileBytes and memory.fileBytes), got`,
        `${bytes.size}`,
      ].join(' '),
    }
  return undefined
}

/**
 * Adds files to a new world, as if they had been uploaded. Throws a `RangeError` for what `faultOf` refuses.
 */
function put(files: readonly GivenFile[], { world, settings }: Pick<Context, 'world' | 'settings'>): void {
  for (const file of files) {
    const read = readObjectKey(file.path, settings.files.pathBytes)
    const fault = faultOf(file, settings)
    if (fault !== undefined || 'problem' in read)
      throw new RangeError(`the given file ${show(file.path)}: ${fault?.field}: ${fault?.message}`)
    const scheme = Object.entries(settings.files.providers).find(
      ([name]) => file.provider === undefined || name === file.provider,
    )?.[1] as string
    keepUpload(
      {
        scheme,
        key: read.key,
        type: file.type ?? fileType(file.bytes, read.key),
        bytes: file.bytes,
        uploadedAt: world.clock.now() - (file.age ?? 0),
        headers: {},
      },
      { world },
    )
  }
}

export const givenFiles: GivenFiles = { faultOf, put }
