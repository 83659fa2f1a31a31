/** The site of the documentation is built; its links, anchors and assets lead somewhere, and nowhere else. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from './_built.ts'
import { linksOf } from './_markdown-links.ts'

const site = mkdtempSync(join(tmpdir(), 'gateway-sim-site-'))
const read = (path: string): string => readFileSync(join(site, path), 'utf8')
const pages = new Map<string, string>()

beforeAll(async () => {
  const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js')
  // Dead links between pages fail the build.
  await promisify(execFile)(process.execPath, [vitepress, 'build', 'docs', '--outDir', site], {
    cwd: root,
    maxBuffer: 1e8,
  })
  for (const name of readdirSync(site, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.html')) pages.set(name.replaceAll('\\', '/'), read(name))
})
afterAll(() => rmSync(site, { recursive: true, force: true }))

/** The values of an attribute in HTML. */
const valuesOf = (attribute: string, html: string): string[] =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  )

/** The file of the site behind a link without a host. */
function fileOf(link: string, from: string): string {
  const path = posix.join('/', link.startsWith('/') ? link : posix.join(posix.dirname(from), link)).slice(1)
  const name = decodeURI(path)
  if (name === '' || name.endsWith('/')) return `${name}index.html`
  return existsSync(join(site, name)) && name.includes('.') ? name : `${name}.html`
}

describe('the site', () => {
  it('has a page for every page of docs/, and the first one', () => {
    expect(pages.size).toBeGreaterThan(10)
    expect(pages.get('index.html')).toContain('See what your AI client does when the gateway fails')
    expect([...pages.keys()].filter((name) => /decisions|spec-coverage/.test(name))).toEqual([])
    expect([...pages].filter(([, html]) => html.includes('&lt;div')).map(([name]) => name)).toEqual([])
  })

  it('has no dead link and no missing anchor', () => {
    const dead = [...pages].flatMap(([from, html]) =>
      valuesOf('href', html)
        .filter((href) => !/^[a-z]+:/.test(href))
        .filter((href) => {
          const [path = '', anchor = ''] = href.split('#')
          const file = path === '' ? from : fileOf(path, from)
          if (!existsSync(join(site, file))) return true
          return anchor !== '' && !valuesOf('id', pages.get(file) ?? '').includes(decodeURIComponent(anchor))
        })
        .map((href) => `${from}: ${href}`),
    )
    expect(dead).toEqual([])
  })

  it('has no dead link in the Markdown of a page', () => {
    const copies = readdirSync(site, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.md'))
    expect(copies.length).toBeGreaterThan(10)
    const dead = copies.flatMap((from) =>
      linksOf(read(from))
        .filter((link) => !/^(?:[a-z]+:|#)/.test(link))
        .filter((link) => !existsSync(join(site, decodeURI(new URL(link, `http://site/${from}`).pathname))))
        .map((link) => `${from}: ${link}`),
    )
    expect(dead).toEqual([])
  })

  it('loads nothing from other hosts', () => {
    const loaded = [...pages].flatMap(([from, html]) =>
      [
        ...valuesOf('src', html),
        ...[...html.matchAll(/<link [^>]*>/g)].flatMap(([tag]) => valuesOf('href', tag)),
      ]
        .filter((url) => /^(?:[a-z]+:)?\/\//.test(url))
        .map((url) => `${from}: ${url}`),
    )
    const styles = readdirSync(join(site, 'assets'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.css'))
      .filter((name) => /(?:@import|url\()\s*["']?(?:https?:)?\/\//.test(read(`assets/${name}`)))
    expect([...loaded, ...styles]).toEqual([])
  })

  it('has its text for language models', () => {
    const links = [...read('llms.txt').matchAll(/\]\((https?:\/\/[^/]+\/[^)]*)\)/g)].map(
      ([, url = '']) => url,
    )
    expect(links.length).toBeGreaterThan(10)
    expect(links.filter((url) => !existsSync(join(site, new URL(url).pathname)))).toEqual([])
    expect(read('llms.txt')).toMatch(/coding-agents.*gateway-sim mcp.*SKILL\.md/)
    expect(read('llms-full.txt').length).toBeGreaterThan(50_000)
  })
})
