import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { main } from '../../src/cli/main.ts'
import { record, run } from './_io.ts'

describe('the command line', () => {
  it('lists every command and every exit code under --help', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect(code).toBe(0)
    expect(stderr).toBe('')
    for (const word of ['serve', 'journal'])
      expect(stdout).toMatch(new RegExp(`^ {2}gateway-sim ${word} `, 'm'))
    for (const value of Object.values(exitCodes))
      expect(stdout).toMatch(new RegExp(`^ {2}${value} +\\w`, 'm'))
  })

  it.each([[[]], [['--help']], [['-h']], ...commands.map(({ name }) => [[name, '--help']])])(
    'answers %j with help, two examples and 0',
    async (argv) => {
      const { code, stdout, stderr } = await run(argv)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('--version')
      expect(
        stdout.match(/^Examples:\n(?: {2}gateway-sim [^\n]{1,66}\n {6}[A-Z][^\n]{1,73}\n){2}/m),
      ).not.toBeNull()
    },
  )

  it.each([['--version'], ['-v'], ['serve', '--version'], ['journal', '-v']])(
    'answers %s %s with only the version and 0',
    async (...argv) => {
      const { code, stdout } = await run(argv)
      expect(code).toBe(0)
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
    },
  )

  it('reports a bug as a bug, with its stack and 1', async () => {
    const stderr = record()
    const stdout = {
      write() {
        throw new Error('made up')
      },
    }
    const code = await main(['check', '--list'], {
      stdout,
      stderr,
      cwd: '.',
      env: {},
      pid: 1,
      readStdin: async () => new Uint8Array(),
      rawStreams: () => ({ input: new PassThrough(), output: new PassThrough() }),
      whenStopped: () => Promise.resolve(),
      onSignal() {},
      startProgram: () => Promise.reject(new Error('not here')),
    })
    expect(code).toBe(1)
    expect(stderr.text).toMatch(
      /^gateway-sim: internal error in gateway-sim, please report it: Error: made up\n +at /,
    )
  })
})

it.each(['replay', undefined])('help %s is the same as --help', async (command) => {
  const words = command === undefined ? [] : [command]
  const helped = await run(['help', ...words])
  expect(helped).toEqual(await run([...words, '--help']))
  expect(helped).toMatchObject({ code: 0, stderr: '' })
})
