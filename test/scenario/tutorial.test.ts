/**
 * Each state of the file that docs/scenarios/tutorial.md grows is valid and does what the tutorial promises.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadScenario } from '../../src/index.ts'
import { bodyOf, get, post, simulator } from '../_setup.ts'
import { run } from '../cli/_io.ts'
import { tutorialStates } from './_tutorial.ts'

const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-tutorial-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
for (const [index, text] of tutorialStates.entries())
  writeFileSync(join(directory, `${index + 2}.yaml`), text)

/** A simulator with the file as it is after a step; the rule of step 4 has already responded. */
async function after(step: number) {
  const sim = simulator({
    clock: 'manual',
    scenarios: [await loadScenario(join(directory, `${step}.yaml`))],
  })
  if (step > 4) await say(sim, 'Hello')
  return sim
}

type Sim = ReturnType<typeof simulator>

const say = (sim: Sim, content: string, more = {}): Promise<Response> =>
  post(sim, '/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more })

const textOf = async (response: Promise<Response>): Promise<unknown> =>
  (await bodyOf(response)).choices[0].message.content

it('has nine versions: steps 2 to 8, two of them for the video, and step 10', () => {
  expect(tutorialStates.map((text) => text.match(/^ {2}- id: .*$/gm)?.length)).toEqual([
    1, 2, 3, 4, 5, 7, 8, 8, 8,
  ])
})

it.each(tutorialStates.map((_, index) => [index + 2]))(
  'version %i is valid, without a warning',
  async (state) => {
    expect(await run(['validate', `${state}.yaml`], { cwd: directory })).toEqual({
      code: 0,
      stdout: '1 file valid\n',
      stderr: '',
    })
  },
)

describe('the file', () => {
  it('step 2: responds with the text', async () => {
    expect(await textOf(say(await after(2), 'Hello'))).toBe('Hello from the scenario.')
  })

  it('step 3: gives one question another response; below the other rule it never would', async () => {
    const sim = await after(3)
    expect(await textOf(say(sim, 'Will it rain?'))).toBe('Take an umbrella.')
    expect(await textOf(say(sim, 'Hello'))).toBe('Hello from the scenario.')
    const [head = '', rain = '', hello = ''] = (tutorialStates[1] as string).split(/(?=^ {2}- id: )/m)
    writeFileSync(join(directory, 'reversed.yaml'), head + hello + rain)
    expect((await run(['validate', 'reversed.yaml'], { cwd: directory })).stdout).toMatch(/1 warning/)
  })

  it('step 4: rejects the first request with a `retry-after`', async () => {
    const sim = await after(4)
    const first = await say(sim, 'Hello')
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await textOf(say(sim, 'Hello'))).toBe('Hello from the scenario.')
  })

  it('step 5: fails twice, then succeeds', async () => {
    const sim = await after(5)
    expect((await say(sim, 'Try again')).status).toBe(503)
    expect((await say(sim, 'Try again')).status).toBe(503)
    expect(await textOf(say(sim, 'Try again'))).toBe('At last.')
  })

  it('step 6: breaks a stream after four words', async () => {
    const sim = await after(6)
    const response = await say(sim, 'Tell me a story', { stream: true })
    const reading = response.text()
    const broken = expect(reading).rejects.toThrow()
    await sim.settled()
    sim.clock.advance('10s')
    await broken
  })

  it('step 7: calls a tool, and responds with its result', async () => {
    const sim = await after(7)
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }]
    const question = { role: 'user', content: 'Do I need sunglasses?' }
    const { choices } = await bodyOf(say(sim, '', { messages: [question], tools }))
    const [call] = choices[0].message.tool_calls
    expect(call.function).toEqual({ name: 'get_weather', arguments: '{"city":"Paris"}' })
    const result = { role: 'tool', tool_call_id: call.id, content: 'sunny' }
    expect(await textOf(say(sim, '', { messages: [question, choices[0].message, result], tools }))).toBe(
      'Take your sunglasses.',
    )
  })

  it('step 8: fails a video at 60 percent, then by the timeline', async () => {
    const video = async (step: number, times: readonly string[]): Promise<unknown[]> => {
      const sim = await after(step)
      const { id } = await bodyOf(post(sim, '/v1/videos', { model: 'sora-2', prompt: 'a sunset' }))
      const shown: unknown[] = []
      for (const time of times) {
        sim.clock.advance(time)
        const { status, progress } = await bodyOf(get(sim, `/v1/videos/${id}`))
        shown.push([status, progress])
      }
      return shown
    }
    expect(await video(8, ['1h'])).toEqual([['failed', 60]])
    expect(await video(9, ['15s', '15s'])).toEqual([
      ['in_progress', 30],
      ['failed', 60],
    ])
  })

  it('step 10: is replayed and explained', async () => {
    const { code, stdout } = await run(['replay', '10.yaml'], { cwd: directory })
    expect([code, stdout]).toEqual([0, expect.stringContaining('2 of 2 steps passed')])
    const explained = await run(['explain', '10.yaml', '--operation', 'videos.create'], { cwd: directory })
    expect(explained.stdout).toContain('progress')
  })
})
