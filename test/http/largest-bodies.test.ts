/** The largest bodies unless the settings say otherwise; the thorough part sends them. */
import { expect, it } from 'vitest'
import { bodyLimit } from '../../src/http/read-payload.ts'
import { simulator } from '../_setup.ts'

it.each([
  ['64 MiB of JSON', 'application/json', 64],
  ['256 MiB of a form', 'multipart/form-data; boundary=X', 256],
])('are %s', (_, type, mebibytes) => {
  const { core, routes } = simulator()
  const videos = routes.find(({ endpoint }) => endpoint.operation === 'videos.create')
  expect(bodyLimit(type, core.settings, videos?.endpoint as never)).toBe(mebibytes * 1024 * 1024)
})
