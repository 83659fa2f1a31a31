/** The msw integration under msw 3, through `getResponse`: its `setupServer` needs Node 22. */
import { getResponse, HttpHandler } from 'msw3'
import manifest from 'msw3/package.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { mswCases } from './_msw-cases.ts'

// The integration imports `msw`; what is loaded by this name gets the third generation (vitest.config.ts).
const { handlers } = (await import('../../src/msw.ts?msw3' as string)) as typeof import('../../src/msw.ts')

it('tests msw 3', () => {
  expect(manifest.version).toMatch(/^3\./)
  expect(handlers(simulator(), { origins: ['https://gateway.test'] })[0]).toBeInstanceOf(HttpHandler)
})

describe('getResponse of msw 3', () => {
  mswCases((list) => (url, init) => getResponse(list as never, new Request(url, init)), handlers)
})
