/** The address of what the page shows, in the fragment: `#/requests/default/12?session=default&q=video`. */
import { computed, signal } from '@preact/signals'

const fragment = signal(location.hash)
addEventListener('hashchange', () => {
  fragment.value = location.hash
})

export interface Route {
  /** `['requests', 'default', '12']` */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
}

export const route = computed<Route>(() => {
  const [path = '', query = ''] = fragment.value.replace(/^#\/?/, '').split('?')
  return { parts: path.split('/').filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query) }
})

type Change = Readonly<Record<string, string>>

/** A link to a place of the page. Filters and the selected session stay, unless `change` sets them. */
export function linkTo(parts: readonly string[], change: Change = {}): string {
  const query = new URLSearchParams(route.value.query)
  for (const [name, value] of Object.entries(change))
    if (value === '') query.delete(name)
    else query.set(name, value)
  const path = parts.map(encodeURIComponent).join('/')
  return `#/${path}${query.size === 0 ? '' : `?${query}`}`
}

/** Changes filters of the current view without a new history entry. */
export const filterBy = (change: Change): void => replace(linkTo(route.value.parts, change))

/** Closes the request of a session that is open, without a new history entry. */
export function closeRequest(session = route.value.parts[1]): void {
  const [view, of, seq] = route.value.parts
  if (view === 'requests' && of === session && seq !== undefined) replace(linkTo(['requests']))
}

function replace(link: string): void {
  history.replaceState(null, '', link)
  fragment.value = location.hash
}
