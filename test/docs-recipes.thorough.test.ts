/** Every sample of docs/recipes runs as it is. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sections } from '../docs/.vitepress/sidebar.ts'
import { requireBuild, root } from './_built.ts'
import { type Sample, samples, samplesOf } from './_samples.ts'
import { exec, script } from './cli/_exec.ts'
import { emptyDirectory, run, serve, start } from './cli/_io.ts'
import { runProject } from './vitest/_project.ts'

const names = (sections.find(([, folder]) => folder === 'recipes')?.[2] ?? []).filter(
  (name) => name !== 'index',
)
const recipes = samples.filter(({ title }) => title.startsWith('docs/recipes/'))
// Inside the checkout, so that the samples find the packages they import.
const folder = join(root, 'node_modules/.cache/gateway-sim-docs-recipes')

/** The file that the first line of a sample names. */
const fileOf = ({ text }: Sample): string => /^(?:\/\/|#) (\S+)\n/.exec(text)?.[1] ?? ''
const tests = recipes.filter((sample) => fileOf(sample).endsWith('.test.js'))

function textOf(file: string): string {
  const found = recipes.find((sample) => fileOf(sample) === file)
  if (found === undefined) throw new Error(`no sample begins with the name ${file}`)
  return found.text
}

/** The words of each shell line of a recipe, without `npx gateway-sim`. */
const commandsOf = (name: string): string[][] =>
  samplesOf(`docs/recipes/${name}.md`)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'))
    .map(wordsOf)
const wordsOf = (line: string): string[] => line.replace(/^npx (?:--yes )?gateway-sim /, '').split(' ')

beforeAll(() => {
  requireBuild()
  mkdirSync(folder, { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// test/scenario/documented.test.ts loads the YAML.
it('each recipe has a sample that a test below runs', () => {
  expect(names.length).toBeGreaterThan(10)
  const untested = names.filter((name) => samplesOf(`docs/recipes/${name}.md`).length === 0)
  expect(untested).toEqual([])
  const others = recipes.filter((sample) => !tests.includes(sample))
  expect(others.map((sample) => `${sample.language} ${fileOf(sample)}`.trim())).toEqual([
    'sh',
    'sh',
    'sh',
    'yaml',
  ])
})

/** What each test of some files was told, by its name; nothing when it passed. */
function results(texts: Readonly<Record<string, string>>, name: string): Promise<Record<string, string[]>> {
  const directory = join(folder, name)
  mkdirSync(directory, { recursive: true })
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(directory, file), text)
  return runProject(directory, { include: ['*.test.js'] })
}

describe('samples for vitest', () => {
  it('pass', { timeout: 300_000 }, async () => {
    const told = await results(
      Object.fromEntries(tests.map((sample) => [fileOf(sample), sample.text])),
      'samples',
    )
    expect(Object.keys(told).length).toBeGreaterThanOrEqual(tests.length)
    expect(Object.entries(told).filter(([, messages]) => messages.length > 0)).toEqual([])
  })

  /** What recipes say of other clients and other rules: a change of the sample, and how it then fails. */
  const changes: readonly (readonly [file: string, before: string, after: string, message: RegExp])[] = [
    [
      'retry-after.test.js',
      "await client.chat.completions.create({ model: 'gpt-4o', messages })",
      `const ask = () => client.chat.completions.create({ model: 'gpt-4o', messages }, { maxRetries: 0 })
await ask().catch(ask)`,
      /ignored-retry-after/,
    ],
    ['own-retry.test.js', "headers.get('retry-after') * 1000", '0', /ignored-retry-after/],
    ['stream-cut.test.js', "'disconnect'", "{ kind: 'disconnect', how: 'end' }", /missing finish_reason/],
    ['tool-call-loop.test.js', 'execute', 'needsApproval: true, execute', /''/],
    ['never-submit-twice.test.js', 'maxRetries: 0', 'maxRetries: 2', /retried-create/],
    [
      'upload-then-use.test.js',
      "await sim.fetch(upload.upload_url, { method: 'PUT', body: gif })",
      '{ status: 200 }',
      /has no file/,
    ],
  ]

  it('fail when they are changed as their recipes say', { timeout: 300_000 }, async () => {
    const changed = changes.map(([file, before, after]) => {
      expect(textOf(file)).toContain(before)
      return [file, textOf(file).replace(before, after)] as const
    })
    const told = await results(Object.fromEntries(changed), 'changed')
    const messages = Object.values(told).map((lines) => lines.join('\n'))
    expect(messages.length).toBe(changes.length)
    for (const [file, , , message] of changes)
      expect(messages, file).toContainEqual(expect.stringMatching(message))
  })
})

/** Asks a gateway; also a program, so it uses nothing from here. */
async function chat(url: string, content: string): Promise<string> {
  const headers = { authorization: 'Bearer sk-any', 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] })
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
  return `${response.status} ${await response.text()}`
}

describe('recordings', () => {
  it('are made, played back, and compared as the recipe says', { timeout: 120_000 }, async () => {
    const [record, play, check] = commandsOf('record-once')
    const { url } = await serve(['--clock', 'auto'])
    const at = (words: readonly string[] = []): string[] =>
      words.map((word) => (word === 'https://gw.example' ? url : word))
    const cwd = emptyDirectory()
    const proxy = start(at(record), { cwd })
    const [, proxyUrl = ''] = await proxy.stdout.until(/ at (http:\S+)\n/)
    expect(await chat(proxyUrl, 'Hello')).toMatch(/^200 /)
    proxy.stop()
    await proxy.code

    const flags = play?.slice(1, play.indexOf('--')) ?? []
    const client = (content: string): string[] =>
      script(`${chat}\nconsole.log(await chat(process.env.GATEWAY_SIM_URL, '${content}'))`)
    expect(await exec(flags, client('Hello'), { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^200 /),
    })
    expect(await exec(flags, client('Hola'), { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^422 .*Closest: rule key-1\.har.*expected \\"Hello\\", got \\"Hola\\"/),
    })

    const checked = await run(at(check), { cwd, env: { GATEWAY_API_KEY: 'sk-any' } })
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('no violations') })
  })
})
