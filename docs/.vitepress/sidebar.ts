/** The site map: the sections of the sidebar with their pages, in reading order. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const docs = join(import.meta.dirname, '..')

/** Section, folder, and its pages: the file names without `.md`. */
export const sections: readonly (readonly [heading: string, folder: string, pages: readonly string[]])[] = [
  ['Start', 'start', ['why', 'first-test', 'connect', 'failures-without-setup', 'concepts', 'glossary']],
  [
    'Test a client',
    'test',
    [
      'vitest',
      'jest-and-node-test',
      'playwright',
      'any-language',
      'servers-and-browsers',
      'time',
      'parallel',
      'assert-requests',
      'client-report',
      'try-every-failure',
      'sdks-under-failure',
      'debug',
      'coding-agents',
      'page',
    ],
  ],
  [
    'Script behaviours',
    'scenarios',
    [
      'tutorial',
      'match-requests',
      'respond',
      'jobs',
      'streams',
      'faults',
      'keys-and-resources',
      'default-responses',
      'structured-output',
      'media',
      'library',
    ],
  ],
  [
    'Recipes',
    'recipes',
    [
      'index',
      'retry-after',
      'fall-back-to-another-model',
      'slow-first-token',
      'stream-cut',
      'stalled-stream',
      'broken-events',
      'tool-call-loop',
      'structured-output',
      'poll-without-sleeping',
      'job-fails',
      'never-submit-twice',
      'upload-then-use',
      'fake-timers',
      'record-once',
    ],
  ],
  ['CI', 'ci', ['in-ci', 'validate', 'nightly', 'shared-server', 'several-servers']],
  ['Verify the real gateway', 'gateway', ['which-tool', 'check', 'record', 'play-back', 'run-steps', 'diff']],
  [
    'Reference',
    'reference',
    [
      'operations',
      'scenario-format',
      'faults',
      'settings',
      'simulator-options',
      'library',
      'cli',
      'control-api',
      'journal',
      'findings',
      'errors',
      'openapi',
      'troubleshooting',
    ],
  ],
]

interface SidebarItem {
  text: string
  link?: string
  collapsed?: boolean
  items?: SidebarItem[]
}

export function sidebar(): SidebarItem[] {
  return sections.map(([text, folder, names]) => ({
    text,
    collapsed: folder === 'recipes' || folder === 'reference',
    items: names
      .map((name) => `${folder}/${name}`)
      .filter((page) => existsSync(join(docs, `${page}.md`)))
      .map((page) => ({ text: titleOf(page), link: `/${page.replace(/\/index$/, '/')}` })),
  }))
}

function titleOf(page: string): string {
  const text = readFileSync(join(docs, `${page}.md`), 'utf8')
  return /^# (.*)$/m.exec(text)?.[1] ?? page
}
