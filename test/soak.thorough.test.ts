/**
 * `npm run soak` for a few seconds: every action of its traffic works. Whether anything grows takes an
 * hour.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { requireBuild, root } from './_built.ts'

it('makes every kind of call, and writes a table, an image and its samples', async () => {
  requireBuild()
  const out = await mkdtemp(join(tmpdir(), 'gateway-sim-soak-test-'))
  onTestFinished(() => rm(out, { recursive: true, force: true }))
  const flags = ['--minutes', '0.1', '--rate', '60', '--seed', 'short', '--out', out]
  const [code, stdout] = await new Promise<[number, string]>((resolve) =>
    execFile(process.execPath, ['bench/soak.mjs', ...flags], { cwd: root }, (error, said) =>
      resolve([error === null ? 0 : Number(error.code), said]),
    ),
  )
  expect(code, stdout).toBe(0)
  const { counts, samples, warnings, exit } = JSON.parse(await readFile(join(out, 'soak.json'), 'utf8'))
  expect(Object.entries(counts).filter(([, { done, failed }]: any) => done === 0 || failed > 0)).toEqual([])
  expect(exit).toBe(0)
  expect(samples.length).toBeGreaterThan(0)
  expect(Object.keys(samples.at(-1))).toEqual(
    expect.arrayContaining(['rss', 'heap', 'timers', 'handles', 'loopP99', 'p50', 'p99', 'calls']),
  )
  expect(Object.keys(warnings).some((kind) => kind.startsWith('scenarios-reloaded'))).toBe(true)
  expect(await readFile(join(out, 'soak.txt'), 'utf8')).toContain(
    'the server stops at SIGTERM with exit code 0',
  )
  expect(await readFile(join(out, 'soak.svg'), 'utf8')).toMatch(/^<svg [^]*<polyline [^]*<\/svg>\n$/)
})
