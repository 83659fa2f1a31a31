/** `--format json` and `--report` of the commands, and the hidden aliases of flags. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listen } from '../../src/node.ts'
import { simulator } from '../_setup.ts'
import { exec, script } from './_exec.ts'
import { directoryWith, emptyDirectory, run, start } from './_io.ts'

const story = `title: A story
steps:
  - { call: models.list }
  - { call: chat.create, with: { model: gpt-4o }, expect: { status: 200 } }
`

it.each([
  ['ready', ['ready', '--url', 'http://127.0.0.1:1', '--json'], { ready: false }],
  ['check', ['check', '--list', '--only', 'chat.*', '--json'], { 0: { operation: 'chat.create' } }],
  [
    'reserved',
    ['reserved', '--json'],
    { missingModel: 'no-such-model', keys: { 0: { contains: 'invalid' } } },
  ],
  ['routes', ['routes', '--json'], { 0: { method: 'POST' } }],
])('%s prints JSON with --json, an alias of --format json', async (_, argv, found) => {
  expect({ ...JSON.parse((await run(argv)).stdout) }).toMatchObject(found)
})

it('ready prints the URL as JSON', async () => {
  const listening = await listen(simulator())
  const { code, stdout } = await run(['ready', '--base-url', listening.url, '--format', 'json'])
  expect({ code, status: JSON.parse(stdout) }).toEqual({
    code: 0,
    status: { ready: true, url: listening.url },
  })
  await listening.close()
})

it('exec writes its summary as one line of JSON', async () => {
  const { stderr } = await exec(['--format', 'json'], script(`await call('/v1/models')`))
  expect(JSON.parse(stderr)).toMatchObject({
    event: 'report',
    requests: 1,
    command: { argv: expect.any(Array), exitCode: 0 },
  })
})

it('record writes its events as lines of JSON, also with the old flag names', async () => {
  const listening = await listen(simulator({ clock: 'auto' }))
  const cwd = emptyDirectory()
  const flags = ['--upstream', listening.url, '--out', 'out', '--check', '--json']
  const recording = start(['record', ...flags], { cwd })
  const ready = JSON.parse((await recording.stdout.until(/.*\n/))[0] as string)
  expect(ready).toMatchObject({ event: 'ready', recorded: listening.url })
  const headers = { authorization: 'Bearer sk-test-key' }
  await (await fetch(`${ready.url}/v1/models`, { headers })).text()
  await recording.stderr.until(/"event":"call"/)
  recording.stop()
  expect(await recording.code).toBe(0)
  const events = recording.stderr.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events).toMatchObject([
    { event: 'call', status: 200, ended: 'completed' },
    { event: 'recorded', files: [join('out', 'key-1.har')] },
    { event: 'checked', violations: 0 },
  ])
  await listening.close()
})

it('replay writes every report', async () => {
  const cwd = directoryWith({ 'story.yaml': story })
  const files = ['json=a.json', 'junit=a.xml', 'markdown=a.md']
  const flags = files.flatMap((file) => ['--report', file])
  expect((await run(['replay', 'story.yaml', ...flags], { cwd })).code).toBe(1)
  const [json, xml, markdown] = ['a.json', 'a.xml', 'a.md'].map((name) =>
    readFileSync(join(cwd, name), 'utf8'),
  )
  expect(JSON.parse(json as string)).toMatchObject({
    outcome: 'failed',
    counts: { steps: { passed: 1, failed: 1 } },
  })
  expect(xml).toContain('failures="1"')
  expect(markdown).toContain('## gateway-sim replay: failed\n\n1 scenario: 1 of 2 steps passed, 1 failed\n')
  expect(markdown).toContain('| A story | story.yaml | failed | 1 | 1 | 0 |')
  expect(markdown).toMatch(/### Failed\n\n- story\.yaml, step 2, chat\.create: status: expected 200, got 400/)
})
