/**
 * Which operations may answer in this scenario what the contract does not say, so that nobody can judge what
 * is expected of them.
 */
import { type Fields, isFields } from '../../engine/fields.ts'
import { matchesOperation } from './support.ts'

/** Words of an answer that make a reply of their own. */
const own = ['reply', 'patch', 'unset', 'offContract', 'raw', 'fields']

/** Whether an operation is one of them. Takes the scenario as it is written, mistakes and all. */
export function freeOperations({ rules, given }: Fields): (operation: string) => boolean {
  const patterns: string[] = []
  for (const rule of Array.isArray(rules) ? (rules as unknown[]) : []) {
    if (!isFields(rule) || !says(rule['then'], own)) continue
    const when = isFields(rule['when']) ? rule['when']['operation'] : undefined
    const named = (Array.isArray(when) ? (when as unknown[]) : [when ?? '*']).filter(
      (one) => typeof one === 'string',
    )
    // What a job has been made with shows in every look at it.
    patterns.push(...(says(rule['then'], ['timeline']) ? named.map(groupOf) : named))
  }
  if (isFields(given))
    for (const [kind, list] of Object.entries(given))
      if (says(list, ['offContract'])) patterns.push(`${kind}.*`)
  return (operation) => patterns.some((pattern) => matchesOperation(pattern, operation))
}

function groupOf(pattern: string): string {
  return pattern === '*' ? pattern : `${pattern.split('.')[0]}.*`
}

function says(value: unknown, words: readonly string[]): boolean {
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([name, part]) => words.includes(name) || says(part, words))
}
