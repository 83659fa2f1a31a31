/** The package in a CommonJS project whose tests Jest runs, with no flags and no configuration. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Ended, packedProject, root } from './_built.ts'
import { samplesOf } from './_samples.ts'

const project = packedProject()

beforeAll(() => {
  project.write('package.json', '{ "name": "commonjs-project", "private": true }\n')
  project.install('openai')
})

function jest(name: string, text: string): Promise<Ended> {
  project.write(name, text)
  // Instead of five seconds, which a busy machine may need for a film.
  const patience = '--testTimeout=120000'
  return project.node(join(root, 'node_modules/jest/bin/jest.js'), '--no-watchman', patience, name)
}

const setUp = `
const OpenAI = require('openai')
const { ConfigError, createSimulator, SimulatorClosedError } = require('gateway-sim')
const { listen } = require('gateway-sim/node')
const { middleware } = require('gateway-sim/express')
const { connect } = require('gateway-sim/client')
const { openapi } = require('gateway-sim/openapi')

const sim = createSimulator({ clock: 'manual' })
const client = new OpenAI({ baseURL: 'http://gateway.test/v1', apiKey: 'sk-anything', fetch: sim.fetch, maxRetries: 0 })
const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Reply with exactly: pong' }] }
afterAll(() => sim.close())
`

describe('with Jest', () => {
  it('every entry that takes no ES modules of others works: words, schemas, forms, files, YAML, HTTP', async () => {
    const { code, stderr } = await jest(
      'gateway.test.js',
      `${setUp}
test('words', async () => {
  expect((await client.chat.completions.create(chat)).choices[0].message.content).toBe('pong')
})
test('a schema', async () => {
  const schema = { type: 'object', properties: { email: { type: 'string', format: 'email' } }, required: ['email'], additionalProperties: false }
  const { choices } = await client.chat.completions.create({ ...chat, response_format: { type: 'json_schema', json_schema: { name: 'p', schema } } })
  expect(JSON.parse(choices[0].message.content).email).toContain('@')
})
test('a form, a film and an image', async () => {
  const video = await client.videos.create({ model: 'sora-2', prompt: 'a sunset' })
  sim.clock.advance('1h')
  expect((await (await client.videos.downloadContent(video.id)).arrayBuffer()).byteLength).toBeGreaterThan(1000)
  const { data } = await client.images.generate({ model: 'gpt-image-1', prompt: 'a fox', output_format: 'webp' })
  expect(data[0].b64_json.slice(0, 4)).toBe('UklG')
})
test('YAML, a clock that moves under a call, an abort, and errors', async () => {
  sim.scenarios.add({ text: 'title: t\\nrules:\\n  - id: slow\\n    then: { delay: 1s }\\n' })
  const slow = client.chat.completions.create(chat)
  await sim.settled()
  sim.clock.advance('2s')
  expect((await slow).choices[0].message.content).toBe('pong')
  sim.overrides.add({ fault: 'hang' })
  await expect(sim.fetch('/v1/models', { headers: { authorization: 'Bearer a' }, signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(() => sim.clock.advance('5 sec')).toThrow(ConfigError)
})
test('a server', async () => {
  const other = createSimulator()
  const { url, close } = await listen(other)
  const session = await connect(url).createSession({ name: 'mine' })
  expect((await session.fetch('/v1/models', { headers: session.headers })).status).toBe(200)
  await close()
  await expect(other.fetch('/v1/models')).rejects.toThrow(SimulatorClosedError)
  expect([typeof middleware(other), typeof openapi]).toEqual(['function', 'function'])
})
`,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/Tests: +5 passed, 5 total/) })
  })

  describe('docs/test/jest-and-node-test.md', () => {
    const sample = (name: string): string =>
      samplesOf('docs/test/jest-and-node-test.md').find(({ text }) => text.startsWith(`// ${name}\n`))
        ?.text ?? ''

    it('its test fails, and passes with a fallback', async () => {
      const text = `${sample('first.test.js')}\n${sample('first.test.js, after each test')}`
      const failed = await jest('fallback.test.js', text)
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('503') })
      const mended = text.replace(
        "await ask('gpt-4o') //",
        "await ask('gpt-4o').catch(() => ask('gpt-4o-mini')) //",
      )
      const passed = await jest('fallback.test.js', mended)
      expect(passed).toMatchObject({ code: 0, stderr: expect.stringMatching(/Tests: +1 passed, 1 total/) })
    })
  })
})

it('node itself loads one and the same copy, by require and by import', async () => {
  project.write(
    'both.cjs',
    `const { ConfigError } = require('gateway-sim')
import('gateway-sim').then((other) => console.log(other.ConfigError === ConfigError))`,
  )
  expect(await project.node('both.cjs')).toEqual({ code: 0, stdout: 'true\n', stderr: '' })
})

it.each([
  ['commonjs', 'node10'],
  ['node16', 'node16'],
])(
  'has types in CommonJS, with module %s and resolution %s of TypeScript 5',
  async (module, moduleResolution) => {
    project.install('@types/node', 'undici-types')
    project.write(
      'use.ts',
      `import { createSimulator, type Simulator } from 'gateway-sim'
export const sim: Simulator = createSimulator({ clock: 'manual' })
// @ts-expect-error an unknown clock
createSimulator({ clock: 'fast' })
`,
    )
    expect(await project.typesOf('use.ts', { module, moduleResolution }, 'typescript-5')).toBe('')
  },
)
