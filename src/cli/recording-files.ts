/** Reads the recordings that a command names, and compares them (`gateway-sim diff`). */
import { resolve } from 'node:path'
import { printDiff } from '../check/print-diff.ts'
import { HarError } from '../har/har-error.ts'
import type { RecordedExchange } from '../har/write-har.ts'
import { diffRecordings } from '../judges/sameness.ts'
import { readExchanges } from '../recording/load-recordings.ts'
import { painterFor } from '../text/paint.ts'
import { type ExitCode, exitCodes, fileError, type Io } from './command.ts'
import type { DiffArgs } from './flags.ts'

/** The requests of a HAR file or a folder of HAR files. Throws `CommandError` if there are none. */
export function exchangesOf(name: string, cwd: string): RecordedExchange[] {
  const exchanges = readFrom(name, cwd)
  if (exchanges.length === 0) throw fileError(`${name}: contains no requests`)
  return exchanges
}

function readFrom(name: string, cwd: string): RecordedExchange[] {
  try {
    return readExchanges(resolve(cwd, name), name)
  } catch (error) {
    throw error instanceof HarError ? fileError(error.message) : error
  }
}

/** Throws a `CommandError` for a file that cannot be read. */
export async function diffFiles({ before, after, format }: DiffArgs, io: Io): Promise<ExitCode> {
  const found = await diffRecordings(exchangesOf(before, io.cwd), exchangesOf(after, io.cwd))
  if (format === 'json') io.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  else if (found.outage === undefined) io.stdout.write(printDiff(found, painterFor(io.stdout, io.env)))
  if (found.differences.length > 0) return exitCodes.failed
  if (found.compared > 0) return exitCodes.ok
  const why = found.outage ?? 'the recordings have no comparable requests (see the notes)'
  io.stderr.write(`gateway-sim: Exiting with ${exitCodes.skipped}: nothing was compared, because ${why}\n`)
  return exitCodes.skipped
}
