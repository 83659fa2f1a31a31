/** The site of the documentation: `npm run docs` serves it, `npm run docs:build` writes it. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import llms from 'vitepress-plugin-llms'
import { anchorOf, repositoryOnly, showTextAsIs } from './markdown.ts'
import { sidebar } from './sidebar.ts'

const root = join(import.meta.dirname, '../..')
const { description, homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  description: string
  homepage: string
}

export default defineConfig({
  title: 'gateway-sim',
  description,
  lang: 'en',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  srcExclude: [...repositoryOnly],
  cacheDir: join(root, 'node_modules/.cache/vitepress'),
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/mark.svg' }],
    ['meta', { name: 'theme-color', content: '#0f766e' }],
  ],
  markdown: {
    attrs: false,
    emoji: false,
    anchor: { slugify: anchorOf },
    headers: { slugify: anchorOf },
    toc: { slugify: anchorOf },
    theme: { light: 'github-light', dark: 'github-dark' },
    config: showTextAsIs,
  },
  vite: {
    plugins: [
      llms({ domain: new URL(homepage).origin, ignoreFiles: [...repositoryOnly], injectLLMHint: false }),
    ],
  },
  // For the Markdown of the pages; their HTML has other copies.
  buildEnd: ({ outDir }) => cpSync(join(root, 'docs/images'), join(outDir, 'images'), { recursive: true }),
  themeConfig: {
    logo: { src: '/mark.svg', alt: '' },
    nav: [
      { text: 'First test', link: '/start/first-test' },
      { text: 'Scenarios', link: '/scenarios/tutorial' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'Reference', link: '/reference/scenario-format' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
    externalLinkIcon: true,
  },
})
