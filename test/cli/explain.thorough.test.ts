/** `gateway-sim explain` of every scenario of the library. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../_built.ts'
import { run } from './_io.ts'

describe('the whole library', () => {
  const files = readdirSync(join(root, 'scenarios')).filter((name) => name.endsWith('.yaml'))

  it('is explained in 100 columns, identically each time, without undefined values', async () => {
    const explain = () => run(['explain', 'scenarios'], { cwd: root, env: { LANG: 'C.UTF-8' } })
    const { code, stdout } = await explain()
    expect(code).toBe(0)
    for (const file of files) expect(stdout).toContain(`scenarios/${file}\n`)
    expect(stdout.split('\n').filter((line) => [...line].length > 100)).toEqual([])
    expect(stdout).not.toMatch(/undefined|NaN|\[object/)
    expect((await explain()).stdout).toBe(stdout)
  })
})
