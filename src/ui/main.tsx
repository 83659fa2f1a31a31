/** The page under `/__sim/ui/`, and the same page with a saved trace. */
import { render } from 'preact'
import { saved } from './api.ts'
import { readFeed } from './feed.ts'
import { eventsOf } from './saved-trace.ts'
import { Shell } from './shell.tsx'
import { applyEvent, feedState } from './state.ts'

if (saved === undefined)
  readFeed(applyEvent, (state) => {
    feedState.value = state
  })
else {
  document.body.classList.add('is-saved')
  for (const event of eventsOf(saved)) applyEvent(event)
}
render(<Shell />, document.getElementById('page') as HTMLElement)
