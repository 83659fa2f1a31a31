/** Runs of events: what they are one by one, and how many. */
import { expect, it } from 'vitest'
import { eventCount, eventsIn } from '../../src/engine/event-run.ts'

const run = { after: 20, head: '{"text":', parts: ['"Hi"', '" there"'], tail: '}' }

it('gives each part of a run an event, in its place among the others', () => {
  const items = [
    { after: 0, data: 'begin' },
    run,
    { ...run, event: 'delta' },
    { after: 5, data: '', raw: ': x' },
  ]
  expect(eventsIn(items)).toEqual([
    { after: 0, data: 'begin' },
    { after: 20, data: '{"text":"Hi"}' },
    { after: 20, data: '{"text":" there"}' },
    { after: 20, event: 'delta', data: '{"text":"Hi"}' },
    { after: 20, event: 'delta', data: '{"text":" there"}' },
    { after: 5, data: '', raw: ': x' },
  ])
  expect(eventCount(items)).toBe(6)
})

it('hands over a list without runs as it is', () => {
  const events = [{ after: 0, data: 'a' }]
  expect(eventsIn(events)).toBe(events)
})
