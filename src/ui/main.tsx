/** The page under `/__sim/ui/`, and the same page with a saved trace. */
import { render } from 'preact'
import { saved } from './api.ts'
import { readFeed } from './feed.ts'
import { eventsOf } from './saved-trace.ts'
import { Shell } from './shell.tsx'
import { applyEvents, changeFeedState } from './state.ts'

if (saved === undefined) readFeed(applyEvents, changeFeedState)
else applyEvents(eventsOf(saved))
render(<Shell />, document.getElementById('page') as HTMLElement)
