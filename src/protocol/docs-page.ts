/** Where users find a page that a message cites. */

/** The package ships its pages; this is their folder in a project that has installed it. */
const folder = 'node_modules/gateway-sim/docs'

const pages = {
  'control-api': 'reference',
  'failures-without-setup': 'start',
  faults: 'reference',
  findings: 'reference',
  settings: 'reference',
  time: 'test',
} as const

/** The path of a page. */
export const docsPage = (name: keyof typeof pages): string => `${folder}/${pages[name]}/${name}.md`
