/**
 * Holds a page of coverage against the tests and the settings that there are. Each finding names its line and
 * its remedy.
 */
import { type Reference, type Row, readPage } from './_page.ts'

/** What the page is held against. */
export interface Facts {
  /** The source of a test file, by its path from the project's root; nothing when there is no such file. */
  readonly source: (path: string) => string | undefined
  readonly settings: ReadonlySet<string>
  /** The sections that the page must have, in order. */
  readonly sections: readonly string[]
}

/** Each text in quotes; a template in backquotes may go over several lines. */
const quoted = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What a run fills in a title: `%s`, `$name` and `${name}`. */
const hole = /%[sdifjo#$]|\$\{[^}]*\}|\$[a-z][\w.]*/

const skipping = /\b(?:it|test|describe)\.(?:skip|todo|fails|only)\b|\.(?:skipIf|runIf)\(|\bskip\(\)/

/** Titles that a source may give its tests. */
interface Titles {
  has(title: string): boolean
}

function titlesOf(source: string): Titles {
  const texts = [...source.matchAll(quoted)].map(([, single, double, template]) =>
    (single ?? double ?? template ?? '').replace(/\\(.)/g, '$1'),
  )
  const readsPage = source.includes('docs/spec-coverage.md')
  const plain = source.replace(/\\(.)/g, '$1')
  const tables = [...new Set(texts)].flatMap((text) => {
    const fixed = text.split(hole)
    return fixed.length === 1 ? [] : [new RegExp(`^${fixed.map(escapePattern).join('([^]*)')}$`)]
  })
  return {
    // The source must hold what fills a table's title, except in a file that compares its titles with the page.
    has: (title) =>
      [`'`, '"', '`'].some((quote) => plain.includes(quote + title + quote)) ||
      tables.some((pattern) => {
        const filled = pattern.exec(title)?.slice(1)
        return filled !== undefined && (readsPage || filled.every((part) => plain.includes(part)))
      }),
  }
}

/** Everything that is wrong with a page; nothing when it holds. */
export function judge(text: string, facts: Facts): string[] {
  const { rows, sections, findings } = readPage(text)
  const files = new Map<string, Titles | 'missing' | 'skipped'>()
  const readFile = (file: string): Titles | 'missing' | 'skipped' => {
    const source = facts.source(file)
    if (source === undefined) return 'missing'
    return skipping.test(source) ? 'skipped' : titlesOf(source)
  }

  const ofReference = ({ file, titles }: Reference): string[] => {
    const found = files.get(file) ?? readFile(file)
    files.set(file, found)
    if (found === 'missing') return [`${file} does not exist, or \`npm test\` does not run it`]
    if (found === 'skipped') return [`${file} has a test that is or may be skipped`]
    return titles
      .filter((title) => !found.has(title))
      .map((title) => `${file} has no block, test or table "${title}"`)
  }

  const ofRow = (row: Row): string[] => {
    const [at, beyond] = (['at', 'beyond'] as const).map((side) =>
      row.proof.filter((reference) => reference.side === side),
    )
    const seen = new Set<string>()
    const twice = row.proof.filter(
      ({ file, titles }) => seen.size === seen.add(JSON.stringify([file, titles])).size,
    )
    return [
      ...(row.proof.length === 0 ? ['no proof → name the test that fails when this is not so'] : []),
      ...((at?.length === 0) !== (beyond?.length === 0)
        ? [
            `a limit with ${at?.length === 0 ? '`beyond:` and no `at:`' : '`at:` and no `beyond:`'} → name the test on either side`,
          ]
        : []),
      ...twice.map(({ file, titles }) => `"${titles.at(-1) ?? file}" is named twice`),
      ...(row.id !== undefined && !idOf(row)
        ? [`the id "${row.id}" does not fit its section → ${row.section}-<number>`]
        : []),
      ...row.settings
        .filter((name) => !facts.settings.has(name))
        .map((name) => `there is no setting \`${name}\``),
      ...row.proof.flatMap(ofReference),
    ]
  }

  const ids = rows.flatMap(({ id }) => id ?? [])
  return [
    ...findings,
    ...(sections.join() === facts.sections.join()
      ? []
      : [`the sections are ${sections.join(', ')} → ${facts.sections.join(', ')}`]),
    ...[...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))].map(
      (id) => `the id ${id} stands on more than one row`,
    ),
    ...rows.flatMap((row) =>
      ofRow(row).map(
        (finding) => `line ${row.line}${row.id === undefined ? '' : ` (${row.id})`}: ${finding}`,
      ),
    ),
  ]
}

/** `4.2-17`; in the wire formats `W1.3-2`, after the section of that document. */
const idOf = ({ id = '', section }: Row): boolean =>
  section === 'W'
    ? /^W\d+(?:\.\d+)?-[1-9]\d*$/.test(id)
    : id.startsWith(`${section}-`) && /^[1-9]\d*$/.test(id.slice(section.length + 1))
