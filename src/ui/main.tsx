/** The page under `/__sim/ui/`, and the same page with a saved trace. */
import { render } from 'preact'
import { saved, unreachable } from './api.ts'
import { readFeed } from './feed.ts'
import { loadLater } from './load-later.tsx'
import { eventsOf } from './saved-trace.ts'
import { Shell } from './shell.tsx'
import { applyEvents, calls, feedState, notice, sessions } from './state.ts'

/** How long the page waits for the first events, which it can draw together with its frame. */
const firstEventsMs = 200

/** The longest wait for an idle browser. */
const maxIdleWaitMs = 500

let isShown = false
const show = (): void => {
  if (isShown) return
  isShown = true
  render(<Shell />, document.getElementById('page') as HTMLElement)
}

let afterFirst: Promise<void> | undefined
/**
 * Once the first rows are drawn, which takes longer beside other work: the rest of the code loads, so that no
 * view waits for it, and the feed is read on. Safari has no idle callbacks.
 */
const afterFirstView = (): Promise<void> =>
  (afterFirst ??= new Promise<void>((resolve) => {
    if (globalThis.requestIdleCallback === undefined) setTimeout(resolve, maxIdleWaitMs)
    else requestIdleCallback(() => resolve(), { timeout: maxIdleWaitMs })
  }).then(() => {
    loadLater().catch(() => undefined)
  }))

if (saved === undefined) {
  // An address with a view or a request needs the chunk now. A view reports a failed attempt.
  if (location.hash !== '') loadLater().catch(() => undefined)
  setTimeout(show, firstEventsMs)
  readFeed(
    (events) => {
      applyEvents(events)
      show()
      // The requests may arrive after the sessions.
      const isFirstView = calls.value.length > 0 || sessions.value.every(({ total }) => total === 0)
      return isFirstView ? afterFirstView() : Promise.resolve()
    },
    (state) => {
      feedState.value = state
      if (state === 'lost') show()
      if (state === 'live' && notice.value === unreachable) notice.value = undefined
    },
  )
} else {
  document.body.classList.add('is-saved')
  if (location.hash === '') location.hash = saved.place ?? ''
  applyEvents(eventsOf(saved))
  show()
}
