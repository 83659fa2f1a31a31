/**
 * What a process loads before its first answer: counts that grow when an import brings along what nobody has
 * asked for yet. The room is eight per cent of what is loaded today.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { requireBuild, root } from './_built.ts'

interface Loaded {
  readonly files: number
  readonly kilobytes: number
  /** How many schemas of zod were made. */
  readonly schemas: number
}

/** Runs node until it ends, or has written a line; what it has loaded of dist/ by then, as V8 counts it. */
async function loadedBy(args: readonly string[], untilLine = false): Promise<Loaded> {
  requireBuild()
  const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-start-'))
  try {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', NODE_V8_COVERAGE: directory },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'close')
    if (untilLine) await once(createInterface({ input: child.stdout }), 'line')
    if (untilLine) child.kill('SIGTERM')
    expect((await ended)[0]).toBe(0)
    const scripts = readdirSync(directory).flatMap(
      (name) => (JSON.parse(readFileSync(join(directory, name), 'utf8')) as { result: Script[] }).result,
    )
    const own = scripts
      .filter(({ url }) => url.startsWith(pathToFileURL(join(root, 'dist')).href))
      // A server loads the tokenizer in the background: the machine decides whether it does so before the signal.
      .filter(({ url }) => !(untilLine && url.includes('/token-table-')))
    // Zod calls it for each schema and each check.
    const made = own.flatMap(({ functions }) => functions.filter((one) => one.functionName === 'Internals'))
    expect(made).not.toEqual([])
    return {
      files: own.length,
      kilobytes: own.reduce((sum, { url }) => sum + statSync(fileURLToPath(url)).size, 0) / 1000,
      schemas: made.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0),
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Script {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly { readonly count: number }[]
  }[]
}

const importing = `const { createSimulator } = await import('./dist/index.js');`
const asking = `${importing}
  const response = await createSimulator().fetch('http://gateway.test/v1/chat/completions', {
    method: 'POST', headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Good morning' }] }),
  });
  if (!response.ok) throw new Error(await response.text());`
const script = (text: string): string[] => ['--input-type=module', '-e', text]

// A schema at the top of a module would be made by every import: make it in a function.
it('an import makes no schema, and loads the core alone', async () => {
  const { files, kilobytes, schemas } = await loadedBy(script(importing))
  expect(schemas).toBe(0)
  expect(files).toBeLessThanOrEqual(10)
  expect(kilobytes).toBeLessThanOrEqual(880)
})

// Those of the settings (377) and of the request; all together are more than 3,500.
it('a first chat call makes the schemas of chat alone, and loads nothing that only values need', async () => {
  const { files, kilobytes, schemas } = await loadedBy(script(asking))
  expect(files).toBeLessThanOrEqual(11)
  expect(kilobytes).toBeLessThanOrEqual(880)
  expect(schemas).toBeLessThanOrEqual(600)
})

it('a server is ready with the schemas of the settings, and without what only some calls need', async () => {
  const { files, kilobytes, schemas } = await loadedBy(
    ['bin/gateway-sim.js', 'serve', '--port', '0', '--quiet'],
    true,
  )
  expect(files).toBeLessThanOrEqual(24)
  expect(kilobytes).toBeLessThanOrEqual(1090)
  expect(schemas).toBeLessThanOrEqual(407)
})
