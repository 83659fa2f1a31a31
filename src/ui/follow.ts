/** Data of the control API that a view reads again when the session changes. */
import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Capabilities } from '../generated/control-types.ts'
import { control } from './api.ts'
import { acting, calls, clockOfSelected, notice } from './state.ts'

/** The shortest time between two readings. */
const restMs = 300

/**
 * For a request that is repeated. The result, called once for each request, returns a check for its response:
 * false if the response to a later request has arrived before.
 */
export function inOrder(): () => () => boolean {
  let sent = 0
  let shown = 0
  return () => {
    const number = ++sent
    return () => {
      if (number < shown) return false
      shown = number
      return true
    }
  }
}

export interface Followed<Result> {
  /** Undefined until the first reading. */
  readonly value: Result | undefined
  /** Reads it again now, such as after a change that the view itself has made. */
  reload(): void
}

/** Reads a path for the session that the page acts on, and again after requests and changes of the clock. */
export function useFollowed<Result>(path: string): Followed<Result> {
  const [value, setValue] = useState<Result>()
  const timer = useRef<ReturnType<typeof setTimeout>>()
  const next = useMemo(inOrder, [])
  const load = (): void => {
    timer.current = undefined
    const session = acting.peek()
    const isNewest = next()
    control<Result>(session, 'GET', path).then(
      (result) => {
        if (session === acting.peek() && isNewest()) setValue(result)
      },
      (error: Error) => {
        notice.value = error.message
      },
    )
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
