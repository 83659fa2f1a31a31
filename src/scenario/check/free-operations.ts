/**
 * The operations whose replies this scenario may change beyond the contract, so that expectations of them
 * cannot be checked.
 */
import { type Fields, isFields } from '../../engine/fields.ts'
import { matchesOperation } from './reach.ts'

/** Keys of an answer that change a reply beyond the contract. */
const own = ['reply', 'patch', 'unset', 'offContract', 'raw', 'fields']

/** Whether an operation is one of them. Takes the scenario as it is written, mistakes and all. */
export function freeOperations({ rules, given }: Fields): (operation: string) => boolean {
  const patterns: string[] = []
  for (const rule of Array.isArray(rules) ? (rules as unknown[]) : []) {
    if (!isFields(rule) || !hasKey(rule['then'], own)) continue
    const when = isFields(rule['when']) ? rule['when']['operation'] : undefined
    const named = (Array.isArray(when) ? (when as unknown[]) : [when ?? '*']).filter(
      (one) => typeof one === 'string',
    )
    // A timeline shows in every reply about its job.
    patterns.push(...(hasKey(rule['then'], ['timeline']) ? named.map(groupOf) : named))
  }
  if (isFields(given))
    for (const [kind, list] of Object.entries(given))
      if (hasKey(list, ['offContract'])) patterns.push(`${kind}.*`)
  return (operation) => patterns.some((pattern) => matchesOperation(pattern, operation))
}

function groupOf(pattern: string): string {
  return pattern === '*' ? pattern : `${pattern.split('.')[0]}.*`
}

function hasKey(value: unknown, words: readonly string[]): boolean {
  if (value === null || typeof value !== 'object') return false
  return Object.entries(value).some(([name, part]) => words.includes(name) || hasKey(part, words))
}
