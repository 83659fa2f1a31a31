/** Detects the test runner and the SDK of a project from the files in its folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFields } from '../../engine/fields.ts'
import { fileError } from '../command.ts'

export const runners = ['vitest', 'jest', 'node', 'playwright', 'python'] as const
export type Runner = (typeof runners)[number]

export interface Project {
  readonly runner: Runner
  readonly hasOpenai: boolean
  /** Whether it lists gateway-sim. */
  readonly hasGatewaySim: boolean
  /** The text of its package.json, if it has one. */
  readonly manifest: string | undefined
  /** Its test folder. */
  readonly tests: string
}

/** Throws `CommandError` for a package.json that is not an object. */
export function detectProject(cwd: string, given: Runner | undefined): Project {
  const path = join(cwd, 'package.json')
  const manifest = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  const packages = manifest === undefined ? [] : packagesOf(manifest)
  const usesPython = readdirSync(cwd).some((name) =>
    /^(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|requirements.*\.txt)$/.test(name),
  )
  const detected = packages.includes('vitest')
    ? 'vitest'
    : packages.includes('jest')
      ? 'jest'
      : packages.includes('@playwright/test')
        ? 'playwright'
        : usesPython
          ? 'python'
          : 'node'
  const runner = given ?? detected
  // unittest and pytest find tests in `tests`; Playwright's own generator writes there too.
  const folders = runner === 'python' ? ['tests'] : ['test', 'tests', '__tests__', 'e2e']
  return {
    runner,
    hasOpenai: packages.includes('openai'),
    hasGatewaySim: packages.includes('gateway-sim'),
    manifest,
    tests: folders.find((name) => existsSync(join(cwd, name))) ?? (runner === 'python' ? 'tests' : 'test'),
  }
}

function packagesOf(manifest: string): string[] {
  const fields = parseManifest(manifest)
  return ['dependencies', 'devDependencies'].flatMap((name) => {
    const packages = fields[name]
    return isFields(packages) ? Object.keys(packages) : []
  })
}

/** Throws `CommandError` for anything but an object. */
export function parseManifest(manifest: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(manifest)
    if (isFields(parsed)) return parsed
  } catch {
    // Reported below.
  }
  throw fileError('package.json: expected a JSON object')
}
