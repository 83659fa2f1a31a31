/** Selected requests as a recording: `GET /__sim/journal?format=har&seq=…`. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bytesOf } from '../../src/exchange/exchange.ts'
import { readHar } from '../../src/exchange/read-har.ts'
import { createSimulator } from '../../src/index.ts'
import { loadRecordings } from '../../src/node.ts'
import { bodyOf, jsonCall, post } from '../_setup.ts'
import { emptyDirectory, run } from '../cli/_io.ts'

const chat = (content: string) => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] })

it('can be checked, compared, made into a scenario and played back', async () => {
  const sim = createSimulator()
  for (const text of ['one', 'two', 'three']) await post(sim, '/v1/chat/completions', chat(text))
  const har = await (await sim.fetch('/__sim/journal?format=har&seq=1')).text()
  const [only, ...more] = readHar(har, 'kept.har')
  expect(more).toEqual([])
  expect(new TextDecoder().decode(bytesOf(only?.request.body))).toContain('two')
  const cwd = emptyDirectory()
  writeFileSync(join(cwd, 'kept.har'), har)
  expect(await run(['check', '--recordings', 'kept.har'], { cwd })).toMatchObject({ code: 0 })
  expect(await run(['diff', 'kept.har', 'kept.har'], { cwd })).toMatchObject({ code: 0 })
  const made = await run(['scenario', 'kept.har'], { cwd })
  expect(made).toMatchObject({ code: 0 })
  expect(made.stdout).toContain('two')
  const player = createSimulator({ scenarios: [await loadRecordings(join(cwd, 'kept.har'))] })
  const { choices } = await bodyOf(player.fetch('/v1/chat/completions', jsonCall(chat('two'))))
  const [first] = sim.journal({ seq: 1 })
  expect(choices).toEqual((JSON.parse(first?.response?.body?.text ?? '') as { choices: unknown }).choices)
})
