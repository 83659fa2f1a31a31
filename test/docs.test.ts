/** The shell samples of the documentation run with npx, and its curl lines get answers. */
import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../src/node.ts'
import { samples, samplesOf } from './_samples.ts'
import { simulator } from './_setup.ts'

const run = promisify(execFile)

describe('shell samples', () => {
  const shell = samples
    .filter(({ language }) => language === 'sh')
    .flatMap(({ title, text }) =>
      text
        .replaceAll('\\\n', ' ')
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
        .map((line) => ({ title, line: line.trim() })),
    )

  it('know only commands that a test knows', () => {
    expect(
      shell.filter(
        ({ line }) =>
          !/^(?:curl -s '?http:\/\/127\.0\.0\.1:4010\/|npm |npx (?:gateway-sim|vitest|openapi-typescript|tsc|biome) )/.test(
            line,
          ),
      ),
    ).toEqual([])
  })

  it.each(shell.filter(({ line }) => line.startsWith('curl')).map(({ title, line }) => [title, line]))(
    '%s: %s',
    async (_title, line) => {
      const listening = await listen(simulator({ clock: 'real' }))
      try {
        const { stdout } = await run('bash', [
          '-c',
          `${line.replace('http://127.0.0.1:4010', listening.url)} -m 120 -w '\\n%{http_code}'`,
        ])
        expect(stdout.trim().split('\n').at(-1)).toMatch(/^20[01]$/)
      } finally {
        await listening.close()
      }
    },
  )
})

it('the program that reads events prints each request', async () => {
  const program = samplesOf('docs/reference/control-api.md').find(({ language }) => language === 'js')
  const listening = await listen(simulator({ clock: 'real' }))
  const code = program?.text.replace('http://127.0.0.1:4010', listening.url) ?? ''
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code])
  onTestFinished(async () => {
    child.kill()
    await listening.close()
  })
  let printed = ''
  child.stdout.on('data', (bytes) => (printed += bytes))
  for (const path of ['one', 'two']) await fetch(`${listening.url}/${path}`)
  await expect.poll(() => printed).toBe('0 /one 404\n1 /two 404\n')
  await fetch(`${listening.url}/three`)
  await expect.poll(() => printed).toContain('\n2 /three 404\n')
})
