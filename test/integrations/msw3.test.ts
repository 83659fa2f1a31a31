/**
 * The msw integration under msw 3. Its `setupServer` needs Node 22: it is tried there when one is at hand
 * (this process, or the binary named by NODE22); `getResponse` runs everywhere.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { getResponse, HttpHandler } from 'msw3'
import manifest from 'msw3/package.json' with { type: 'json' }
import { describe, expect, it, onTestFinished } from 'vitest'
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

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const node22 = major > 22 || (major === 22 && minor >= 12) ? process.execPath : process.env['NODE22']
const reason = 'set NODE22 to the path of a node binary, 22.12 or newer'
if (node22 === undefined) console.warn(`setupServer of msw 3 is NOT RUN: ${reason}`)

describe('setupServer of msw 3', () => {
  it.skipIf(node22 === undefined)(
    `responds, streams and notices clients that abort, under Node 22${node22 === undefined ? `, NOT RUN: ${reason}` : ''}`,
    async () => {
      // Inside node_modules, so that what stays outside the bundle is found.
      const folder = mkdtempSync(join(resolve('node_modules'), '.gateway-sim-test-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const outfile = join(folder, 'msw3.mjs')
      await build({
        entryPoints: [resolve('test/integrations/_msw3-script.ts')],
        outfile,
        bundle: true,
        format: 'esm',
        platform: 'node',
        packages: 'external',
        alias: { msw: 'msw3' },
        logLevel: 'error',
      })
      const { stdout } = await promisify(execFile)(node22 as string, [outfile])
      expect(JSON.parse(stdout)).toEqual({
        generation: 3,
        chat: 200,
        streamEnd: '[DONE]',
        cut: { events: 3, error: 'terminated' },
        left: { error: 'AbortError', ended: 'aborted', eventCount: 3 },
        unknown: 404,
        journal: [
          'chat.create completed',
          'chat.create completed',
          'chat.create cut',
          'chat.create aborted',
          'GET /v1/nothing completed',
        ],
        warnings: [],
      })
    },
  )
})
