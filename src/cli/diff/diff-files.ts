/** Runs `gateway-sim diff`. */
import { diffRecordings, printDiff } from '../../check/diff/diff-recordings.ts'
import { painterFor } from '../../text/paint.ts'
import { type ExitCode, exitCodes, type Io } from '../command.ts'
import { exchangesOf } from '../recording-files.ts'

/** Throws a `CommandError` for a file that cannot be read. */
export async function diffFiles(
  { before, after, json }: { readonly before: string; readonly after: string; readonly json: boolean },
  io: Io,
): Promise<ExitCode> {
  const found = await diffRecordings(exchangesOf(before, io.cwd), exchangesOf(after, io.cwd))
  io.stdout.write(
    json ? `${JSON.stringify(found, null, 2)}\n` : printDiff(found, painterFor(io.stdout, io.env)),
  )
  return found.differences.length === 0 ? exitCodes.ok : exitCodes.failed
}
