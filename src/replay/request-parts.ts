/** What every request of a replay is made with: routes, keys and the bytes of files. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createImageMaker } from '../media/image/image.ts'
import type { Route } from '../protocol/router.ts'
import type { StepContent } from '../scenario/format/step.ts'
import type { RequestParts } from './build-request.ts'

export interface PartsOptions {
  readonly base: string
  readonly routes: readonly Route[]
  /** The directory that files of steps are named from. */
  readonly directory: string
  readonly firstKey: string
  readonly keyFor?: (name: string) => string
  readonly headers?: Readonly<Record<string, string>>
}

export function requestParts({
  base,
  routes,
  directory,
  firstKey,
  keyFor = (name) => name,
  headers = {},
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
        throw new Error(`replay: ${operation} is no operation; steps are checked before they run`)
      return route
    },
    bytesOf: (content) => bytesOf(content, directory),
  }
}

async function bytesOf({ text, base64, file, picture }: StepContent, directory: string): Promise<Uint8Array> {
  if (text !== undefined) return new TextEncoder().encode(text)
  if (base64 !== undefined) return new Uint8Array(Buffer.from(base64, 'base64'))
  if (file !== undefined) return new Uint8Array(await readFile(resolve(directory, file)))
  if (picture === undefined) return new Uint8Array(0)
  const { width, height, transparent = false } = picture
  const never = (): never => {
    throw new Error('replay: pictures of steps are PNG')
  }
  return createImageMaker({ webp: never, jpeg: never }).file({
    kind: 'image',
    width,
    height,
    format: 'png',
    transparent,
    seed: 'replay',
  })
}
