/** Operations as the documentation names them: in a few words where they are many. */
import {
  canBlockImages,
  canStream,
  canSubmit,
  everyOperation,
  isGateway,
  type Operation,
  patternsOf,
  type Selector,
} from './operations.ts'

const shorthands: ReadonlyMap<Selector, string> = new Map([
  [canStream, 'streams'],
  [canSubmit, 'job submissions'],
  [canBlockImages, 'image job submissions'],
])

const ids = (selector: Selector, all: readonly Operation[]): string =>
  patternsOf(selector, all)
    .map((id) => `\`${id}\``)
    .join(', ')

/** The selected operations: a shorthand, or their ids in backticks. */
export function operationsInWords(selector: Selector, all: readonly Operation[]): string {
  if (selector === everyOperation) return 'all'
  if (selector === isGateway) return 'all except `uploads.*`'
  return shorthands.get(selector) ?? ids(selector, all)
}

/** What the shorthands of these selectors mean, one entry each. */
export function explainShorthands(used: readonly Selector[], all: readonly Operation[]): string[] {
  return [...shorthands]
    .filter(([selector]) => used.includes(selector))
    .map(([selector, word]) => `**${word}**: ${ids(selector, all)}`)
}
