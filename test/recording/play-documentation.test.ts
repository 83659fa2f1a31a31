/** The shell samples of docs/gateway/play-back.md are run as they stand there. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { samplesOf } from '../_samples.ts'
import { directoryWith, run, serve } from '../cli/_io.ts'
import { harText } from './_har.ts'
import { exchange } from './_record.ts'

const commands = samplesOf('docs/gateway/play-back.md').filter(({ language }) => language === 'sh')
const lines = commands.flatMap(({ text }) => text.trim().split('\n'))
const har = harText([exchange({ url: 'https://gw.example/v1/models' }, { body: '{"data":[]}' })], 'test')

it.each(lines)('%s', async (line) => {
  const cwd = directoryWith({ 'calls.har': har })
  mkdirSync(join(cwd, 'recordings'))
  writeFileSync(join(cwd, 'recordings/key-1.har'), har)
  const [npx, program, command, ...args] = line.split(' ')
  expect([npx, program]).toEqual(['npx', 'gateway-sim'])
  if (command !== 'serve') return expect((await run([command as string, ...args], { cwd })).code).toBe(0)
  const { url } = await serve(args, { cwd })
  expect(await (await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer k' } })).text()).toBe(
    '{"data":[]}',
  )
})
