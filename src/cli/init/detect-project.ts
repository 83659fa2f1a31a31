/** Detects the test runner and the SDK of a project from the files in its folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFields } from '../../engine/fields.ts'
import { fileError } from '../command.ts'

export const runners = ['vitest', 'jest', 'node', 'playwright', 'python'] as const
export type Runner = (typeof runners)[number]

/** The packages of each SDK, the one of the sample test first. Without any of them, the test uses `fetch`. */
const packagesOfSdk = {
  openai: ['openai'],
  anthropic: ['@anthropic-ai/sdk'],
  google: ['@google/genai'],
  ai: ['ai', '@ai-sdk/openai'],
} as const
export type Sdk = keyof typeof packagesOfSdk | 'fetch'

export interface Project {
  readonly runner: Runner
  readonly sdk: Sdk
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
    sdk: sdkOf(packages),
    hasGatewaySim: packages.includes('gateway-sim'),
    manifest,
    tests: folders.find((name) => existsSync(join(cwd, name))) ?? (runner === 'python' ? 'tests' : 'test'),
  }
}

function sdkOf(packages: readonly string[]): Sdk {
  for (const [sdk, needed] of Object.entries(packagesOfSdk))
    if (needed.every((name) => packages.includes(name))) return sdk as Sdk
  return 'fetch'
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
