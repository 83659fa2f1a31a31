/** `gateway-sim completion`: the script of yargs, and the words that it asks for. */
import { expect, it } from 'vitest'
import { run } from './_io.ts'

const words = async (...line: readonly string[]): Promise<readonly string[]> => {
  const { code, stdout } = await run(['--get-yargs-completions', 'gateway-sim', ...line])
  expect(code).toBe(0)
  return stdout.trim().split('\n')
}

it('prints the script for bash', async () => {
  const { code, stdout, stderr } = await run(['completion'], { env: { SHELL: '/bin/bash' } })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('_gateway-sim_yargs_completions')
})

it('offers commands, then the flags of a command', async () => {
  expect(await words('')).toEqual(expect.arrayContaining(['init', 'serve', 'exec', 'trial', 'validate']))
  expect(await words('serve', '--')).toEqual(expect.arrayContaining(['--port', '--scenario', '--watch']))
})
