/** Reads the recordings that a command names, and compares them (`gateway-sim diff`). */
import { resolve } from 'node:path'
import type { Exchange } from '../exchange/exchange.ts'
import { HarError } from '../exchange/har-error.ts'
import { diffRecordings } from '../judges/sameness.ts'
import { readExchanges } from '../recording/load-recordings.ts'
import { diffReport } from '../run/diff-report.ts'
import { type ExitCode, exitCodes, fileError, type Io } from './command.ts'
import type { DiffArgs } from './flags.ts'
import { noRequests, prepareReports, printedAs } from './output-files.ts'

/** The requests of a HAR file or a folder of HAR files. Throws `CommandError` if there are none. */
export function exchangesOf(name: string, cwd: string): Exchange[] {
  const exchanges = readFrom(name, cwd)
  if (exchanges.length === 0) throw fileError(`${name}: contains no requests`)
  return exchanges
}

function readFrom(name: string, cwd: string): Exchange[] {
  try {
    return readExchanges(resolve(cwd, name), name)
  } catch (error) {
    throw error instanceof HarError ? fileError(error.message) : error
  }
}

/** Throws a `CommandError` for a file that cannot be read. */
export async function diffFiles({ before, after, format, report }: DiffArgs, io: Io): Promise<ExitCode> {
  const usual = printedAs(format, io)
  const output = await prepareReports(report, io, {
    stream: usual.stream,
    // A gateway that was not available has nothing to show but the line on stderr.
    print(shown, paint) {
      if (found.outage === undefined || format === 'json') usual.print(shown, paint)
    },
  })
  const found = await diffRecordings(exchangesOf(before, io.cwd), exchangesOf(after, io.cwd))
  await output.write(diffReport(found, `${before} and ${after}`), noRequests)
  if (found.differences.length > 0) return exitCodes.failed
  if (found.compared > 0) return exitCodes.ok
  const why = found.outage ?? 'the recordings have no comparable requests (see the notes)'
  io.stderr.write(`gateway-sim: Exiting with ${exitCodes.skipped}: nothing was compared, because ${why}\n`)
  return exitCodes.skipped
}
