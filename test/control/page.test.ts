/** docs/reference/control-api.md: each example is sent as it stands, and every operation is listed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { root } from '../_built.ts'
import { jsonCall } from '../_setup.ts'

const page = readFileSync(join(root, 'docs/reference/control-api.md'), 'utf8')

it('has examples that get these responses, in order', async () => {
  const sim = createSimulator({ clock: 'manual' })
  await sim.fetch('/v1/videos', jsonCall({ model: 'sora-2', prompt: 'a sunset' }))
  await sim.fetch(
    '/v1/chat/completions',
    jsonCall({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
  )
  const examples = [
    ...page.matchAll(/^```http\n(GET|POST) (\S+)\n([\s\S]*?)^```\n\n```json\n([\s\S]*?)^```$/gm),
  ]
  expect(examples.length).toBe(page.split('```http').length - 1)
  expect(examples.length).toBeGreaterThan(1)
  for (const [, method, path, body = '', response = ''] of examples) {
    const sent = method === 'GET' ? {} : jsonCall(JSON.parse(body))
    const got = await (await sim.fetch(path as string, sent)).json()
    // In-process, the URL of the server that the page shows is another.
    const shown = response.replace('http://127.0.0.1:4010', 'http://gateway.sim')
    const expected = JSON.parse(shown, (_key, value) =>
      typeof value === 'string' && value.endsWith('…')
        ? expect.stringContaining(value.slice(0, -1))
        : (value as unknown),
    )
    expect(got, path).toMatchObject(expected as object)
  }
})

it('lists every path of the control API', () => {
  const lines = page.split('\n').filter((line) => line.startsWith('`'))
  const listed = new Set(
    lines.flatMap((line) => {
      const [cell = ''] = line.split(' | ')
      // `/resume` behind `/__sim/clock/freeze` replaces its end; `/{id}` behind `/__sim/jobs` continues it.
      const paths = [...cell.matchAll(/(\/[\w{}/-]+)/g)].map(([path]) => path)
      const [first = ''] = paths
      return paths.flatMap((path) =>
        path.startsWith('/__sim') ? [path] : [`${first}${path}`, first.replace(/\/\w+$/, path)],
      )
    }),
  )
  const known = createSimulator()
    .routes.filter(({ group }) => group.name === 'control')
    .map(({ endpoint }) => endpoint.path)
  expect(known.length).toBeGreaterThan(20)
  expect(known.filter((path) => !listed.has(path))).toEqual([])
})
