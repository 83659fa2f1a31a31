/** The completion scripts, run by the shells that are installed. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { run } from './_io.ts'

const names = commands.map(({ command }) => command.split(' ')[0] as string)
const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

/** What each shell offers for the last word of each command line. */
const complete = {
  bash: (script: string, lines: readonly string[]) =>
    runShell(
      'bash',
      `${script}
while IFS= read -r line; do
  COMP_WORDS=() rest=$line
  # As readline does, which splits words at the equals sign.
  read -ra COMP_WORDS <<<"\${rest//=/ = }"
  [[ $line == *' ' || $line == *= && \${COMP_WORDS[-1]} != = ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _gateway_sim
  echo "\${COMPREPLY[*]}"
done`,
      lines,
    ),
  fish: (script: string, lines: readonly string[]) =>
    runShell(
      'fish',
      `${script}
while read -l line
  echo (complete -C "$line" | string replace -r '\\t.*' '' | string replace -r '^--[\\w-]+=' '')
end`,
      lines,
    ),
}

function runShell(shell: string, script: string, lines: readonly string[]): Record<string, string[]> {
  const given = ['-c', script]
  const { stdout, stderr } = spawnSync(shell, given, { input: `${lines.join('\n')}\n`, encoding: 'utf8' })
  expect(stderr).toBe('')
  const offered = stdout.trimEnd().split('\n')
  return Object.fromEntries(lines.map((line, index) => [line, (offered[index] ?? '').split(' ')]))
}

const cases: Readonly<Record<string, readonly string[]>> = {
  'gateway-sim re': ['ready', 'reset', 'record', 'replay', 'reserved'],
  'gateway-sim help val': ['validate'],
  'gateway-sim serve --on-miss ': ['simulate', 'reject'],
  'gateway-sim serve --format=j': ['json'],
  'gateway-sim serve --port 1 --drain 2s --ready': ['--ready-file'],
  'gateway-sim validate scenarios --for': ['--format'],
  'gateway-sim clock ': ['advance', 'next', 'idle', 'freeze', 'resume'],
  'gateway-sim scenario from': ['from-recording'],
}

it.each((['bash', 'fish'] as const).filter(isInstalled))(
  '%s completes commands, flags and values',
  async (shell) => {
    const { code, stdout } = await run(['completion', shell])
    expect(code).toBe(0)
    const offered = complete[shell](stdout, Object.keys(cases))
    const sorted = (all: object) =>
      Object.entries(all).map(([line, words]) => [line, [...(words as string[])].sort()])
    expect(sorted(offered)).toEqual(sorted(cases))
  },
)

it('bash offers every command and every flag, and nothing for a file or after --', async () => {
  const { stdout } = await run(['completion', 'bash'])
  const flagLines = names.map((name) => `gateway-sim ${name} -`)
  const files = [
    'gateway-sim replay ',
    'gateway-sim serve --config ',
    'gateway-sim openapi -o ',
    'gateway-sim exec -- -',
  ]
  const offered = complete.bash(stdout, ['gateway-sim ', ...flagLines, ...files])
  expect(offered['gateway-sim ']).toEqual([...names, 'help', '--help', '--version'])
  expect(flagLines.map((line) => offered[line])).toEqual(
    commands.map(({ flags }) => [...Object.keys(flags).map((flag) => `--${flag}`), '--help', '--version']),
  )
  expect(files.map((line) => offered[line])).toEqual(files.map(() => ['']))
})

it.runIf(isInstalled('zsh'))('zsh accepts its script', async () => {
  const { stdout } = await run(['completion', 'zsh'])
  expect(spawnSync('zsh', ['-n'], { input: stdout, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  })
})

it('completes the shell of SHELL, and rejects other shells', async () => {
  const own = await run(['completion'], { env: { SHELL: '/usr/bin/bash' } })
  expect(own).toEqual(await run(['completion', 'bash']))
  expect(await run(['completion', 'tcsh'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'gateway-sim: Expected one of bash, zsh, fish, got "tcsh"\nSee: gateway-sim completion --help\n',
  })
})
