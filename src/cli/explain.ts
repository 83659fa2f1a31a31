/** `gateway-sim explain`. */
import { gatewayApi } from '../disk/load-scenario.ts'
import { type Explanation, explainScenario } from '../explain/explain-scenario.ts'
import { drawPage } from '../explain/page.ts'
import { defineCommand, exitCodes } from './command.ts'
import { format, operation, operationsNamed } from './flags.ts'
import { painterFor } from './painter.ts'
import { readValidScenarios } from './scenario-files.ts'

const width = 100

export const command = defineCommand({
  arguments: '<files..>',
  examples: [
    ['gateway-sim explain outage.yaml', 'Draw every rule of a scenario'],
    ["gateway-sim explain scenarios --operation 'imageJobs.*'", 'Draw only rules for image jobs'],
  ],
  flags: { operation: operation('Only rules for this operation'), format },
  async handler(args, io) {
    const { vocabulary } = gatewayApi().reader
    const wanted = operationsNamed('--operation', args.operation, vocabulary.operations)
    const about = wanted.length === 0 ? undefined : wanted
    const explanations: Explanation[] = []
    for (const { scenario } of await readValidScenarios(args.files, io))
      explanations.push(await explainScenario(scenario, vocabulary, about))
    const drawing = { width, paint: painterFor(io.stdout, io.env) }
    io.stdout.write(
      args.format === 'json'
        ? `${JSON.stringify({ scenarios: explanations }, null, 2)}\n`
        : explanations.map((explanation) => drawPage(explanation, drawing)).join('\n'),
    )
    return exitCodes.ok
  },
})
