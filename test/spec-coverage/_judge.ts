/**
 * Holds a page of coverage against the tests and the settings that there are. Each finding names its line and
 * its remedy.
 */
import { type Reference, type Row, readPage } from './_page.ts'
import { type FoundTest, readTests } from './_tests.ts'

/** What the page is held against. */
export interface Facts {
  /** The source of a test file, by its path from the project's root; nothing when there is no such file. */
  readonly source: (path: string) => string | undefined
  readonly settings: ReadonlySet<string>
  /** The sections that the page must have, in order. */
  readonly sections: readonly string[]
}

const fits = (titles: readonly (string | RegExp)[], title: string): boolean =>
  titles.some((candidate) => (typeof candidate === 'string' ? candidate === title : candidate.test(title)))

/** Whether the named blocks are among the test's own, in that order. */
function within(test: FoundTest, describes: readonly string[]): boolean {
  let next = 0
  for (const block of test.describes) if (block === describes[next]) next += 1
  return next === describes.length
}

/** Everything that is wrong with a page; nothing when it holds. */
export function judge(text: string, facts: Facts): string[] {
  const { rows, sections, findings } = readPage(text)
  const files = new Map<string, readonly FoundTest[] | undefined>()
  const testsOf = (file: string): readonly FoundTest[] | undefined => {
    if (!files.has(file)) {
      const source = facts.source(file)
      files.set(file, source === undefined ? undefined : readTests(source))
    }
    return files.get(file)
  }

  const ofReference = ({ file, describes, title }: Reference): string[] => {
    const tests = testsOf(file)
    if (tests === undefined) return [`${file} does not exist, or \`npm test\` does not run it`]
    const named = tests.filter((test) => within(test, describes))
    const exact = named.filter(({ written, titles }) => written === title || titles.includes(title))
    const matching = exact.length > 0 ? exact : named.filter(({ titles }) => fits(titles, title))
    const [first, second] = matching
    if (first === undefined) return [`${file} has no test "${[...describes, title].join('" › "')}"`]
    if (second !== undefined)
      return [
        `${file} has ${matching.length} tests "${title}" → put the title of the block before it: "${first.describes.at(-1) ?? '…'}" › "${title}"`,
      ]
    return first.skipped ? [`${file}: "${title}" is skipped, or may be`] : []
  }

  const ofRow = (row: Row): string[] => {
    const [at, beyond] = (['at', 'beyond'] as const).map((side) =>
      row.proof.filter((reference) => reference.side === side),
    )
    const seen = new Set<string>()
    const twice = row.proof.filter(
      ({ file, describes, title }) => seen.size === seen.add(JSON.stringify([file, describes, title])).size,
    )
    return [
      ...(row.proof.length === 0 ? ['no proof → name the test that fails when this is not so'] : []),
      ...((at?.length === 0) !== (beyond?.length === 0)
        ? [
            `a limit with ${at?.length === 0 ? '`beyond:` and no `at:`' : '`at:` and no `beyond:`'} → name the test on either side`,
          ]
        : []),
      ...twice.map(({ title }) => `"${title}" is named twice`),
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
