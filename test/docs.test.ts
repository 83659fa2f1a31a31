/** The shell samples of the documentation run with npx, and its curl lines get answers. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { listen } from '../src/node.ts'
import { samples } from './_samples.ts'
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
