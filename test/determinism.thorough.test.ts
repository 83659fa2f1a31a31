/** Same seed, same requests, same bytes: in another process too. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { inOrder, run, total } from './_many-answers.ts'

it('another process gives the same bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
  try {
    const entry = join(folder, 'entry.mjs')
    writeFileSync(
      entry,
      `import { createSimulator } from ${JSON.stringify(resolve('src/index.ts'))}
       import { manyRequests } from ${JSON.stringify(resolve('test/many-requests.ts'))}
       const sim = createSimulator({ clock: 'auto' })
       const said = []
       for (const { path, init } of manyRequests(${total}).reverse()) said.push(await (await sim.fetch('http://gateway' + path, init)).text())
       process.stdout.write(JSON.stringify(said.reverse()))`,
    )
    const outfile = resolve('node_modules/.cache/gateway-sim-determinism.mjs')
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'error',
    })
    const there: unknown = JSON.parse(
      execFileSync(process.execPath, [outfile], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
    )
    const here = await run('auto', inOrder, { together: false })
    expect(there).toEqual(
      [...here.values()].map(({ text }) => text.replaceAll('http://gateway.test', 'http://gateway')),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
