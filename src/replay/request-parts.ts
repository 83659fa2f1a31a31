/** The routes, keys and files that the requests of a replay are built from. */
import { fromBase64 } from '../engine/base64.ts'
import { findings } from '../protocol/findings.ts'
import type { ImageMedia } from '../protocol/media.ts'
import type { Route } from '../protocol/router.ts'
import { type ContentSpec, content as contentSchema } from '../scenario/format/given.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import type { RequestParts } from './build-request.ts'

export interface PartsOptions {
  readonly base: string
  readonly routes: readonly Route[]
  /** Reads the files of steps. */
  readonly reader: Pick<ScenarioReader, 'disk' | 'allowFiles'>
  /** The paths of files in steps are relative to it. */
  readonly directory: string
  readonly firstKey: string
  readonly keyFor?: (name: string) => string
  readonly headers?: Readonly<Record<string, string>>
  /** Renders the images that steps describe. */
  readonly render: (image: ImageMedia) => Promise<{ readonly bytes: Uint8Array }>
}

export function requestParts({
  base,
  routes,
  reader,
  directory,
  firstKey,
  keyFor = (name) => name,
  headers = {},
  render,
}: PartsOptions): RequestParts {
  const byOperation = new Map(routes.map((route) => [route.endpoint.operation, route]))
  return {
    base,
    firstKey,
    keyFor,
    headers,
    routeOf(operation) {
      const route = byOperation.get(operation)
      if (route === undefined)
        throw new Error(`replay: unknown operation ${operation}; steps should have been checked`)
      return route
    },
    bytesOf: (content) => readContent(content, (name) => readFile(name, directory, reader), render),
  }
}

function readFile(name: string, directory: string, { disk, allowFiles }: PartsOptions['reader']): Uint8Array {
  const read = disk.readNamed(name, { directory, allowFiles })
  // It was there when the steps were checked, or its name is of an earlier reply.
  if (typeof read === 'string') throw new ScenarioError(read)
  return read
}

async function readContent(
  given: ContentSpec,
  fileNamed: (name: string) => Uint8Array,
  render: PartsOptions['render'],
): Promise<Uint8Array> {
  // Saved values may be anything.
  const read = contentSchema.safeParse(given)
  if (!read.success) {
    const [{ field, message } = { field: '', message: '' }] = findings(read.error, given)
    throw new ScenarioError(field === '' ? message : `${field}: ${message}`)
  }
  const { text, base64, file, picture } = read.data
  if (text !== undefined) return new TextEncoder().encode(text)
  if (base64 !== undefined) return fromBase64(base64)
  if (file !== undefined) return fileNamed(file)
  if (picture === undefined) return new Uint8Array(0)
  const { width, height, transparent = false } = picture
  const image = { kind: 'image', width, height, format: 'png', transparent, seed: 'replay' } as const
  return (await render(image)).bytes
}
