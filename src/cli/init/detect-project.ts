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
  /** Its npm script `test`, unless it is the one that `npm init` writes. */
  readonly testScript: string | undefined
  /** Its test folder. */
  readonly tests: string
  /** The version of vitest that package.json declares. */
  readonly vitest: string | undefined
}

/** Throws `CommandError` for a package.json that is not an object. */
export function detectProject(cwd: string, given: Runner | undefined): Project {
  const path = join(cwd, 'package.json')
  const manifest = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  const versions = manifest === undefined ? {} : versionsOf(manifest)
  const packages = Object.keys(versions)
  const usesPython = readdirSync(cwd).some((name) =>
    /^(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|requirements.*\.txt)$/.test(name),
  )
  const byPackage = [
    ['vitest', 'vitest'],
    ['jest', 'jest'],
    ['@playwright/test', 'playwright'],
  ] as const
  const known = byPackage.find(([name]) => packages.includes(name))?.[1]
  const detected = known ?? (usesPython ? 'python' : 'node')
  const runner = given ?? detected
  // unittest and pytest find tests in `tests`; Playwright's own generator writes there too.
  const folders = runner === 'python' ? ['tests'] : ['test', 'tests', '__tests__', 'e2e']
  return {
    runner,
    sdk: sdkOf(packages),
    hasGatewaySim: packages.includes('gateway-sim'),
    manifest,
    testScript: testScriptOf(manifest),
    tests: folders.find((name) => existsSync(join(cwd, name))) ?? (runner === 'python' ? 'tests' : 'test'),
    vitest: versions['vitest'],
  }
}

function testScriptOf(manifest: string | undefined): string | undefined {
  const scripts = manifest === undefined ? undefined : parseManifest(manifest)['scripts']
  const script = isFields(scripts) ? scripts['test'] : undefined
  return typeof script !== 'string' || script.includes('no test specified') ? undefined : script
}

function sdkOf(packages: readonly string[]): Sdk {
  for (const [sdk, needed] of Object.entries(packagesOfSdk))
    if (needed.every((name) => packages.includes(name))) return sdk as Sdk
  return 'fetch'
}

/** The declared version of each package. */
function versionsOf(manifest: string): Readonly<Record<string, string>> {
  const fields = parseManifest(manifest)
  const declared = ['dependencies', 'devDependencies'].flatMap((name) => {
    const packages = fields[name]
    return isFields(packages) ? Object.entries(packages) : []
  })
  return Object.fromEntries(declared.map(([name, version]) => [name, String(version)]))
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
