/**
 * The files of this repository that are generated from its code. `npm run generate` writes them; a test
 * compares them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'
import { commands } from '../../src/cli/main.ts'
import { reservedMarkdown } from '../../src/cli/reserved/reserved-values.ts'
import { createServiceVocabulary } from '../../src/endpoints/registry.ts'
import { openapi } from '../../src/openapi.ts'
import { settingsSchema } from '../../src/protocol/settings.ts'
import { clientReportPage } from './client-report-page.ts'
import { commandsPage } from './commands-page.ts'
import { faultsPage } from './faults-page.ts'
import { everyWord, scenarioReference } from './scenario-reference.ts'
import { scenarioJsonSchema } from './scenario-schema.ts'
import { scenarioType } from './scenario-type.ts'
import { type LibraryFile, scenariosPage } from './scenarios-page.ts'
import { settingsPage } from './settings-page.ts'
import { settingsType } from './settings-type.ts'

/** The JSON Schema of `gateway-sim.config.yaml`, for editors. */
export function configSchema(): unknown {
  return { title: 'gateway-sim.config.yaml', ...z.toJSONSchema(settingsSchema, { io: 'input' }) }
}

/** The scenario library; the generator and the test both run in the root of the repository. */
function library(): LibraryFile[] {
  return readdirSync('scenarios')
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({
      ...(parse(readFileSync(`scenarios/${name}`, 'utf8')) as Omit<LibraryFile, 'name'>),
      name,
    }))
}

/** Every generated file: its path from the root of the repository, and its text. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const scenario = scenarioJsonSchema()
  const { all } = createServiceVocabulary()
  return {
    ...Object.fromEntries(
      Object.entries(everyWord(scenario, all)).map(([name, text]) => [`fixtures/scenarios/${name}`, text]),
    ),
    'docs/cli.md': commandsPage(commands),
    'docs/client-report.md': clientReportPage(),
    'docs/faults.md': faultsPage(all),
    'docs/reserved-values.md': reservedMarkdown(all),
    'docs/scenario-reference.md': scenarioReference(scenario),
    'docs/settings.md': settingsPage(configSchema()),
    'src/generated/settings-input.ts': settingsType(configSchema()),
    'src/generated/scenario-input.ts': scenarioType(scenario),
    'scenarios/README.md': scenariosPage(library()),
    'schema/config.schema.json': `${JSON.stringify(configSchema(), null, 2)}\n`,
    'schema/scenario.schema.json': `${JSON.stringify(scenario, null, 2)}\n`,
    'schema/openapi.json': `${JSON.stringify(await openapi(), null, 2)}\n`,
  }
}
