/** Reads docs/spec-coverage.md into rows. Knows the page's grammar, nothing of tests or settings. */

/** What a row names as its proof: a test file, or in it the titles of blocks, a test or a table, outermost first. */
export interface Reference {
  readonly file: string
  readonly titles: readonly string[]
  /** `at` and `beyond` stand on the rows of limits. */
  readonly side?: 'at' | 'beyond'
}

export interface Row {
  readonly line: number
  /** The section's number, or `W` for the wire formats. */
  readonly section: string
  readonly kind: 'statement' | 'open'
  /** Only statements have one. */
  readonly id?: string
  readonly cells: readonly string[]
  /** Only open points have them; `none` is left out. */
  readonly settings: readonly string[]
  readonly proof: readonly Reference[]
}

export interface Page {
  readonly sections: readonly string[]
  readonly rows: readonly Row[]
  /** What does not follow the grammar, with its line. */
  readonly findings: readonly string[]
}

const headers = {
  '# | Statement | Proof': 'statement',
  'Open point | Decision | Why | Setting | Proof': 'open',
} as const

/**
 * `` `test/a.test.ts` › "block" › "title" ``, with `at: ` or `beyond: ` before it on the rows of limits. The
 * titles may be left out if the whole file is the proof.
 */
function readReference(text: string): Reference | undefined {
  const match = /^(?:(at|beyond): )?`(test\/[^`]+\.ts)`(?: › "(.+)")?$/.exec(text)
  if (match === null) return undefined
  return {
    file: match[2] as string,
    titles: match[3]?.split('" › "') ?? [],
    ...(match[1] === undefined ? {} : { side: match[1] as 'at' | 'beyond' }),
  }
}

/** The cells of a table's line; `\|` is a bar inside a cell. */
const cellsOf = (line: string): string[] =>
  line
    .replace(/^\s*\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const parts = (cell: string): string[] =>
  cell
    .split('<br>')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export function readPage(text: string): Page {
  const sections: string[] = []
  const rows: Row[] = []
  const findings: string[] = []
  let section = ''
  let kind: Row['kind'] | undefined

  text.split('\n').forEach((content, index) => {
    const line = index + 1
    const heading = /^## (?:([\d.]+) .+|Wire formats)$/.exec(content)
    if (content.startsWith('## ') && heading === null)
      findings.push(
        `line ${line}: a section is headed "## <number> <title>" or "## Wire formats", not "${content}"`,
      )
    if (heading !== null) sections.push((section = heading[1] ?? 'W'))
    if (!content.startsWith('|')) {
      kind = undefined
      return
    }
    const cells = cellsOf(content)
    if (kind === undefined) {
      kind = headers[cells.join(' | ') as keyof typeof headers]
      if (kind === undefined)
        findings.push(
          `line ${line}: no table of this page: "${content}" → ${Object.keys(headers).join(', or ')}`,
        )
      return
    }
    if (cells.every((cell) => /^-+$/.test(cell))) return
    const columns = kind === 'statement' ? 3 : 5
    if (cells.length !== columns) {
      findings.push(
        `line ${line}: ${cells.length} cells instead of ${columns} → write a bar inside a cell as \\|`,
      )
      return
    }
    if (cells.includes(''))
      findings.push(`line ${line}: an empty cell → every row says what it states, and its proof`)
    const proof = parts(cells.at(-1) as string).flatMap((part) => {
      const reference = readReference(part)
      if (reference === undefined)
        findings.push(`line ${line}: no reference: ${part} → \`test/….test.ts\` › "title of the test"`)
      return reference ?? []
    })
    const settings =
      kind === 'open' && cells[3] !== 'none'
        ? [...(cells[3] as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)
        : []
    if (kind === 'open' && settings.length === 0 && cells[3] !== 'none')
      findings.push(`line ${line}: the setting is "${cells[3]}" → \`its.name\`, or none`)
    rows.push({
      line,
      section,
      kind,
      cells,
      settings,
      proof,
      ...(kind === 'statement' ? { id: cells[0] as string } : {}),
    })
  })
  return { sections, rows, findings }
}
