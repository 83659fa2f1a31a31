/** The pages that messages cite are in the package, and all messages cite them by the path of a user's project. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { docsPage } from '../../src/protocol/docs-page.ts'
import { root } from '../_built.ts'

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('generated'))
  .map((name) => ({ name, text: readFileSync(join(root, 'src', name), 'utf8') }))

it('cited pages are in the package', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  expect(files).toContain('docs/**/*.md')
  const cited = sources.flatMap(({ text }) =>
    [...text.matchAll(/docsPage\('([\w-]+)'\)/g)].map(([, page]) => page),
  )
  expect(cited.length).toBeGreaterThan(5)
  for (const page of cited) {
    const path = docsPage(page as Parameters<typeof docsPage>[0]).replace('node_modules/gateway-sim/', '')
    expect(existsSync(join(root, path)), path).toBe(true)
  }
})

it('no string and no comment of the published types cites a path that only the repository has', () => {
  const found = sources.flatMap(({ name, text }) =>
    text
      .split('\n')
      .filter((line) => /(?<!gateway-sim\/)docs\/(?!decisions)[\w-]+\/[\w-]+\.md/.test(line))
      .filter((line) => !/^(?:\/\*\*| \*) .*docs\//.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})
