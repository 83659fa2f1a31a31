/** `gateway-sim init`. */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isFields } from '../../engine/fields.ts'
import { defineCommand, exitCodes, fileError } from '../command.ts'
import { text } from '../flags.ts'
import { findSettingsFile } from '../settings-file.ts'
import { detectProject, type Project, parseManifest, type Runner, runners } from './detect-project.ts'
import { samples, sampleTest } from './sample-test.ts'

interface Kind {
  /** The template of the test. */
  readonly template: string
  /** The file that is written. */
  readonly test: string
  /** The command that runs it. */
  readonly run: (test: string) => string
  /** The command that runs all tests of the project. */
  readonly runAll: string
  /** Whether the test needs `gateway-sim exec`, which also starts a server for it. */
  readonly needsExec?: true
}

const kinds: Readonly<Record<Runner, Kind>> = {
  vitest: {
    template: 'vitest/gateway.test.ts',
    test: 'gateway.test.ts',
    run: (test) => `vitest run ${test}`,
    runAll: 'vitest run',
  },
  jest: {
    template: 'jest/gateway.test.js',
    test: 'gateway.test.js',
    run: (test) => `jest ${test}`,
    runAll: 'jest',
  },
  node: {
    template: 'node/gateway.test.mjs',
    test: 'gateway.test.mjs',
    run: (test) => `node --test ${test}`,
    runAll: 'node --test',
  },
  playwright: {
    template: 'playwright/gateway.spec.mjs',
    test: 'gateway.spec.mjs',
    run: (test) => `playwright test ${test}`,
    runAll: 'playwright test',
    needsExec: true,
  },
  python: {
    template: 'python/test_gateway.py',
    test: 'test_gateway.py',
    run: (test) => `python3 -m unittest ${test}`,
    runAll: 'python3 -m unittest discover tests',
    needsExec: true,
  },
}

const script = 'test:gateway'

export const command = defineCommand({
  examples: [
    ['gateway-sim init', 'Detect the test runner and the SDK'],
    ['gateway-sim init --ci github', 'Also write a workflow for GitHub Actions'],
  ],
  flags: {
    runner: { ...text('Test runner', 'detected'), choices: runners },
    ci: { ...text('CI service to write a workflow for', 'none'), choices: ['github', 'gitlab'] },
  },
  async handler({ runner, ci }, { cwd, stdout }) {
    const project = detectProject(cwd, runner)
    requireVitest(project)
    const { template, run, runAll, needsExec, ...kind } = kinds[project.runner]
    const test = `${project.tests}/${kind.test}`
    const scenario = `scenarios/${hasSdk(project) ? samples[project.sdk].scenario : 'lost-response'}.yaml`
    const lines = [`gateway-sim: tests with ${namesOf(project)}`]
    const write = async (name: string, content: string | Promise<string>): Promise<void> => {
      const isNew = await writeNew(join(cwd, name), await content)
      lines.push(isNew ? `  wrote ${name}` : `  kept  ${name}`)
    }
    const settings = findSettingsFile(undefined, cwd)?.shown ?? 'gateway-sim.config.yaml'
    await write(settings, readTemplate('gateway-sim.config.yaml'))
    await write(scenario, readTemplate(scenario))
    if (project.runner === 'playwright') {
      const config = readdirSync(cwd).find((name) => /^playwright\.config\.[cm]?[jt]s$/.test(name))
      await write(config ?? 'playwright.config.mjs', readTemplate('playwright/config.mjs'))
    }
    await write(test, testOf(project, await readTemplate(template)))
    const runTest = needsExec === true ? `gateway-sim exec -- ${run(test)}` : run(test)
    const hasScript = project.runner !== 'python' && project.manifest !== undefined
    if (hasScript) lines.push(await addScript(project.manifest, runTest, cwd))
    const pipeline = ci === 'github' ? '.github/workflows/gateway-sim.yml' : '.gitlab-ci.yml'
    if (ci !== undefined) await write(pipeline, pipelineOf(ci, project.runner, testCommand(project, runAll)))
    const next = nextSteps(project, hasScript ? `npm run ${script}` : inShell(runTest), [test, scenario])
    stdout.write(`${[...lines, ...next].join('\n')}\n`)
    return exitCodes.ok
  },
})

/**
 * Throws `CommandError` if the project uses a version of vitest without the API of `gateway-sim/vitest`. A
 * declared range may allow a later version, which npm then installs.
 */
