/** Where users find a page that a message cites. */

/** The package ships its pages; this is their folder in a project that has installed it. */
const folder = 'node_modules/gateway-sim/docs'

/** The path of a page. */
export const docsPage = (
  name: 'control-api' | 'faults' | 'findings' | 'settings' | 'several-servers',
): string => `${folder}/${name === 'several-servers' ? 'ci' : 'reference'}/${name}.md`
