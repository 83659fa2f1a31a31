/** The routes, keys and files that the requests of a replay are built from. */
import { readFile, realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve } from 'node:path'
import { fromBase64 } from '../engine/base64.ts'
import type { ImageMedia } from '../protocol/media.ts'
import type { Route } from '../protocol/router.ts'
import type { ContentSpec } from '../scenario/format/given.ts'
import type { RequestParts } from './build-request.ts'

export interface PartsOptions {
  readonly base: string
  readonly routes: readonly Route[]
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
    bytesOf: (content) => readContent(content, directory, render),
  }
}

/** The real path of a file in the folder of a scenario or below, as for files that are given. */
async function fileInside(directory: string, name: string): Promise<string> {
  const file = await realpath(resolve(directory, name))
  const way = relative(await realpath(directory), file)
  if (/^\.\.(?:[\\/]|$)/.test(way) || isAbsolute(way))
    throw new Error(
      `expected a file beside the scenario or in a folder there, got ${JSON.stringify(name)}: copy it there`,
    )
  return file
}

async function readContent(
  { text, base64, file, picture }: ContentSpec,
  directory: string,
  render: PartsOptions['render'],
): Promise<Uint8Array> {
  if (text !== undefined) return new TextEncoder().encode(text)
  if (base64 !== undefined) return fromBase64(base64)
  if (file !== undefined) return new Uint8Array(await readFile(await fileInside(directory, file)))
  if (picture === undefined) return new Uint8Array(0)
  const { width, height, transparent = false } = picture
  const image = { kind: 'image', width, height, format: 'png', transparent, seed: 'replay' } as const
  return (await render(image)).bytes
}
