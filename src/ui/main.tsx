/** The page under `/__sim/ui/`. */
import { render } from 'preact'
import { readFeed } from './feed.ts'
import { Shell } from './shell.tsx'
import { applyEvent, feedState } from './state.ts'

readFeed(applyEvent, (state) => {
  feedState.value = state
})
render(<Shell />, document.getElementById('page') as HTMLElement)
