/** The file of accepted verdicts. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { entriesFor, type PolicyEntry, policySchema } from '../../trial/policy.ts'
import type { JudgedCell } from '../../trial/trial.ts'
import type { Io } from '../command.ts'
import { writeOutput } from '../output-files.ts'
import { type NamedFile, policyName, readAcceptFile } from '../settings-file.ts'

export interface PolicyFile extends NamedFile {
  readonly entries: readonly PolicyEntry[]
}

/** Throws a `CommandError` that lists every error with its line. */
export async function readPolicy(
  { accept, acceptAll }: { readonly accept: string | undefined; readonly acceptAll: boolean },
  operations: readonly string[],
  { cwd }: Pick<Io, 'cwd'>,
): Promise<PolicyFile> {
  const shown = accept ?? policyName
  const file = { path: resolve(cwd, shown), shown }
  // `--accept-all` creates the file if it does not exist.
  if (!existsSync(file.path) && (accept === undefined || acceptAll)) return { ...file, entries: [] }
  const entries = await readAcceptFile(file, policySchema(operations))
  return { ...file, entries: entries as readonly PolicyEntry[] }
}

/** Appends entries for the cells that are not acceptable. Existing entries stay unchanged. */
export async function acceptAll(
  { path, shown }: PolicyFile,
  bad: readonly JudgedCell[],
  today: string,
  io: Io,
): Promise<void> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(existsSync(path) ? await readFile(path, 'utf8') : '')
  if (document.contents === null) {
    document.contents = document.createNode([]) as never
    document.commentBefore ??= ' Verdicts that `gateway-sim trial` accepts.'
  }
  for (const entry of entriesFor(bad, today)) document.add(document.createNode(entry))
  await writeOutput({ flag: '--accept-all', shown }, document.toString({ lineWidth: 110 }), io)
}
