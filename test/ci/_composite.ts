/** Runs the `run:` steps of a composite action as GitHub's runner does, as far as action.yml needs it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { root } from '../_built.ts'

interface Step {
  readonly id?: string
  readonly name: string
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
  readonly run?: string
  readonly uses?: string
  readonly with?: Readonly<Record<string, string>>
}

export interface Action {
  readonly name: string
  readonly description: string
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

export const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action

export interface Job {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface ActionRun {
  readonly failed: boolean
  readonly log: string
  readonly summary: string
  readonly outputs: Readonly<Record<string, string>>
  /** The files that the last step uploads. */
  readonly uploads: readonly string[]
}

/** A folder for the temporary files of one job, and its environment. */
export function jobIn(cwd: string): Job {
  const temp = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-sim-runner-')))
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }))
  return {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: temp, RUNNER_TEMP: temp, GITHUB_JOB: 'unit tests' },
  }
}

export function runAction(
  given: Readonly<Record<string, string>>,
  { cwd, env }: Job,
  path = root,
): ActionRun {
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: value }]) => [name, given[name] ?? value]),
  )
  const values = new Map<string, string>([
    ['github.action_path', path],
    ['runner.temp', env['RUNNER_TEMP'] as string],
    ...Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value] as const),
  ])
  const filled = (text: string): string =>
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values.get(name) ?? '')
  const [output, summary] = ['output', 'summary'].map((name) => join(env['RUNNER_TEMP'] as string, name)) as [
    string,
    string,
  ]
  writeFileSync(summary, '')
  let failed = false
  let log = ''
  let uploads: string[] = []
  for (const step of action.runs.steps) {
    if (!isWanted(step.if, values, failed)) continue
    if (step.uses !== undefined)
      uploads = filled(step.with?.['path'] ?? '')
        .trim()
        .split('\n')
    if (step.run === undefined) continue
    writeFileSync(output, '')
    const own = Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)])
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', step.run],
      {
        cwd,
        encoding: 'utf8',
        env: { ...env, ...Object.fromEntries(own), GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
      },
    )
    log += stdout + stderr
    failed ||= status !== 0
    for (const line of readFileSync(output, 'utf8').split('\n').filter(Boolean)) {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(line) ?? []
      values.set(`steps.${step.id}.outputs.${name}`, value)
    }
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value)])
  return {
    failed,
    log,
    summary: readFileSync(summary, 'utf8'),
    outputs: Object.fromEntries(outputs),
    uploads,
  }
}

/** Conditions joined by `&&`: `always()`, and comparisons with a string. */
function isWanted(condition = '', values: ReadonlyMap<string, string>, failed: boolean): boolean {
  const parts = condition.split(' && ').filter((part) => part !== '')
  if (failed && !parts.includes('always()')) return false
  return parts.every((part) => {
    if (part === 'always()') return true
    const [, name = '', operator, expected] = /^([\w.-]+) (==|!=) '(.*)'$/.exec(part) ?? []
    if (operator === undefined) throw new Error(`The test cannot evaluate ${part}`)
    return ((values.get(name) ?? '') === expected) === (operator === '==')
  })
}
