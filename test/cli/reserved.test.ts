import { describe, expect, it } from 'vitest'
import { reservedKeys, reservedMissingModel, reservedWords } from '../../src/scenario/reserved/words.ts'
import { run } from './_io.ts'

describe('gateway-sim reserved', () => {
  it.each([[['reserved']], [['reserved', '--format', 'markdown']]])(
    '%s lists every reserved value and its effect',
    async (argv) => {
      const { code, stdout } = await run(argv)
      expect(code).toBe(0)
      for (const { contains, reaches } of reservedKeys)
        expect(stdout).toMatch(new RegExp(`${contains}.*${reaches}`))
      for (const { word, reaches } of reservedWords)
        expect(
          stdout.split('\n').some((line) => line.includes(word) && line.includes(reaches)),
          word,
        ).toBe(true)
      expect(stdout).toContain(reservedMissingModel)
    },
  )

  it('prints Markdown tables on request', async () => {
    const { stdout } = await run(['reserved', '--format', 'markdown'])
    expect(stdout).toContain('### Job submissions\n\n| Value | Result |\n| --- | --- |\n')
  })
})
