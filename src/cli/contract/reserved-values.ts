/** The reserved values as text, from the tables that the simulator uses. */
import { createSimulator } from '../../index.ts'
import {
  explainShorthands,
  type Operation,
  operationsInWords,
  patternsOf,
} from '../../protocol/operations.ts'
import {
  reservedKeys,
  reservedMissingModel,
  reservedMissingModelResult,
  reservedWords,
} from '../../scenario/reserved/words.ts'
import { markdownTable, textTable, wrap } from '../../text/printable.ts'
import { type ExitCode, exitCodes, type Io } from '../command.ts'

export function printReserved(format: 'pretty' | 'json' | 'markdown', { stdout }: Io): ExitCode {
  const { routes } = createSimulator()
  const forms = { pretty: reservedText, json: reservedJson, markdown: reservedMarkdown }
  stdout.write(forms[format](routes))
  return exitCodes.ok
}

const keyHead = ['The API key contains', 'Response']
const keyRows = reservedKeys.map(({ contains, reaches }) => [contains, reaches])

const wordHead = ['Value', 'Result', 'Operations']
const wordRows = (all: readonly Operation[]): string[][] =>
  reservedWords.map(({ word, on, reaches }) => [word, reaches, operationsInWords(on, all)])

const shorthands = (all: readonly Operation[]): string =>
  explainShorthands(
    reservedWords.map(({ on }) => on),
    all,
  )
    .flatMap((line) => wrap('- ', line, 110))
    .join('\n')

function reservedText(all: readonly Operation[]): string {
  const plain = (text: string): string => text.replaceAll(/\*\*|`/g, '')
  return `API keys that contain one of these values are rejected:

${textTable(keyHead, keyRows)}
Use these values as a model id with the prefix sim- (sim-rate-limit), anywhere in a prompt as
[sim:rate-limit], or in the path of an uploaded file (images/sim-rate-limit.png). N is a whole number,
and a value with -once affects only the first of several identical requests:

${textTable(
  wordHead,
  wordRows(all).map(([word = '', reaches = '', on = '']) => [word, reaches, plain(on)]),
)}
${plain(shorthands(all))}

These model ids are always enabled, even if the \`models\` and \`keys\` settings do not list them.
The model id ${reservedMissingModel} never exists: ${reservedMissingModelResult}.
`
}

function reservedJson(all: readonly Operation[]): string {
  const values = reservedWords.map(({ word, on, reaches }) => ({
    value: word,
    result: reaches,
    operations: patternsOf(on, all),
  }))
  const keys = reservedKeys.map(({ contains, reaches }) => ({ contains, result: reaches }))
  return `${JSON.stringify({ keys, values, missingModel: reservedMissingModel }, null, 2)}\n`
}

/** The rows of the values that affect the same operations, with these in a heading. */
function byOperations(all: readonly Operation[]): Map<string, string[][]> {
  const groups = new Map<string, string[][]>()
  for (const [word = '', reaches = '', on = ''] of wordRows(all)) {
    const heading = on.charAt(0).toUpperCase() + on.slice(1)
    groups.set(heading, [...(groups.get(heading) ?? []), [`\`${word}\``, reaches]])
  }
  return groups
}

export function reservedMarkdown(all: readonly Operation[]): string {
  const code = (text: string): string => `\`${text}\``
  return `## API keys

Every operation rejects an API key that contains one of these values.

${markdownTable(
  keyHead,
  keyRows.map(([word = '', reaches = '']) => [code(word), reaches]),
)}
## Values for models, prompts and paths

Use a value

- as the model id, with the prefix \`sim-\`: \`"model": "sim-rate-limit"\`;
- anywhere in the prompt, in square brackets: \`"a sunset [sim:rate-limit]"\`;
- in the \`path\` of an uploaded file, with the prefix \`sim-\` and no letter, digit or dash before or after:
  \`images/sim-expired.png\`, \`sim-store-error/cat.png\`.

\`N\` is a whole number: \`sim-disconnect-after-3\`. Reserved model ids are always enabled, regardless of the
\`models\` and \`keys\` settings. The simulator logs one warning for each unknown value in brackets, each
value that does not apply to the operation, and each model id that nearly matches a value.

A value with \`-once\` affects only the first of several identical requests. The headings name the operations
that the values affect.

${[...byOperations(all)]
  .map(([on, rows]) => `### ${on}\n\n${markdownTable(['Value', 'Result'], rows)}`)
  .join('\n')}
## A model that does not exist

The model id \`${reservedMissingModel}\` never exists: ${reservedMissingModelResult}.
`
}
