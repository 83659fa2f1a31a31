/** Each violation of a gateway, planted alone, is found, and nothing else with it. */
import { describe, expect, it } from 'vitest'
import { check } from '../../src/run/check.ts'
import { checkRecording } from '../../src/run/judge-recording.ts'
import { some } from '../_counts.ts'
import { flat } from './_checking.ts'
import { targetOf } from './_time.ts'
import { createGateway } from './gateway/gateway.ts'
import { violations } from './gateway/violations.ts'
import { walk } from './gateway/walk.ts'

it('there are at least thirty', () => {
  expect(Object.keys(violations).length).toBeGreaterThan(30)
})

/** Only a probe shows these: several requests belong together. */
const onlyLive = [
  'crashes on bad input',
  'video: content before the end',
  'video: no content at the end',
  'job: a result as JSON',
  'upload: cannot be read',
  'upload: read as a page',
]

describe('in a recording', () => {
  const shown = Object.entries(violations).filter(([name]) => !onlyLive.includes(name))
  for (const [name, change] of shown)
    it(name, async () => {
      const { violations: found } = await checkRecording(await walk(createGateway({ change })), 'the walk')
      expect(found).toHaveLength(1)
    })
})

/** A check repeats a call after 429, and does not judge it. */
const onlyRecorded = ['every second call is rejected without envelope']

describe('by a check of everything, a fifth of them with each seed', () => {
  const live = Object.entries(violations).filter(([name]) => !onlyRecorded.includes(name))
  for (const [name, change] of some(live))
    it(name, async () => {
      const { baseUrl, apiKey, fetch } = createGateway({ change })
      const { report } = await check({ target: targetOf(baseUrl, apiKey, fetch), apiKey, spend: 'all' })
      expect(
        report.violations
          .map(flat)
          .map(
            ({ operation, where, pointer, expected, got }) =>
              `${operation} ${where}${pointer}: ${expected}, ${got}`,
          ),
      ).toHaveLength(1)
    })
})
