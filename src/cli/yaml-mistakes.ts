/** What is wrong with a YAML file, in words. */
import { maxMistakes, mistakesInWords } from '../protocol/told-mistakes.ts'
import type { ReadYaml } from '../scenario/load/read-yaml.ts'

/** That the file cannot be used, and each mistake with its place. */
export function yamlMistakesMessage(shown: string, mistakes: ReadYaml['mistakes']): string {
  const listed = mistakes
    .slice(0, maxMistakes)
    .map(
      ({ line, column, message, source }) =>
        `${shown}:${line}:${column}: ${message}${source === '' ? '' : `\n    ${source}`}`,
    )
  return `${shown} cannot be used (${mistakesInWords(mistakes.length)}):\n${listed.join('\n')}`
}
