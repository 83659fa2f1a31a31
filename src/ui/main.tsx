/** The page under `/__sim/ui/`, and the same page with a saved trace. */
import { render } from 'preact'
import { saved } from './api.ts'
import { readFeed } from './feed.ts'
import { eventsOf } from './saved-trace.ts'
import { Shell } from './shell.tsx'
import { applyEvents, feedState } from './state.ts'

/** How long the page waits for the first events, which it can draw together with its frame. */
const firstEventsMs = 200

let isShown = false
const show = (): void => {
  if (isShown) return
  isShown = true
  render(<Shell />, document.getElementById('page') as HTMLElement)
}

if (saved === undefined) {
  setTimeout(show, firstEventsMs)
  readFeed(
    (events) => {
      applyEvents(events)
      show()
    },
    (state) => {
      feedState.value = state
      if (state === 'lost') show()
    },
  )
} else {
  document.body.classList.add('is-saved')
  applyEvents(eventsOf(saved))
  show()
}
