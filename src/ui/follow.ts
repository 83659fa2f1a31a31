/** Data of the control API that a view reads again when the session changes. */
import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Capabilities } from '../generated/control-types.ts'
import { control } from './api.ts'
import { inOrder } from './in-order.ts'
import { acting, calls, clockOfSelected, notice } from './state.ts'

/** The shortest time between two readings. */
const restMs = 300

export interface Followed<Result> {
  /** Undefined until the first reading. */
  readonly value: Result | undefined
  /** Reads it again now, such as after a change that the view itself has made. */
  reload(): void
}

/** Reads a path for the session that the page acts on, and again after requests and changes of the clock. */
export function useFollowed<Result>(path: string): Followed<Result> {
  const [value, setValue] = useState<Result>()
  const [results] = useState(inOrder)
  const timer = useRef<ReturnType<typeof setTimeout>>()
  const load = (): void => {
    timer.current = undefined
    const session = acting.peek()
    const use = (result: Result): void => {
      if (session === acting.peek()) setValue(result)
    }
    results(control<Result>(session, 'GET', path), use).catch((error: Error) => {
      notice.value = error.message
    })
  }
  useSignalEffect(() => {
    acting.value
    calls.value
    clockOfSelected.value
    timer.current ??= setTimeout(load, restMs)
  })
  useEffect(() => {
    load()
    return () => clearTimeout(timer.current)
  }, [])
  return { value, reload: load }
}

let reading: Promise<Capabilities> | undefined

/** The operations and faults of the server, which never change. */
export function useCapabilities(): Capabilities | undefined {
  const [value, setValue] = useState<Capabilities>()
  useEffect(() => {
    reading ??= control<Capabilities>(undefined, 'GET', 'capabilities')
    reading.then(setValue, (error: Error) => {
      reading = undefined
      notice.value = error.message
    })
  }, [])
  return value
}
