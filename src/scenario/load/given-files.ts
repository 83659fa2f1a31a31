/**
 * The files that scenarios say were uploaded before, with their bytes: read once, put into every session.
 * Knows files on disk by name only.
 */

import { faultOfFile, type GivenFile } from '../../endpoints/files/given-file.ts'
import { holdContent } from '../../http/hold-content.ts'
import type { Settings } from '../../protocol/settings.ts'
import type { PlacedMistake } from './compose.ts'
import type { Scenario } from './load-scenario.ts'

/** A given file and where it is written: the number of its scenario and its place in the list. */
export interface PlacedFile {
  readonly file: GivenFile
  readonly from: number
  readonly index: number
}

/** Reads the given files of scenarios; what cannot be read is told as a mistake. */
export function readGivenFiles(scenarios: readonly Scenario[]): {
  readonly files: readonly PlacedFile[]
  readonly mistakes: readonly PlacedMistake[]
} {
  const files: PlacedFile[] = []
  const mistakes: PlacedMistake[] = []
  for (const [from, scenario] of scenarios.entries()) {
    for (const [index, given] of (scenario.spec.given?.files ?? []).entries()) {
      const {
        path,
        content: { file: name, ...content },
        ...more
      } = given
      const bytes = name === undefined ? undefined : readNow(name, scenario.directory)
      if (typeof bytes === 'string')
        mistakes.push({
          path: ['given', 'files', index, 'content', 'file'],
          key: false,
          from,
          message: bytes,
        })
      else
        files.push({
          file: { path, ...more, bytes: holdContent({ ...content, bytes }, path) },
          from,
          index,
        })
    }
  }
  return { files, mistakes }
}

/** What the settings have against given files. */
export function mistakesOfFiles(files: readonly PlacedFile[], settings: Settings): PlacedMistake[] {
  const found = files.flatMap(({ file, from, index }) => {
    const fault = faultOfFile(file, settings)
    return fault === undefined
      ? []
      : [{ path: ['given', 'files', index, fault.field], key: false, from, message: fault.message }]
  })
  const total = files.reduce((sum, { file }) => sum + file.bytes.size, 0)
  const last = files.at(-1)
  if (found.length > 0 || last === undefined) return found
  // A file that would have to make room for the next one is nothing that exists.
  const { files: most, fileBytes } = settings.memory
  if (files.length > most)
    found.push({
      path: ['given', 'files', last.index],
      key: false,
      from: last.from,
      message: `${files.length} files are given, and a session keeps ${most} (setting memory.files)`,
    })
  else if (total > fileBytes)
    found.push({
      path: ['given', 'files', last.index],
      key: false,
      from: last.from,
      message: `the given files hold ${total} bytes together, and a session keeps ${fileBytes} (setting memory.fileBytes)`,
    })
  return found
}

/**
 * The bytes of a file, or why there are none. A relative name starts from the scenario's directory, else from
 * the working directory.
 */
function readNow(name: string, directory: string | undefined): Uint8Array | string {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
  // Asked for by name at run time: a bundler for browsers must not look for files.
  const fs = process?.getBuiltinModule?.('node:fs') as typeof import('node:fs') | undefined
  const path = process?.getBuiltinModule?.('node:path') as typeof import('node:path') | undefined
  if (fs === undefined || path === undefined)
    return 'expected `text`, `base64` or `picture` here, where there are no files'
  const full = path.resolve(directory ?? '.', name)
  try {
    return new Uint8Array(fs.readFileSync(full))
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (code === 'EISDIR') return `expected a file, got the directory ${JSON.stringify(name)}`
    return code === 'ENOENT'
      ? `there is no file ${JSON.stringify(name)}${directory === undefined ? ' in the working directory' : ' beside the scenario'}`
      : `cannot read ${JSON.stringify(name)} (${String(code)})`
  }
}
