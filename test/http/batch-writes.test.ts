/** Replies of one turn of the event loop go out together, and one that fails does not hold up the others. */
import { expect, it } from 'vitest'
import { createBatchWrites } from '../../src/http/batch-writes.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const neverFails = (error: unknown): void => expect.fail(String(error))

it('writes what was queued in one turn at its end, in order', async () => {
  const written: string[] = []
  const atTurnsEnd = createBatchWrites()
  for (const name of ['first', 'second', 'third']) atTurnsEnd(() => void written.push(name), neverFails)
  expect(written).toEqual([])
  await turn()
  expect(written).toEqual(['first', 'second', 'third'])
})

it('a write that fails is reported, and the others of its turn go out all the same', async () => {
  const written: string[] = []
  const failures: unknown[] = []
  const atTurnsEnd = createBatchWrites()
  const broken = new Error('this reply cannot be written')
  atTurnsEnd(() => void written.push('before'), neverFails)
  atTurnsEnd(
    () => {
      throw broken
    },
    (error) => void failures.push(error),
  )
  atTurnsEnd(() => void written.push('behind'), neverFails)
  await turn()
  expect(written).toEqual(['before', 'behind'])
  expect(failures).toEqual([broken])
})

it('what is queued while a turn is written goes out in the next one', async () => {
  const written: string[] = []
  const atTurnsEnd = createBatchWrites()
  atTurnsEnd(() => {
    written.push('first')
    atTurnsEnd(() => void written.push('later'), neverFails)
  }, neverFails)
  await turn()
  expect(written).toEqual(['first'])
  await turn()
  expect(written).toEqual(['first', 'later'])
})
