/** The page under `/__sim/ui/`, and the same page with a saved trace. */
import { render } from 'preact'
import { saved } from './api.ts'
import { readFeed } from './feed.ts'
import { eventsOf } from './saved-trace.ts'
import { Shell } from './shell.tsx'
import { applyEvents, feedState } from './state.ts'

if (saved === undefined)
  readFeed(applyEvents, (state) => {
    feedState.value = state
  })
else {
  document.body.classList.add('is-saved')
  applyEvents(eventsOf(saved))
}
render(<Shell />, document.getElementById('page') as HTMLElement)
