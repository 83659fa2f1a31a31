/** Values and lists as parts of a sentence. */

const maxLength = 60

/** A value as YAML, shortened. */
export function formatValue(value: unknown, limit = maxLength): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : flow(value)
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
}

// YAML in flow style.
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (value !== null && typeof value === 'object')
    return `{ ${Object.entries(value)
      .map(([name, inner]) => `${name}: ${flow(inner)}`)
      .join(', ')} }`
  return typeof value === 'string' && /^[\w./$ -]+$/.test(value) && value !== ''
    ? value
    : (JSON.stringify(value) ?? 'nothing')
}

/** `a, b and c`. */
export function joinWords(words: readonly string[], last = 'and'): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

/** `1st`, `2nd`, `3rd`, `11th`. */
export function ordinal(number: number): string {
  const tens = number % 100
  const ending = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${ending}`
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
