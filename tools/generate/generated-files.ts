/**
 * The files of this repository that are generated from its code. `npm run generate` writes them; a test
 * compares them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { commands } from '../../src/cli/commands.ts'
import { createServiceVocabulary } from '../../src/endpoints/registry.ts'
import { everyRoute, type NamedSchemas, openapiDocument, schemasOf } from '../openapi/document.ts'
import { commandsPage, loadCommands } from './commands-page.ts'
import { errorsPage } from './errors-page.ts'
import { faultsPage } from './faults-page.ts'
import { findingsPage } from './findings-page.ts'
import { configSchema } from './input-types.ts'
import { examplesOf, operationsPage } from './operations-page.ts'
import { optionsPage } from './options-page.ts'
import { withReservedValues } from './reserved-region.ts'
import { scenarioReference } from './scenario-reference.ts'
import { scenarioJsonSchema } from './scenario-schema.ts'
import { everyWord } from './scenario-words.ts'
import { type LibraryFile, scenariosPage } from './scenarios-page.ts'
import { settingsPage } from './settings-page.ts'

/** The scenario library; the generator and the test both run in the root of the repository. */
function library(): LibraryFile[] {
  return readdirSync('scenarios')
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({
      ...(parse(readFileSync(`scenarios/${name}`, 'utf8')) as Omit<LibraryFile, 'name'>),
      name,
    }))
}

/** A hand-written page with a generated part. */
const failuresPage = 'docs/start/failures-without-setup.md'

/** Every generated file: its path from the root of the repository, and its text. */
export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const scenario = scenarioJsonSchema()
  const { all } = createServiceVocabulary()
  const openapi = await openapiDocument()
  const ofTheContract = everyRoute().filter(({ endpoint }) => endpoint.extension === undefined)
  return {
    ...Object.fromEntries(
      Object.entries(everyWord(scenario, all)).map(([name, text]) => [`fixtures/scenarios/${name}`, text]),
    ),
    'docs/reference/cli.md': commandsPage(await loadCommands(commands)),
    'docs/reference/findings.md': findingsPage(),
    'docs/reference/errors.md': errorsPage(),
    'docs/reference/faults.md': faultsPage(all),
    'docs/reference/operations.md': operationsPage(all, examplesOf(openapi)),
    [failuresPage]: withReservedValues(readFileSync(failuresPage, 'utf8'), all),
    'docs/reference/scenario-format.md': scenarioReference(scenario),
    'docs/reference/simulator-options.md': optionsPage(),
    'docs/reference/settings.md': settingsPage(configSchema()),
    'scenarios/README.md': scenariosPage(library()),
    'schema/config.schema.json': json(configSchema()),
    'schema/scenario.schema.json': json(scenario),
    'schema/openapi.json': `${JSON.stringify(openapi)}\n`,
    // Read by the command only, so it is compact.
    'schema/contract.schemas.json': JSON.stringify({
      $comment: 'Replaces schemas of openapi.json in `gateway-sim openapi --contract-only`.',
      schemas: othersThan(
        (openapi['components'] as NamedSchemas).schemas,
        schemasOf(ofTheContract, true).schemas,
      ),
    }),
  }
}

type Schemas = NamedSchemas['schemas']

/** The schemas that are not the same in `known`. */
const othersThan = (known: Schemas, schemas: Schemas): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).filter(
      ([name, schema]) => JSON.stringify(schema) !== JSON.stringify(known[name]),
    ),
  )

/** A line per value, for diffs, without indentation, which takes 3.5 kB of the package. */
const json = (value: unknown): string => `${JSON.stringify(value, null, 1).replace(/^ +/gm, '')}\n`
