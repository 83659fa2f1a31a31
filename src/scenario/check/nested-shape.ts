/** A condition that is written as a path, as nested conditions: lists are searched with `some`. */
import { asText, show } from '../../protocol/wording.ts'

/** `body.messages[0].content` becomes `body: { messages: { some: { content: … } } }`. */
export function nestedShape(path: string, value: unknown): string {
  const parts = path
    .replace(/^\$\.?/, '')
    .split(/[.[\]'"]+/)
    .filter((part) => part !== '')
    .map((part) => (/^-?\d+$|^\*$/.test(part) ? 'some' : part))
  const last = value !== null && typeof value === 'object' ? '{ … }' : plain(value)
  const inside = parts.slice(1).reduceRight((shape, part) => `{ ${part}: ${shape} }`, last)
  return `${parts[0] ?? '…'}: ${inside}`
}

function plain(value: unknown): string {
  return typeof value === 'string' && !/^[\w.-]+$/.test(value) ? show(value) : asText(value)
}
