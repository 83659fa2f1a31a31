/** Parts of hand-written pages that are generated: `<!-- generated: NAME -->`, the text, `<!-- end -->`. */
import { readdirSync, readFileSync } from 'node:fs'

/** The pages of docs/ with a generated part, with the current text of these parts. */
export function pagesWithRegions(regions: Readonly<Record<string, string>>): Record<string, string> {
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  const used = new Set<string>()
  const written: Record<string, string> = {}
  for (const page of pages) {
    const before = readFileSync(page, 'utf8')
    if (!before.includes('<!-- generated: ')) continue
    written[page] = before.replaceAll(
      /^<!-- generated: ([\w-]+) -->\n[\s\S]*?^<!-- end -->$/gm,
      (_, name: string) => {
        const text = regions[name]
        if (text === undefined) throw new Error(`${page}: unknown generated part "${name}"`)
        used.add(name)
        return `<!-- generated: ${name} -->\n\n${text.trim()}\n\n<!-- end -->`
      },
    )
  }
  const missing = Object.keys(regions).filter((name) => !used.has(name))
  if (missing.length > 0) throw new Error(`no page has the generated part ${missing.join(', ')}`)
  return written
}
