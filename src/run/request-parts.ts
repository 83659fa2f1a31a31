/** The routes, keys and files that the requests of a replay are built from. */
import { fromBase64 } from '../engine/bytes.ts'
import type { Simulator } from '../index.ts'
import { fieldErrors } from '../protocol/field-errors.ts'
import { type ContentSpec, content as contentSchema } from '../scenario/format/given.ts'
import type { ScenarioReader } from '../scenario/load/scenario.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'
import type { RequestParts } from './build-request.ts'

export interface PartsOptions
  extends Pick<RequestParts, 'base' | 'firstKey'>,
    Partial<Pick<RequestParts, 'keyFor'>> {
  /** The paths of files in steps are relative to it. */
  readonly directory: string
}

/** The simulator knows the routes, and which files may be read; it renders images. */
export function requestParts(
  { routes, core }: Pick<Simulator, 'routes' | 'core'>,
  { directory, keyFor = (name) => name, ...given }: PartsOptions,
): RequestParts {
  const byOperation = new Map(routes.map((route) => [route.endpoint.operation, route]))
  return {
    ...given,
    keyFor,
    headers: {},
    match: core.match,
    routeOf(operation) {
      const route = byOperation.get(operation)
      if (route === undefined)
        throw new Error(`replay: unknown operation ${operation} in a step that was not validated`)
      return route
    },
    bytesOf: async (content) =>
      (await readContent(
        content,
        (name) => readFile(name, directory, core.reader),
        core.media.render,
      )) as Uint8Array<ArrayBuffer>,
  }
}

function readFile(name: string, directory: string, { disk, allowFiles }: ScenarioReader): Uint8Array {
  const read = disk.readNamed(name, { directory, allowFiles })
  // The file existed when the steps were checked, or its name is from an earlier response.
  if (typeof read === 'string') throw new ScenarioError(read)
  return read
}

async function readContent(
  given: ContentSpec,
  fileNamed: (name: string) => Uint8Array,
  render: Simulator['core']['media']['render'],
): Promise<Uint8Array> {
  // Saved values may be anything.
  const read = contentSchema().safeParse(given)
  if (!read.success) {
    const [{ field, message } = { field: '', message: '' }] = fieldErrors(read.error, given)
    throw new ScenarioError(field === '' ? message : `${field}: ${message}`)
  }
  const { text, base64, file, image } = read.data
  if (text !== undefined) return new TextEncoder().encode(text)
  if (base64 !== undefined) return fromBase64(base64)
  if (file !== undefined) return fileNamed(file)
  if (image === undefined) return new Uint8Array(0)
  const { width, height, transparent = false } = image
  const media = { kind: 'image', width, height, format: 'png', transparent, seed: 'replay' } as const
  return (await render(media)).bytes
}
