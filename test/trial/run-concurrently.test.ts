/** How many runs of a trial go on at a time. */
import { describe, expect, it } from 'vitest'
import { type OnIdle, runConcurrently } from '../../src/trial/run-concurrently.ts'

/** Runs that end when the test says so. */
function runsOf(count: number, jobs: number) {
  const started: number[] = []
  const ends = new Map<number, () => void>()
  const idle = new Map<number, OnIdle>()
  let isStopped = false
  const items = Array.from({ length: count }, (_, n) => n)
  const done = runConcurrently(items, { jobs, isStopped: () => isStopped }, (item, onIdle) => {
    started.push(item)
    idle.set(item, onIdle)
    return new Promise((resolve) => ends.set(item, resolve))
  })
  const end = async (item: number): Promise<void> => {
    ends.get(item)?.()
    await Promise.resolve()
    await Promise.resolve()
  }
  const stop = (): void => {
    isStopped = true
  }
  return { started, idle, done, end, stop }
}

describe('runs', () => {
  it('start in order, as many as are allowed, and one more when one ends', async () => {
    const { started, end } = runsOf(5, 2)
    expect(started).toEqual([0, 1])
    await end(1)
    expect(started).toEqual([0, 1, 2])
  })

  it('leave their place to others while they wait', async () => {
    const { started, idle, end } = runsOf(5, 2)
    idle.get(0)?.(true)
    expect(started).toEqual([0, 1, 2])
    idle.get(0)?.(true)
    expect(started).toEqual([0, 1, 2])
    idle.get(0)?.(false)
    await end(1)
    expect(started).toEqual([0, 1, 2])
    await end(0)
    expect(started).toEqual([0, 1, 2, 3])
  })

  it('wait side by side, but no more than 32', () => {
    const { started, idle } = runsOf(100, 2)
    for (const item of started) idle.get(item)?.(true)
    expect(started).toHaveLength(32)
  })

  it('follow each other with one job, even if they only wait', async () => {
    const { started, idle, end } = runsOf(3, 1)
    idle.get(0)?.(true)
    expect(started).toEqual([0])
    await end(0)
    expect(started).toEqual([0, 1])
  })

  it('are over when the last one ends, or the last that had started when they were stopped', async () => {
    const all = runsOf(2, 4)
    await all.end(0)
    await all.end(1)
    await all.done
    const stopped = runsOf(9, 2)
    stopped.stop()
    await stopped.end(0)
    await stopped.end(1)
    await stopped.done
    expect(stopped.started).toEqual([0, 1])
    await runsOf(0, 2).done
  })

  it('fail with the error of a run', async () => {
    const failing = runConcurrently([1], { jobs: 2, isStopped: () => false }, () =>
      Promise.reject(new Error('the command cannot be started')),
    )
    await expect(failing).rejects.toThrow('the command cannot be started')
  })
})
