/** The sample test of a JavaScript project: one frame for each runner, filled with the client of one SDK. */
import type { Runner, Sdk } from './detect-project.ts'

interface Story {
  readonly passing: string
  readonly failing: string
  readonly scenario: string
}

const video: Story = {
  passing: 'submits a video once',
  failing: 'survives a lost response',
  scenario: 'lost-response',
}
const conversation: Story = {
  passing: 'asks two questions',
  failing: 'notices a truncated response',
  scenario: 'cut-stream',
}

interface Sample extends Story {
  readonly name: string
}

/** The sample of each SDK, by the name of its template. */
export const samples: Readonly<Record<Sdk, Sample>> = {
  openai: { ...video, name: 'the OpenAI SDK' },
  anthropic: { ...conversation, name: 'the Anthropic SDK' },
  google: { ...video, name: 'the Google Gen AI SDK' },
  ai: { ...conversation, name: 'the AI SDK' },
  fetch: { ...video, name: 'fetch' },
}

/** Joins the templates of the runner and of the SDK. */
export function sampleTest(runner: Runner, sdk: Sdk, frame: string, template: string): string {
  const parts = template.trim().split('\n\n')
  const part = (pattern: RegExp): string => parts.find((text) => pattern.test(text)) ?? ''
  const imports = part(/^import /)
  const client = part(/^async function /)
  const { passing, failing, scenario } = samples[sdk]
  const [, operation = '', times = ''] = /^\/\/ Expected requests: (\S+), (\d+)$/m.exec(template) ?? []
  const texts: [string, string][] = [
    ['\n// imports\n', imports === '' ? '' : `${runner === 'jest' ? required(imports) : imports}\n`],
    ['// client', runner === 'vitest' ? client.replace('(sim)', '(sim: TestSession)') : client],
    ['// reason', part(/^\/\/ /)],
    ['PASSING', passing],
    ['FAILING', failing],
    ['SCENARIO', scenario],
    ['OPERATION', operation],
    ['TIMES', times],
  ]
  return texts.reduce((text, [mark, filled]) => text.replaceAll(mark, () => filled), frame)
}

/** The same imports in CommonJS. */
const required = (imports: string): string =>
  imports.replaceAll(/^import (.+) from ('.+')$/gm, 'const $1 = require($2)')
