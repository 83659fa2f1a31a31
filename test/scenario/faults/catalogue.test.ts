/** The catalogue as a whole: what every fault must tell of itself, and the page that is made from it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import type { ScenarioInput } from '../../../src/index.ts'
import { canStream } from '../../../src/protocol/operations.ts'
import { faults } from '../../../src/scenario/faults/all.ts'
import { simulator } from '../../_setup.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/reference/faults.md'), 'utf8')

describe.each(faults.map((fault) => [fault.kind, fault] as const))(
  '%s',
  (kind, { on, options, part, plan, events, wire, what }) => {
    it('needs no options', () => {
      expect(() => options().parse({})).not.toThrow()
    })

    it('affects existing operations', () => {
      expect([plan, events, wire].some((act) => act !== undefined)).toBe(true)
      expect(simulator().routes.some(on)).toBe(true)
    })

    it('describes its effect on the client', () => {
      expect(what).toMatch(/^.{15,}\.$/)
      const [, section = ''] = page.split(`### ${kind}\n\n`)
      expect(section.startsWith(`${what}\n`)).toBe(true)
    })

    it('describes each option', () => {
      const { properties = {} } = z.toJSONSchema(options(), { io: 'input' })
      for (const [name, schema] of Object.entries(properties))
        expect(`${name}: ${(schema as { description?: string }).description ?? ''}`).toMatch(/: .{5,}\.$/)
      if (part === 'stream') expect(on).toBe(canStream)
    })
  },
)

it('has an example in lines that a rule can contain', () => {
  const lines = [...page.matchAll(/^`(fault: .*)`$/gm)].map(([, line]) => parse(line as string) as object)
  expect(lines.length).toBeGreaterThan(faults.length / 2)
  const rules = lines.map((then) => ({ then })) as ScenarioInput['rules'] & object
  expect(() => simulator({ scenarios: [{ title: 'All of them', rules }] })).not.toThrow()
})

it('has no duplicate values', () => {
  expect(new Set(faults.map(({ kind }) => kind)).size).toBe(faults.length)
})

it('has an example that works in docs/scenarios/faults.md', async () => {
  const guide = readFileSync(join(root, 'docs/scenarios/faults.md'), 'utf8')
  const [, yaml = ''] = /```yaml\n(rules:[\s\S]*?)```/.exec(guide) ?? []
  const scenario = { title: 'The example', ...parse(yaml) } as ScenarioInput
  const sim = simulator({ clock: 'auto', scenarios: [scenario] })
  const ask = (stream: boolean): Promise<Response> =>
    sim.fetch('http://gateway.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-4o',
        stream,
        messages: [{ role: 'user', content: 'Name a colour.' }],
      }),
    })
  await expect((await ask(true)).text()).rejects.toThrow('terminated')
  const outcomes: string[] = []
  for (let call = 0; call < 100; call++)
    outcomes.push(
      await ask(false).then(
        () => 'answered',
        () => 'reset',
      ),
    )
  const resets = outcomes.filter((outcome) => outcome === 'reset').length
  expect(resets).toBeGreaterThan(2)
  expect(resets).toBeLessThan(25)
})
