/** What an image is said to be, before anybody draws it. */
import { expect } from 'vitest'
import type { Simulator } from '../../src/index.ts'
import type { ImageMedia, Media } from '../../src/protocol/media.ts'

/** The description of the image at an address. */
export function described(sim: Simulator, address: string): ImageMedia {
  const path = address.replace(/^https?:\/\/[^/]+/, '')
  const [, session, rest] = /^\/s\/([^/]+)(\/.*)$/.exec(path) ?? [undefined, undefined, path]
  const { status, body } = sim.handle({
    method: 'GET',
    path: rest as string,
    query: '',
    headers: {},
    payload: { kind: 'none' },
    session,
  })
  expect([status, body.kind]).toEqual([200, 'media'])
  return (body as { media: ImageMedia }).media
}

/** What is rendered from now on, in its order. */
export function watchRendering(sim: Simulator): readonly Media[] {
  const { media } = sim.core
  const { render } = media
  const seen: Media[] = []
  Object.assign(media, {
    render(what: Media) {
      seen.push(what)
      return render(what)
    },
  })
  return seen
}

/** A description without the bytes of clients, as others see it: what bytes and tags follow from. */
export function seenFrom(image: Media): string {
  return JSON.stringify(image, (name, value: unknown) => (name === 'content' ? undefined : value))
}
