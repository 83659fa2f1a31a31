/** Runs `gateway-sim explain`. */

import { gatewayApi } from '../../disk/load-scenario.ts'
import { type Explanation, explainScenario } from '../../explain/explain-scenario.ts'
import { drawPage } from '../../explain/page.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { matchesOperation } from '../../scenario/compile/select.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import type { ExplainArgs } from '../flags.ts'
import { painterFor } from '../painter.ts'
import { readValidScenarios } from '../scenario-files.ts'

const width = 100

/** Explains the files one after another. Throws `CommandError` for errors that the user can fix. */
export async function explainFiles(flags: ExplainArgs, io: Io): Promise<ExitCode> {
  const { vocabulary } = gatewayApi().reader
  const about =
    flags.operation.length === 0
      ? undefined
      : flags.operation.flatMap((pattern) => expandOperations(pattern, vocabulary.operations))
  const explanations: Explanation[] = []
  for (const { scenario } of await readValidScenarios(flags.files, io))
    explanations.push(await explainScenario(scenario, vocabulary, about))
  if (flags.format === 'json') {
    io.stdout.write(`${JSON.stringify({ scenarios: explanations }, null, 2)}\n`)
    return exitCodes.ok
  }
  const drawing = { width, paint: painterFor(io.stdout, io.env) }
  io.stdout.write(explanations.map((explanation) => drawPage(explanation, drawing)).join('\n'))
  return exitCodes.ok
}

function expandOperations(pattern: string, operations: readonly string[]): string[] {
  const matching = operations.filter((operation) => matchesOperation(pattern, operation))
  if (matching.length > 0) return matching
  const groups = new Set(operations.map((operation) => `${operation.split('.')[0]}.*`))
  throw usageError(
    '--operation: expected an operation (gateway-sim routes lists them) or a group such as imageJobs.*, ' +
      `got ${JSON.stringify(pattern)}${didYouMean(pattern, [...operations, ...groups], '', '; ')}`,
  )
}
