/**
 * Eight times the text takes about eight times the work, whatever is wrong with it: nothing is compared with
 * everything, which would take 64 times.
 */
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { countBlocks } from '../_work.ts'

const blocksRun = await countBlocks()
const { gatewayApi } = await import('../../src/disk/load-scenario.ts')
const { ScenarioError } = await import('../../src/index.ts')
const { warningsOf } = await import('../../src/scenario/check/warnings.ts')
const { scenarioOf } = await import('../../src/scenario/load/scenario.ts')

const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml')

function read(text: string): void {
  const { reader } = gatewayApi()
  try {
    const { spec, name } = scenarioOf(text, 'story.yaml', undefined, yaml, reader)
    warningsOf([spec], [name], reader.vocabulary)
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
  }
}

const lines = (bytes: number, line: (index: number) => string): string => {
  let text = ''
  for (let index = 0; text.length < bytes; index++) text += `${line(index)}\n`
  return text
}

it.each<readonly [string, (bytes: number) => string]>([
  ['duplicate keys', (bytes) => `title: a\n${lines(bytes, () => 'ab: 1')}`],
  ['unknown keys', (bytes) => `title: a\n${lines(bytes, (n) => `key${n}: 1`)}`],
  ['invalid rules', (bytes) => `title: a\nrules:\n${lines(bytes, () => '- a: 1')}`],
  [
    'valid rules',
    (bytes) => `title: a\nrules:\n${lines(bytes, (n) => `- { when: { model: m${n} }, then: { text: a } }`)}`,
  ],
  ['identical rules', (bytes) => `title: a\nrules:\n${lines(bytes, () => '- { then: { text: a } }')}`],
  [
    'states',
    (bytes) =>
      `title: a\nstates:\n${lines(bytes / 2, (n) => `  s${n}: x`)}rules:\n${lines(bytes / 2, (n) => `- { then: { text: a, setState: { s${n}: y } } }`)}`,
  ],
  [
    'faults of one response',
    (bytes) => `title: a\nrules:\n- then:\n    fault:\n${lines(bytes, () => '    - stall')}`,
  ],
  ['aliases', (bytes) => `title: &a a\nrules:\n${lines(bytes, () => '- *a')}`],
  ['undefined aliases', (bytes) => `title: a\nrules:\n${lines(bytes, () => '- *a')}`],
  [
    'merged objects',
    (bytes) => `title: a\nrules:\n- &a { then: { text: a } }\n${lines(bytes, () => '- { <<: *a }')}`,
  ],
  [
    'templates',
    (bytes) =>
      `title: a\nrules:\n- { when: { operation: chat.create }, then: { text: "${lines(bytes, (n) => `\${body.x${n}}`).replaceAll('\n', ' ')}" } }`,
  ],
  ['lines that are not YAML', (bytes) => lines(bytes, () => '}')],
  ['brackets', (bytes) => `a: ${'['.repeat(bytes)}`],
])(
  '%s',
  async (_, text) => {
    read(text(10_000))
    const [small, large] = [
      await blocksRun(() => read(text(10_000))),
      await blocksRun(() => read(text(80_000))),
    ]
    expect(large / small).toBeLessThan(12)
  },
  60_000,
)
