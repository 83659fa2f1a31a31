/** The reserved values in Markdown, from the tables that the simulator uses. */
import { type Operation, operationsInWords } from '../../src/protocol/operations.ts'
import {
  reservedKeys,
  reservedMissingModel,
  reservedMissingModelResult,
  reservedWords,
} from '../../src/scenario/reserved/words.ts'
import { markdownTable } from '../../src/text/printable.ts'

const keyHead = ['The API key contains', 'Response']
const keyRows = reservedKeys.map(({ contains, reaches }) => [contains, reaches])

const wordRows = (all: readonly Operation[]): string[][] =>
  reservedWords.map(({ word, on, reaches }) => [word, reaches, operationsInWords(on, all)])

/** The rows of the values that affect the same operations, with these in a heading. */
function byOperations(all: readonly Operation[]): Map<string, string[][]> {
  const groups = new Map<string, string[][]>()
  for (const [word = '', reaches = '', on = ''] of wordRows(all)) {
    const heading = on.charAt(0).toUpperCase() + on.slice(1)
    groups.set(heading, [...(groups.get(heading) ?? []), [`\`${word}\``, reaches]])
  }
  return groups
}

/** A page with the current reserved values between its marks. */
export const withReservedValues = (page: string, all: readonly Operation[]): string =>
  page.replace(
    /(?<=^<!-- generated: reserved-values -->\n)[\s\S]*?(?=^<!-- end -->$)/m,
    () => `\n${reservedMarkdown(all).trim()}\n\n`,
  )

function reservedMarkdown(all: readonly Operation[]): string {
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
