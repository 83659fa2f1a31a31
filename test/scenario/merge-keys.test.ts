/**
 * `<<: *name` in YAML: what is merged in counts like what is written out, and its errors are told where
 * they stand.
 */
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import { type Scenario, scenarioOf } from '../../src/scenario/load/scenario.ts'
import { ScenarioError } from '../../src/scenario/scenario-error.ts'

const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml')
const read = (text: string): Scenario => scenarioOf(text, 'story.yaml', undefined, yaml, gatewayApi().reader)

function errorsIn(text: string): string[] {
  try {
    read(text)
  } catch (error) {
    if (error instanceof ScenarioError)
      return error.findings.map(({ line, column, message }) => `${line}:${column} ${message}`)
    throw error
  }
  return []
}

it('adds missing keys to an object', () => {
  const { spec } = read(`
title: A story
steps:
  - call: videos.create
    with: &video { model: video-1, prompt: a sea }
  - call: videos.create
    with: { <<: *video, prompt: a river, seconds: "8" }
`)
  expect(spec.steps?.[1]).toEqual({
    call: 'videos.create',
    with: { model: 'video-1', prompt: 'a river', seconds: '8' },
  })
})

it('accepts several objects; the first takes precedence', () => {
  const { spec } = read(`
title: A story
steps:
  - call: videos.list
    headers: &one { x-a: first, x-b: first }
  - call: videos.list
    headers: &two { x-b: second, x-c: second }
  - call: videos.list
    headers: { <<: [*one, *two] }
`)
  expect(spec.steps?.[2]).toEqual({
    call: 'videos.list',
    headers: { 'x-a': 'first', 'x-b': 'first', 'x-c': 'second' },
  })
})

it('reports its errors at the merged object', () => {
  expect(
    errorsIn(`title: A story
rules:
  - id: one
    when: &calls { operation: videos.create, first: 0 }
    then: {}
  - id: two
    when: { <<: *calls, nth: 2 }
    then: {}
`),
  ).toEqual(['4:53 when.first: expected at least 1, got 0', '7:11 when.first: expected at least 1, got 0'])
})

it('is rejected if it merges a value without keys', () => {
  expect(errorsIn('title: A story\nsteps:\n  - call: videos.list\n    headers: { <<: 3 }\n')).toEqual([
    expect.stringMatching(/^4:20 expected an object after <<, or a list of objects/),
  ])
})
