/** Every sample of docs/gateway/run-steps.md is run with the files of the page, and prints what it shows. */
import { describe, expect, it } from 'vitest'
import { samplesOf } from '../_samples.ts'
import { directoryWith, run, serve } from '../cli/_io.ts'

const blocks = samplesOf('docs/gateway/run-steps.md')
const files = Object.fromEntries(
  blocks.flatMap(({ language, text }) =>
    language === 'yaml' ? [[/^# (\S+\.yaml)$/m.exec(text)?.[1] ?? 'unnamed', text]] : [],
  ),
)
const samples = blocks.flatMap(({ language, text }, index) => {
  const next = blocks[index + 1]
  const prints = next?.language === 'text' ? next.text : undefined
  return language === 'sh'
    ? text
        .trim()
        .split('\n')
        .map((line) => ({ line, prints }))
    : []
})

describe('docs/gateway/run-steps.md', () => {
  it('has samples of files, commands and transcripts', () => {
    expect(Object.keys(files)).toEqual(['sunset.yaml'])
    expect(samples.length).toBeGreaterThan(3)
    expect(samples.filter(({ prints }) => prints !== undefined).length).toBe(1)
  })

  it.each(samples.map(({ line, prints }) => [line, prints] as const))('%s', async (line, prints) => {
    const cwd = directoryWith(files)
    const { url } = line.includes('--base-url')
      ? await serve(['--clock', 'manual', '--quiet'], { cwd })
      : { url: '' }
    const argv = line.replace('http://127.0.0.1:4010', url).split(' ')
    expect(argv.splice(0, 2)).toEqual(['npx', 'gateway-sim'])
    const { code, stdout, stderr } = await run(argv, { cwd })
    expect(stderr).toBe('')
    expect(code).toBe(0)
    if (prints !== undefined) expect(stdout).toBe(prints)
  })
})
