/**
 * The recipes of docs/testing.md run as they stand, each in the test runner it is for, or in one with the
 * same words.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { chat, complaint } from '../verify/_calls.ts'
import { runProject } from './_project.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/testing.md'), 'utf8')
const folder = join(root, 'node_modules/.cache/gateway-sim-recipes')

/** The sample that begins with the name of its file. */
function sample(name: string): string {
  const found = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)]
    .map(([, text = '']) => text)
    .find((text) => text.startsWith(`// ${name}\n`))
  if (found === undefined) throw new Error(`docs/testing.md has no sample that begins with // ${name}`)
  return found
}

beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('docs/testing.md', () => {
  it('shows the message of a verdict as it is', async () => {
    const sim = simulator()
    await chat(sim, 'Draw a sunset.')
    await chat(sim, 'Draw a fox.', { model: 'gpt-4o-mini' })
    const shown = /^```text\n([\s\S]*?)^```$/m.exec(page)?.[1]?.trimEnd().split('\n')
    expect(complaint(sim, { calls: { operation: 'chat.create', model: 'gpt-4o' }, times: 2 })).toEqual(shown)
  })

  it('node:test', async () => {
    const outfile = join(folder, 'video.test.mjs')
    await build({
      stdin: { contents: sample('video.test.js'), resolveDir: root },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'error',
      alias: { 'gateway-sim': join(root, 'dist/index.js') },
    })
    const { code, stdout } = await new Promise<{ code: number; stdout: string }>((done) => {
      // Inside of a test of its own, node:test would report to the one around it.
      const { NODE_TEST_CONTEXT: _, ...env } = process.env
      execFile(process.execPath, ['--test', '--test-reporter=tap', outfile], { env }, (error, text) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, stdout: text }),
      )
    })
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^# pass 1$/m) })
  })

  it('vitest', async () => {
    writeFileSync(join(folder, 'story.test.js'), sample('story.test.js'))
    expect(await runProject(folder, { include: ['story.test.js'] })).toEqual({
      'one question is one call': [],
      'a smaller model answers when the large one is overloaded': [],
      'with a manual clock a video takes its time': [],
    })
  })

  // vitest has Playwright's fixtures; the page is one that asks for its models.
  it('Playwright', async () => {
    writeFileSync(
      join(folder, 'playwright.js'),
      `import { test as base } from 'vitest'
export { expect } from 'vitest'
const goto = async (url) => (await fetch(new URL(url).searchParams.get('gateway') + '/v1/models', { headers: { authorization: 'Bearer sk-page' } })).text()
export const test = base.extend({ page: async ({}, use) => use({ goto }) })
`,
    )
    writeFileSync(
      join(folder, 'gateway.test.js'),
      sample('gateway.js').replace("'@playwright/test'", "'./playwright.js'"),
    )
    expect(await runProject(folder, { include: ['gateway.test.js'] })).toEqual({
      'the page asks for its models once': [],
    })
  })
})
