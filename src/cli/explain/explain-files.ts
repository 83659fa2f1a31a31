/** What `gateway-sim explain` does, from its flags to its exit code. */
import { ascii, unicode } from '../../explain/draw/glyphs.ts'
import { drawPage } from '../../explain/draw/page.ts'
import { explainScenario } from '../../explain/explain-scenario.ts'
import type { Explanation } from '../../explain/explanation.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { matchesOperation } from '../../scenario/check/support.ts'
import { scenarioReader } from '../../scenario/load/load-scenario.ts'
import { painterFor } from '../../text/paint.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.ts'
import { unusable } from '../findings-report.ts'
import { namedFiles, readScenarioFiles } from '../scenario-files.ts'

export interface ExplainFlags {
  /** As written: files, directories, `-`. */
  readonly files: readonly string[]
  /** Operations and groups; all when empty. */
  readonly operations: readonly string[]
  readonly format: 'pretty' | 'json'
  readonly ascii: boolean
}

const width = 100

/** Explains the files one after the other. Throws `CommandError` for what the user can mend. */
export async function explainFiles(flags: ExplainFlags, io: Io): Promise<ExitCode> {
  const { vocabulary } = scenarioReader()
  const about =
    flags.operations.length === 0
      ? undefined
      : flags.operations.flatMap((pattern) => operationsOf(pattern, vocabulary.operations))
  const read = await readScenarioFiles(await namedFiles(flags.files, io.cwd), io)
  const wrong = read.flatMap(({ mistakes }) => mistakes)
  if (wrong.length > 0) throw new CommandError(exitCodes.file, unusable(wrong, read))

  const explanations: Explanation[] = []
  for (const { scenario } of read)
    if (scenario !== undefined) explanations.push(await explainScenario(scenario, vocabulary, about))
  if (flags.format === 'json') {
    io.stdout.write(`${JSON.stringify({ scenarios: explanations }, null, 2)}\n`)
    return exitCodes.ok
  }
  const drawing = {
    width,
    glyphs: flags.ascii || !knowsUnicode(io.env) ? ascii : unicode,
    paint: painterFor(io.stdout, io.env),
  }
  io.stdout.write(explanations.map((explanation) => drawPage(explanation, drawing)).join('\n'))
  return exitCodes.ok
}

function operationsOf(pattern: string, operations: readonly string[]): string[] {
  const meant = operations.filter((operation) => matchesOperation(pattern, operation))
  if (meant.length > 0) return meant
  const nearest = nearestWord(pattern, [
    ...operations,
    ...new Set(operations.map((operation) => `${operation.split('.')[0]}.*`)),
  ])
  throw new CommandError(
    exitCodes.usage,
    `--operation: expected an operation (gateway-sim routes lists them) or a group such as imageJobs.*, got ${JSON.stringify(pattern)}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
  )
}

/**
 * As POSIX has it: the first of the three that says something. Terminals of Windows say nothing and know it.
 */
function knowsUnicode(env: Io['env']): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => value !== undefined && value !== '',
  )
  return locale === undefined ? env['WT_SESSION'] !== undefined : /utf-?8/i.test(locale)
}
