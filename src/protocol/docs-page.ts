/** Where users find a page that a message cites. */

/** The package ships its pages; this is their folder in a project that has installed it. */
const folder = 'node_modules/gateway-sim/docs/reference'

/** The path of a reference page. */
export const docsPage = (name: 'control-api' | 'faults' | 'findings' | 'settings'): string =>
  `${folder}/${name}.md`
