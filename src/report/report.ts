/** What a command found, as data. Each renderer makes one format of it; no code reads the text again. */

export type Outcome = 'passed' | 'failed' | 'warning' | 'skipped' | 'note'

/** The place in a file, from 1. */
export interface Place {
  readonly file: string
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** The test case that an item is in JUnit. */
export interface TestCase {
  readonly suite: string
  readonly name: string
  readonly file?: string | undefined
  readonly durationMs?: number | undefined
  /** Why it failed or was skipped, in one line. Default: the title of the item. */
  readonly message?: string | undefined
  /** The kind of a failure. */
  readonly type?: string | undefined
}

export interface Code {
  readonly language: string
  readonly text: string
}

/** One thing that a report shows: a finding, a step, a failed run. */
export interface Item {
  readonly outcome: Outcome
  readonly title: string
  readonly lines?: readonly string[] | undefined
  readonly code?: readonly Code[] | undefined
  /** Too long for a terminal. */
  readonly attachments?: readonly Code[] | undefined
  readonly place?: Place | undefined
  readonly testCase?: TestCase | undefined
  /** Whether only JUnit shows it: a case that passed. */
  readonly isOnlyCase?: boolean | undefined
}

/** A text, and how it looks where there are colours. */
export interface Cell {
  readonly text: string
  readonly outcome: Outcome
}

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | Cell)[])[]
}

/** A section without content is left out. */
export interface Section {
  readonly title?: string | undefined
  readonly outcome?: Outcome | undefined
  readonly table?: Table | undefined
  readonly items?: readonly Item[] | undefined
  readonly code?: Code | undefined
  /** Below the rest. */
  readonly notes?: readonly string[] | undefined
}

export interface Report {
  /** `gateway-sim check` */
  readonly command: string
  /** What it is about: the URL of a gateway, a command, files. Empty if the findings say it. */
  readonly subject: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** One line. */
  readonly summary: string
  readonly sections: readonly Section[]
  /** The JSON document. */
  readonly data: unknown
}

/** The sections that have content. */
export const filled = ({ sections }: Report): readonly Section[] =>
  sections.filter(
    ({ table, items = [], code, notes = [] }) =>
      (table !== undefined && table.rows.length > 0) ||
      items.some((item) => item.isOnlyCase !== true) ||
      code !== undefined ||
      notes.length > 0,
  )

export const shownItems = ({ items = [] }: Section): readonly Item[] =>
  items.filter(({ isOnlyCase }) => isOnlyCase !== true)

export const textOf = (cell: string | Cell): string => (typeof cell === 'string' ? cell : cell.text)
