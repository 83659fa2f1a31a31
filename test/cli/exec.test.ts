/** `gateway-sim exec`: the environment and the words that the command gets; its transcript has the rest. */
import { describe, expect, it } from 'vitest'
import { exec, real, script } from './_exec.ts'

describe('the environment of the command', () => {
  it('contains no real key, and everything else unchanged', async () => {
    const { stdout } = await exec([], script('console.log(JSON.stringify(process.env))'), {
      env: { ...real, MINE: 'mine', NO_PROXY: 'example.org' },
    })
    const env = JSON.parse(stdout) as Record<string, string>
    expect(Object.entries(env).filter(([, value]) => /real|:9\b/.test(value))).toEqual([])
    expect(env).toMatchObject({
      MINE: 'mine',
      NO_PROXY: 'example.org,127.0.0.1',
      OPENAI_BASE_URL: `${env['GATEWAY_SIM_URL']}/v1`,
      ANTHROPIC_BASE_URL: env['GATEWAY_SIM_URL'],
    })
    expect(env['GATEWAY_SIM_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })
})

describe('the command', () => {
  it('gets its arguments unchanged, and standard input', async () => {
    const words = ['--help', '--', '', "it's", '"quoted"', '$HOME', '*', '007', 'a b', '--scenario=x', 'ü']
    const { stdout } = await exec(
      [],
      [
        process.execPath,
        '-e',
        `process.stdin.pipe(process.stdout); process.stdout.write(JSON.stringify(process.argv.slice(1)) + '\\n')`,
        '--',
        ...words,
      ],
      { stdin: 'from outside' },
    )
    expect(stdout).toBe(`${JSON.stringify(words)}\nfrom outside`)
  })
})
