/** `gateway-sim scenario`: writes the scenario of a recording as YAML for people. */
import { basename } from 'node:path'
import { Document, isCollection, visit } from 'yaml'
import { scenarioFrom } from '../recording/scenario-from.ts'
import { defineCommand, exitCodes } from './command.ts'
import { output, toggle } from './flags.ts'
import { writeOutput } from './output-files.ts'
import { readRecording } from './recordings.ts'

/** Values that fit on one line are written on one line. */
const lineWidth = 100

export const command = defineCommand({
  arguments: '<recording>',
  examples: [
    ['gateway-sim scenario calls.har', 'Print a scenario'],
    ['gateway-sim scenario calls.har -o calls.yaml', 'Write the scenario to a file'],
    ['gateway-sim scenario recordings --steps-only', 'Print only steps, to run against the recorded gateway'],
  ],
  flags: {
    output,
    'steps-only': toggle('Write only steps, without rules, to run against the recorded gateway'),
  },
  async handler({ recording, output: shown, stepsOnly }, io) {
    const exchanges = readRecording(recording, io.cwd)
    const { scenario, left } = await scenarioFrom(exchanges, basename(recording), { stepsOnly })
    const text = yamlOf(scenario)
    if (shown === undefined) io.stdout.write(text)
    else await writeOutput({ flag: '--output', shown }, text, io)
    for (const sentence of left) io.stderr.write(`gateway-sim: not in the scenario: ${sentence}\n`)
    return exitCodes.ok
  },
})

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
