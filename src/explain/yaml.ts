/** Values as YAML: in one line where they fit, else in several. */
import { isFields } from '../engine/fields.ts'

const maxLength = 60

/** A value in flow style, shortened. */
export function formatValue(value: unknown, limit = maxLength): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : flow(value)
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (isFields(value)) {
    const fields = Object.entries(value).map(([name, inner]) => `${flow(name)}: ${flow(inner)}`)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  return typeof value === 'string' && isPlain(value) ? value : (JSON.stringify(value) ?? 'null')
}

/** Whether a text needs no quotes. */
function isPlain(text: string): boolean {
  return (
    (/^[\w./$*-][\w./$* -]*$/.test(text) &&
      !/^(?:true|false|null|yes|no|on|off|[-*].*|[\d.].*)$/i.test(text.trim()) &&
      text.trim() === text) ||
    isDuration(text)
  )
}

const isDuration = (text: string): boolean => /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)

/** The lines of a value, at most `width` columns wide where that can be. */
export function yamlLines(value: unknown, width: number): string[] {
  const entries = Array.isArray(value)
    ? value.map((item): [string, unknown] => ['-', item])
    : isFields(value)
      ? Object.entries(value).map(([name, inner]): [string, unknown] => [`${flow(name)}:`, inner])
      : undefined
  if (entries === undefined) return [flow(value)]
  return entries.flatMap(([name, inner]) => {
    const line = `${name} ${flow(inner)}`
    if (line.length <= width || inner === null || typeof inner !== 'object') return [line]
    const [first = '', ...more] = yamlLines(inner, width - 2)
    return name === '-'
      ? [`- ${first}`, ...more.map((one) => `  ${one}`)]
      : [name, `  ${first}`, ...more.map((one) => `  ${one}`)]
  })
}
