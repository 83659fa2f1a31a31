/** The samples of the documentation. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './_built.ts'

export interface Sample {
  readonly title: string
  readonly language: string
  readonly text: string
}

export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('.vitepress'))
    .map((name) => `docs/${name}`),
]
/** The samples of one page. */
export const samplesOf = (page: string): Sample[] =>
  samples.filter(({ title }) => title.startsWith(`${page}, sample `))

export const samples: Sample[] = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = ''], index) => ({ title: `${page}, sample ${index + 1}`, language, text }),
  ),
)

/** Whether a sample is a test file in TypeScript that runs in vitest. */
export const importsVitest = ({ language, text }: Sample): boolean =>
  language === 'ts' && text.includes("from 'gateway-sim/vitest'")
