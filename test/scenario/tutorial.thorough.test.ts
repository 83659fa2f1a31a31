/**
 * A reader's way through docs/scenarios/tutorial.md: one server that reloads the file at each step, the
 * client of the tutorial, and its test in vitest. What each state of the file does is in tutorial.test.ts.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root, runNode } from '../_built.ts'
import { serve } from '../cli/_io.ts'
import { runProject } from '../vitest/_project.ts'
import { tutorialFile, tutorialStates } from './_tutorial.ts'

// Inside the checkout, where the client finds the SDK.
const folder = join(root, 'node_modules/.cache/gateway-sim-tutorial')
beforeAll(() => mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

it('the client prints the result of each step while the server reloads the file', async () => {
  const save = (step: number): void => write('tutorial.yaml', tutorialStates[step - 2] as string)
  save(2)
  const { url, stderr } = await serve(['--scenario', 'tutorial.yaml', '--watch'], { cwd: folder })
  write('ask.mjs', tutorialFile('ask.mjs').replace('http://127.0.0.1:4010', url))
  const ask = (content: string) => runNode(['ask.mjs', content], folder)
  const saved = async (step: number): Promise<void> => {
    save(step)
    await stderr.until(new RegExp(`(?:scenarios reloaded[^\\n]*\\n[^]*){${step - 2}}`))
  }

  expect(await ask('Hello')).toMatchObject({ code: 0, stdout: 'Hello from the scenario.' })
  await saved(3)
  expect(await ask('Will it rain?')).toMatchObject({ code: 0, stdout: 'Take an umbrella.' })
  await saved(4)
  expect(stderr.text).not.toContain('Z 429 ')
  expect(await ask('Hello')).toMatchObject({ code: 0, stdout: 'Hello from the scenario.' })
  expect(stderr.text).toMatch(/Z 429 [^]*Z 200 /)
  await saved(5)
  expect(await ask('Try again')).toMatchObject({ code: 0, stdout: 'At last.' })
  await saved(6)
  const story = await ask('Tell me a story')
  expect(story).toMatchObject({ code: 1, stdout: 'Once upon a time' })
})

it('the test of step 9 passes', async () => {
  write('tutorial.yaml', tutorialStates[7] as string)
  write('tutorial.test.js', tutorialFile('tutorial.test.js'))
  expect(await runProject(folder, { include: ['tutorial.test.js'] })).toEqual({ 'sees the video fail': [] })
})
