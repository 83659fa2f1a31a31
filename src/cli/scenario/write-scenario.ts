/** Writes the scenario of a recording as YAML for people. */
import { basename, resolve } from 'node:path'
import { Document, isCollection, visit } from 'yaml'
import { gatewayApi } from '../../disk/load-scenario.ts'
import { HarError } from '../../node.ts'
import { readExchanges } from '../../recording/load-recordings.ts'
import { scenarioFrom, type WrittenScenario } from '../../recording/scenario-from.ts'
import { CommandError, type ExitCode, exitCodes, type Io } from '../command.ts'
import { writeOutput } from '../output-files.ts'

/** What fits on one line is written on one. */
const lineWidth = 100

export interface WriteFlags {
  readonly output: string | undefined
  readonly stepsOnly: boolean
}

/** `file` is a HAR file or a folder of them. */
export async function writeScenario(
  file: string,
  { output, stepsOnly }: WriteFlags,
  io: Io,
): Promise<ExitCode> {
  const { scenario, left } = await written(resolve(io.cwd, file), stepsOnly)
  const text = yamlOf(scenario)
  if (output === undefined) io.stdout.write(text)
  else
    await writeOutput({ path: resolve(io.cwd, output), flag: '--output', shown: output, pid: io.pid }, text)
  for (const sentence of left) io.stderr.write(`gateway-sim: not in the scenario: ${sentence}\n`)
  return exitCodes.ok
}

async function written(path: string, stepsOnly: boolean): Promise<WrittenScenario> {
  try {
    return await scenarioFrom(readExchanges(path), basename(path), { reader: gatewayApi().reader, stepsOnly })
  } catch (error) {
    if (error instanceof HarError) throw new CommandError(exitCodes.file, error.message)
    throw error
  }
}

function yamlOf(scenario: object): string {
  const document = new Document(scenario)
  visit(document, {
    Collection(_, node, path) {
      // The outermost lists and maps stay open: a rule is not a line.
      if (path.length < 3 || !isCollection(node)) return
      const isShort = JSON.stringify(node.toJSON()).length <= lineWidth - 20
      if (isShort) node.flow = true
    },
  })
  document.commentBefore =
    ' yaml-language-server: $schema=node_modules/gateway-sim/schema/scenario.schema.json'
  return document.toString({ lineWidth, flowCollectionPadding: true })
}
