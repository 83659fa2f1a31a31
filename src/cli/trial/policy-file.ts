/** Finds, reads and extends the file of accepted verdicts. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { entriesFor, type PolicyEntry, policySchema } from '../../trial/policy.ts'
import type { JudgedCell } from '../../trial/trial.ts'
import { type Io, usageError } from '../command.ts'
import type { TrialArgs } from '../flags.ts'
import { writeOutput } from '../output-files.ts'
import { type NamedFile, policyName, readAcceptFile } from '../settings-file.ts'

export interface PolicyFile extends NamedFile {
  readonly entries: readonly PolicyEntry[]
}

type Flags = Pick<TrialArgs, 'accept' | 'acceptAll' | 'expires'>

/** Throws a `CommandError` that lists every error with its line. */
export async function readPolicy(
  { accept, acceptAll, expires }: Flags,
  operations: readonly string[],
  { cwd }: Pick<Io, 'cwd'>,
): Promise<PolicyFile> {
  if (expires !== undefined && !acceptAll) throw usageError('--expires needs --accept-all')
  if (expires !== undefined && !isDate(expires))
    throw usageError(`--expires: expected a date such as 2026-12-31, got ${JSON.stringify(expires)}`)
  const shown = accept ?? policyName
  const file = { path: resolve(cwd, shown), shown }
  // `--accept-all` creates the file if it does not exist.
  if (!existsSync(file.path) && (accept === undefined || acceptAll)) return { ...file, entries: [] }
  const entries = await readAcceptFile(file, policySchema(operations))
  return { ...file, entries: entries as readonly PolicyEntry[] }
}

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

const heading = ' Verdicts that `gateway-sim trial` accepts.'

/** Appends entries for the cells that are not acceptable. Existing entries stay unchanged. */
export async function acceptAll(
  { path, shown }: PolicyFile,
  bad: readonly JudgedCell[],
  { today, expires }: { readonly today: string; readonly expires: string | undefined },
  io: Io,
): Promise<void> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(existsSync(path) ? await readFile(path, 'utf8') : '')
  if (document.contents === null) {
    document.contents = document.createNode([]) as never
    document.commentBefore ??= heading
  }
  for (const entry of entriesFor(bad, today, expires)) document.add(document.createNode(entry))
  const text = document.toString({ lineWidth: 110 })
  await writeOutput({ flag: '--accept-all', shown }, text, io)
}
