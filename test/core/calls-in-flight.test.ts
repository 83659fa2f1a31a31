/** What `settled`, and so `verify`, `state` and `advance` over HTTP, waits for. */
import { describe, expect, it } from 'vitest'
import { createCallsInFlight } from '../../src/core/calls-in-flight.ts'

/** Says whether a promise has resolved. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<false>((no) => setImmediate(no, false))])
}

describe('settled', () => {
  it('waits for the calls that have arrived, and not for those that come later', async () => {
    const calls = createCallsInFlight()
    const [first, second] = [calls.callStarted(), calls.callStarted()]
    const settled = calls.settled()
    const later = calls.callStarted()
    first()
    first()
    expect(await isOver(settled)).toBe(false)
    second()
    expect(await isOver(settled)).toBe(true)
    expect(await isOver(calls.settled())).toBe(false)
    later()
    expect(await isOver(calls.settled())).toBe(true)
  })

  it('waits for earlier calls too when later ones are over first', async () => {
    const calls = createCallsInFlight()
    const first = calls.callStarted()
    const before = calls.settled()
    const second = calls.callStarted()
    const after = calls.settled()
    second()
    expect([await isOver(before), await isOver(after)]).toEqual([false, false])
    first()
    expect([await isOver(before), await isOver(after)]).toEqual([true, true])
  })

  it('waits in a session for its own calls, and for those whose session is not known yet', async () => {
    const calls = createCallsInFlight()
    const unknown: { session: string | undefined } = { session: undefined }
    const endOther = calls.callStarted({ session: 'other' })
    const endUnknown = calls.callStarted(unknown)
    const endOwn = calls.callStarted({ session: 'mine' })
    const settled = calls.settled('mine')
    endOwn()
    expect(await isOver(settled)).toBe(false)
    unknown.session = 'other'
    calls.callStarted({ session: 'mine' })()
    expect(await isOver(settled)).toBe(true)
    expect(await isOver(calls.settled())).toBe(false)
    endOther()
    endUnknown()
    expect(await isOver(calls.settled())).toBe(true)
  })

  it('is over at once where nothing is in flight', async () => {
    expect(await isOver(createCallsInFlight().settled())).toBe(true)
  })
})
