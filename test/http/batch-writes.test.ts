/**
 * Responses of one turn of the event loop go out together, and one that fails does not hold up the others.
 */
import { expect, it } from 'vitest'
import { createBatchWrites } from '../../src/http/node-listener.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const neverFails = (_name: string, error: unknown): void => expect.fail(String(error))

it('writes everything queued in one turn at its end, in order', async () => {
  const written: string[] = []
  const queue = createBatchWrites<string>((name) => void written.push(name), neverFails)
  for (const name of ['first', 'second', 'third']) queue(name)
  expect(written).toEqual([])
  await turn()
  expect(written).toEqual(['first', 'second', 'third'])
})

it('a failed write is reported, and the other writes of its turn still go out', async () => {
  const written: string[] = []
  const failures: unknown[] = []
  const broken = new Error('this response cannot be written')
  const queue = createBatchWrites<string>(
    (name) => {
      if (name === 'broken') throw broken
      written.push(name)
    },
    (name, error) => void failures.push([name, error]),
  )
  for (const name of ['before', 'broken', 'behind']) queue(name)
  await turn()
  expect(written).toEqual(['before', 'behind'])
  expect(failures).toEqual([['broken', broken]])
})

it('data queued during a flush goes out in the next one', async () => {
  const written: string[] = []
  const queue = createBatchWrites<string>((name) => {
    written.push(name)
    if (name === 'first') queue('later')
  }, neverFails)
  queue('first')
  await turn()
  expect(written).toEqual(['first'])
  await turn()
  expect(written).toEqual(['first', 'later'])
})
