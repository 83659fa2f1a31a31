/** The writers of files that hold journals, which are loaded when somebody asks for the first one. */
import type { journalHar } from '../har/journal-har.ts'
import type { Facilities } from '../protocol/endpoint.ts'
import type { traceJson } from './collect-trace.ts'

/** The facility `journalFiles`. */
export interface JournalFiles {
  readonly journalHar: typeof journalHar
  readonly traceJson: typeof traceJson
}

export function journalFilesOf({ journalFiles }: Facilities): JournalFiles {
  if (journalFiles === undefined)
    throw new Error(
      'files of journals are not loaded: call simulator.preload() before handle(), or use fetch',
    )
  return journalFiles as JournalFiles
}
