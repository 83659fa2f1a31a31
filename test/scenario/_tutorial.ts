/** The states of the file that docs/scenarios/tutorial.md grows, and its other samples. */
import { samplesOf } from '../_samples.ts'

const samples = samplesOf('docs/scenarios/tutorial.md')

/** The sample that begins with the name of its file. */
export function tutorialFile(name: string): string {
  const found = samples.find(({ text }) => text.startsWith(`// ${name}\n`))
  if (found === undefined) throw new Error(`the tutorial has no sample that begins with // ${name}`)
  return found.text
}

/** tutorial.yaml after each change, as the text of the tutorial says to make it. */
export const tutorialStates: readonly string[] = statesOf(
  samples.filter(({ language }) => language === 'yaml').map(({ text }) => text),
)

function statesOf(changes: readonly string[]): string[] {
  let file = ''
  return changes.map((change) => {
    file = changed(file, change)
    return file
  })
}

function changed(file: string, sample: string): string {
  if (sample.startsWith('# tutorial.yaml\n')) return sample
  if (sample.startsWith('  - id: ')) return file.replace('rules:\n', `rules:\n${sample}`)
  if (sample.startsWith('    then:\n')) return file.replace(/^ {4}then: .*\n/m, sample)
  if (sample.startsWith('steps:\n')) return `${file}${sample}`
  throw new Error(`the tutorial does not say where this belongs:\n${sample}`)
}
