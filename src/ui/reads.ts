/** Data of the control API that a view reads, and reads again when something changes. */
import { useComputed, useSignalEffect } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { control } from './api.ts'
import { acting, calls, clockOfSelected, notice } from './state.ts'

export type Read<Result> =
  | { readonly value: Result; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string | undefined }

/** The result of `read`, which is repeated when `changes` do: the latest one, as responses can overtake. */
export function useRead<Result>(read: () => Promise<Result>, changes: readonly unknown[]): Read<Result> {
  const [result, setResult] = useState<Read<Result>>({ problem: undefined })
  const order = useRef({ started: 0, shown: 0 })
  useEffect(() => {
    const { current } = order
    const nth = ++current.started
    const show = (next: Read<Result>): void => {
      if (nth < current.shown) return
      current.shown = nth
      setResult(next)
    }
    read().then(
      (value) => show({ value }),
      (error: Error) => show({ problem: error.message }),
    )
  }, changes)
  return result
}

/** The shortest time between two readings. */
const restMs = 300

interface Followed<Result> {
  /** Undefined until the first reading. */
  readonly value: Result | undefined
  /** Reads it again now, such as after a change that the view itself has made. */
  reload(): void
}

/** Reads a path for the session that the page acts on, and again after requests and changes of the clock. */
export function useFollowed<Result>(path: string): Followed<Result> {
  const [round, setRound] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>()
  const reload = (): void => {
    timer.current = undefined
    setRound((last) => last + 1)
  }
  const change = useComputed(() => [acting.value, calls.value, clockOfSelected.value])
  useSignalEffect(() => {
    change.value
    timer.current ??= setTimeout(reload, restMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  const { value, problem } = useRead(() => control<Result>(acting.peek(), 'GET', path), [round, path])
  useEffect(() => {
    if (problem !== undefined) notice.value = problem
  }, [problem])
  return { value, reload }
}
