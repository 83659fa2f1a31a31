/** The samples of docs/gateway/check.md and diff.md are run: commands against a gateway, files by their readers. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { settingsSchema } from '../../src/protocol/settings.ts'
import { acceptedSchema } from '../../src/run/check-types.ts'
import { readYaml } from '../../src/scenario/load/read-yaml.ts'
import { samplesOf } from '../_samples.ts'
import { directoryWith, run } from '../cli/_io.ts'
import { harText } from '../recording/_har.ts'
import type { Change } from './gateway/exchange.ts'
import { createGateway } from './gateway/gateway.ts'
import { violations } from './gateway/violations.ts'
import { walk } from './gateway/walk.ts'

const blocks = ['check', 'diff'].flatMap((page) => samplesOf(`docs/gateway/${page}.md`))
const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim())
const files = Object.fromEntries(
  blocks
    .filter(({ language }) => language === 'yaml')
    .map(({ text }) => [/^# (\S+)\n/.exec(text)?.[1] ?? '', text]),
)

/** What a transcript shows: "…" abridges the rest of a line, and on a line of its own any lines. */
const shows = (transcript: string): RegExp =>
  new RegExp(
    `^${transcript
      .split(/^…\n/m)
      .map((part) => part.split('…').map(escaped).join('.*'))
      .join('[^]*')}$`,
  )
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What the gateway answered in January, and in February. */
async function recordings(): Promise<Record<string, string>> {
  const baseUrl = 'https://gw.example'
  const change = violations['video: another word for the end'] as Change
  return {
    'january.har': harText(await walk(createGateway({ baseUrl }), ['videos']), '0'),
    'february.har': harText(await walk(createGateway({ baseUrl, change }), ['videos']), '0'),
  }
}

describe('docs/gateway/check.md and diff.md', () => {
  it('shows commands that work', async () => {
    const change = violations['callback accepted'] as Change
    const beside = { ...files, ...(await recordings()) }
    for (const command of commands) {
      const gateway = createGateway({ change, pollsUntilDone: 0 })
      const { baseUrl, close } = await gateway.listen()
      onTestFinished(close)
      const cwd = directoryWith(beside)
      const words = command
        .replaceAll('https://gw.example', baseUrl)
        .replaceAll("'", '')
        .replace(' --api-key sk-1', '')
        .replace('--spend all --accept', '--only imageJobs.* --accept')
        .split(/ +/)
        .slice(2)
      const { code, stdout, stderr } = await run(words, { cwd, env: { GATEWAY_API_KEY: gateway.apiKey } })
      expect(code, `${command}\n${stderr}`).toBeLessThan(2)
      const shown = blocks[blocks.findIndex(({ text }) => text.trim() === command) + 1]
      if (shown?.language === 'text')
        expect(stdout.replaceAll(baseUrl, 'https://gw.example')).toMatch(shows(shown.text))
    }
  })

  it('shows files that are read', async () => {
    const yaml = await import('yaml')
    expect(readYaml(yaml, files['known.yaml'] ?? '', acceptedSchema).errors).toEqual([])
    expect(readYaml(yaml, files['gateway-sim.config.yaml'] ?? '', settingsSchema()).errors).toEqual([])
  })
})
