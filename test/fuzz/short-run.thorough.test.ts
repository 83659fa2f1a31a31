/** A few seconds of the fuzzer with another seed each time: it works, and finds nothing. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { requireBuild, root } from '../_built.ts'

it('a short run finds nothing', async () => {
  requireBuild()
  const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-fuzz-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const report = join(folder, 'report.json')
  const args = [
    'tools/fuzz.mjs',
    '--minutes',
    '0.1',
    '--seed',
    String(inject('seed')),
    '--no-keep',
    '--json',
    report,
  ]
  const { code, said } = await new Promise<{ code: unknown; said: string }>((done) =>
    execFile(process.execPath, args, { cwd: root, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, said: `${stderr}\n${stdout}` }),
    ),
  )
  expect(code, said).toBe(0)
  const { total, finds, rows } = JSON.parse(readFileSync(report, 'utf8')) as {
    total: number
    finds: unknown[]
    rows: { mode: string }[]
  }
  expect(finds).toEqual([])
  expect(total).toBeGreaterThan(100)
  expect(new Set(rows.map(({ mode }) => mode))).toEqual(new Set(['in-process', 'http']))
})