function requireVitest({ runner, vitest = '' }: Project): void {
  const [, major, minor] = /^[\^~]?(\d+)(?:\.(\d+))?/.exec(vitest) ?? []
  if (runner !== 'vitest' || major === undefined) return
  const isExact = /^\d+\.\d+\.\d+/.test(vitest)
  if (Number(major) > 4 || (Number(major) === 4 && (!isExact || Number(minor) > 0))) return
  throw fileError(
    `gateway-sim/vitest needs vitest 4.1 or later; this project has ${vitest}. Update vitest, or use ` +
      '`createSimulator` from gateway-sim, which works with every test runner (for an example, use ' +
      '--runner node)',
  )
}

/** A command of a package, as a shell finds it. */
const inShell = (command: string): string => (/^(?:node|python3) /.test(command) ? command : `npx ${command}`)

/**
 * The command that runs all tests in CI: `npm test`, then the runner unless `npm test` starts it. A script
 * with `gateway-sim exec` would start a second simulator.
 */
function testCommand({ runner, testScript }: Project, runAll: string): string {
  const own = inShell(runAll)
  if (runner === 'python' || testScript === undefined || /\bgateway-sim\b/.test(testScript)) return own
  const word = runner === 'node' ? 'node --test' : runner
  return testScript.includes(word) ? 'npm test' : `npm test && ${own}`
}

/** The pipeline that runs the test. vitest tests report their requests themselves, others by `exec`. */
async function pipelineOf(ci: 'github' | 'gitlab', runner: Runner, command: string): Promise<string> {
  const suffix = { vitest: '', jest: '-exec', node: '-exec', playwright: '-playwright', python: '-python' }
  const text = await readTemplate(`ci/${ci}${suffix[runner]}.yml`)
  // In GitLab, a shell would run the second command outside `exec`.
  const isSplit = ci === 'gitlab' && runner !== 'vitest' && command.includes('&&')
  return text.replace('COMMAND', () => (isSplit ? `bash -e -c '${command}'` : command))
}

/** Only the frames of these runners take the client of an SDK. */
const hasSdk = ({ runner }: Project): boolean => runner === 'vitest' || runner === 'jest' || runner === 'node'

async function testOf(project: Project, frame: string): Promise<string> {
  const { runner, sdk } = project
  return hasSdk(project) ? sampleTest(runner, sdk, frame, await readTemplate(`sdks/${sdk}.js`)) : frame
}

function namesOf(project: Project): string {
  const name = {
    vitest: 'vitest',
    jest: 'Jest',
    node: 'node:test',
    playwright: 'Playwright',
    python: 'unittest, which pytest runs too',
  }
  const sdk = hasSdk(project) ? ` and ${samples[project.sdk].name}` : ''
  return `${name[project.runner]}${sdk} (--runner selects another)`
}

/** The next commands to run. */
function nextSteps({ hasGatewaySim, runner }: Project, run: string, example: readonly string[]): string[] {
  const steps = [
    ...(hasGatewaySim || runner === 'python'
      ? []
      : [['npm install -D gateway-sim', 'Add gateway-sim to the project']]),
    [run, 'Run both tests: the second fails on purpose and explains why'],
    ['npx gateway-sim explain scenarios', 'Draw the scenario'],
    ['npx gateway-sim serve --scenario scenarios', 'Serve it, with a page that shows the requests'],
  ].slice(0, 3)
  const remove = `To remove the example, delete ${example.join(' and ')}.`
  return ['Next:', ...steps.map(([command, purpose]) => `  ${command}\n      ${purpose}`), remove]
}

/** Returns false if the file exists. */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && existsSync(path)) return false
    throw fileError(`${path} cannot be written: ${message}`)
  }
}

/** Adds the npm script if it is missing. The rest of the file stays unchanged. */
async function addScript(manifest: string | undefined, command: string, cwd: string): Promise<string> {
  const text = manifest ?? '{}'
  const fields = parseManifest(text)
  const scripts = isFields(fields['scripts']) ? fields['scripts'] : {}
  if (Object.hasOwn(scripts, script)) return `  kept  script ${script} in package.json`
  const indent = /^[ \t]+/m.exec(text)?.[0] ?? '  '
  const changed = { ...fields, scripts: { ...scripts, [script]: command } }
  await writeFile(join(cwd, 'package.json'), `${JSON.stringify(changed, null, indent)}\n`)
  return `  added script ${script} to package.json`
}

const readTemplate = async (name: string): Promise<string> => readFile(templatePath(name), 'utf8')

/** Templates are next to `dist/` in the package, next to `src/` in the repository. */
function templatePath(name: string): string {
  const folders = ['../../templates/', '../../../templates/']
  const paths = folders.map((folder) => fileURLToPath(new URL(folder + name, import.meta.url)))
  return paths.find((path) => existsSync(path)) ?? (paths[0] as string)
}
