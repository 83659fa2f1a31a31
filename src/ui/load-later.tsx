/** Loads the chunk with all that the first view does not need. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { notice } from './state.ts'

export type Later = typeof import('./later.ts')

const later = signal<Later | undefined>(undefined)
let loading: Promise<Later> | undefined

export function loadLater(): Promise<Later> {
  loading ??= import('./later.ts').then(
    (loaded) => (later.value = loaded),
    () => {
      loading = undefined
      throw new Error('A part of the page could not be loaded. Reload the page.')
    },
  )
  return loading
}

/** A part of the page from that chunk, which usually has been loaded before. */
export function FromLater({ render }: { readonly render: (loaded: Later) => JSX.Element }): JSX.Element {
  useEffect(() => {
    loadLater().catch((error: Error) => {
      notice.value = error.message
    })
  }, [])
  return later.value === undefined ? <p class="empty">Loading…</p> : render(later.value)
}
