/** Writes the scenario of a recording as YAML for people. */
import { basename } from 'node:path'
import { Document, isCollection, visit } from 'yaml'
import { gatewayApi } from '../../disk/load-scenario.ts'
import { scenarioFrom } from '../../recording/scenario-from.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import type { ScenarioArgs } from '../flags.ts'
import { writeOutput } from '../output-files.ts'
import { exchangesOf } from '../recording-files.ts'

/** Values that fit on one line are written on one line. */
const lineWidth = 100

/** `file` is a HAR file or a folder of them. */
export async function writeScenario(
  { action, file, output, stepsOnly }: ScenarioArgs,
  io: Io,
): Promise<ExitCode> {
  if (action !== 'from-recording')
    throw usageError(`scenario: expected the action from-recording, got ${JSON.stringify(action)}`)
  const { reader } = gatewayApi()
  const { scenario, left } = await scenarioFrom(exchangesOf(file, io.cwd), basename(file), {
    reader,
    stepsOnly,
  })
  const text = yamlOf(scenario)
  if (output === undefined) io.stdout.write(text)
  else await writeOutput({ flag: '--output', shown: output }, text, io)
  for (const sentence of left) io.stderr.write(`gateway-sim: not in the scenario: ${sentence}\n`)
  return exitCodes.ok
}

function yamlOf(scenario: object): string {
  const document = new Document(scenario)
  visit(document, {
    Collection(_, node, path) {
      // The outermost lists and maps use block style: a rule is more than one line.
      if (path.length < 3 || !isCollection(node)) return
      const isShort = JSON.stringify(node.toJSON()).length <= lineWidth - 20
      if (isShort) node.flow = true
    },
  })
  document.commentBefore =
    ' yaml-language-server: $schema=node_modules/gateway-sim/schema/scenario.schema.json'
  return document.toString({ lineWidth, flowCollectionPadding: true })
}
