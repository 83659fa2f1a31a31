/**
 * Responses of one turn of the event loop go out together, and one that fails does not hold up the others.
 */
import { expect, it } from 'vitest'
import { createBatchWrites } from '../../src/http/node-listener.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const fails = (error: unknown): void => expect.fail(String(error))
const item = (write: () => void, fail = fails) => ({ write, fail })

it('writes everything queued in one turn at its end, in order', async () => {
  const written: string[] = []
  const queue = createBatchWrites()
  for (const name of ['first', 'second', 'third']) queue(item(() => void written.push(name)))
  expect(written).toEqual([])
  await turn()
  expect(written).toEqual(['first', 'second', 'third'])
})

it('a failed write is reported, and the other writes of its turn still go out', async () => {
  const written: string[] = []
  const failures: unknown[] = []
  const queue = createBatchWrites()
  queue(item(() => void written.push('before')))
  queue(
    item(
      () => JSON.parse('{'),
      (error) => void failures.push(error),
    ),
  )
  queue(item(() => void written.push('behind')))
  await turn()
  expect(written).toEqual(['before', 'behind'])
  expect(failures).toEqual([expect.any(SyntaxError)])
})

it('data queued during a flush goes out in the next one', async () => {
  const written: string[] = []
  const queue = createBatchWrites()
  const later = item(() => void written.push('later'))
  queue(item(() => written.push('first') && queue(later)))
  await turn()
  expect(written).toEqual(['first'])
  await turn()
  expect(written).toEqual(['first', 'later'])
})
