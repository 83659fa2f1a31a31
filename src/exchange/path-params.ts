/** The parameters in the path of a recorded request, for the server and for the page, which has no router. */
import { percentDecoded } from '../engine/fields.ts'

/**
 * Percent-decoded, or as sent if the encoding is invalid. `template` is the path of an operation, with
 * `{name}` for each parameter. Undefined if the path does not fit it.
 */
export function pathParams(path: string, template: string): Readonly<Record<string, string>> | undefined {
  const pattern = template.replaceAll(/\{(\w+)\}/g, '(?<$1>.+?)')
  const found = new RegExp(`^${pattern}$`).exec(path.replace(/\?.*$/s, ''))
  if (found === null) return undefined
  return Object.fromEntries(
    Object.entries(found.groups ?? {}).map(([name, text]) => [name, percentDecoded(text) ?? text]),
  )
}
