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

/** The view: the first part of the path; empty for the first view. */
export const view = computed<string>(() => route.value.parts[0] ?? '')

/** A link to a place of the page. Filters and the selected session stay, unless `change` sets them. */
export function linkTo(
  parts: readonly string[],
  change: Readonly<Record<string, string | undefined>> = {},
): string {
  const query = new URLSearchParams(route.value.query)
  for (const [name, value] of Object.entries(change))
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  const path = parts.map(encodeURIComponent).join('/')
  return `#/${path}${query.size === 0 ? '' : `?${query}`}`
}

/** Changes filters of the current view without a new history entry. */
export function filterBy(change: Readonly<Record<string, string | undefined>>): void {
  replace(linkTo(route.value.parts, change))
}

/** Closes the request or stream of a session that is open, without a new history entry. */
export function closeOpen(session: string): void {
  const [shown = '', of, seq] = route.value.parts
  if ((shown === 'requests' || shown === 'stream') && of === session && seq !== undefined)
    replace(linkTo([shown]))
}

function replace(link: string): void {
  history.replaceState(null, '', link)
  fragment.value = location.hash
}

export function go(parts: readonly string[], change?: Readonly<Record<string, string | undefined>>): void {
  location.hash = linkTo(parts, change)
  fragment.value = location.hash
}
