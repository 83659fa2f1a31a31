/** Puts values of earlier replies, and the model, into a probe. */
import { valueAt } from '../engine/fields.ts'
import type { FromReply, ProbeValue } from '../protocol/probe.ts'

/** A probe cannot be sent; the message says why. */
export class CannotSend extends Error {
  override readonly name = 'CannotSend'
}

/** The last reply to a probe, or why there is none to use. */
export type Usable = { readonly json: unknown } | string

export interface Resolver {
  value(value: ProbeValue): unknown
  text(value: ProbeValue): string
}

/** Resolves against the replies that have come. */
export function createResolver(replyTo: (probe: string) => Usable, model: () => string): Resolver {
  const value = (of: ProbeValue): unknown => {
    if (of === null || typeof of !== 'object') return of
    if (Array.isArray(of)) return of.map(value)
    if ('$model' in of) return model()
    if ('$from' in of) return fromReply(of as FromReply, replyTo)
    return Object.fromEntries(Object.entries(of).map(([name, one]) => [name, value(one as ProbeValue)]))
  }
  return { value, text: (of) => String(value(of)) }
}

function fromReply(
  { $from, pointer, part, otherwise }: FromReply,
  replyTo: (probe: string) => Usable,
): unknown {
  const reasons: string[] = []
  for (const probe of [$from].flat()) {
    const reply = replyTo(probe)
    if (typeof reply === 'string') {
      reasons.push(reply)
      continue
    }
    const found = at(reply.json, pointer)
    if (found === undefined || found === null) {
      reasons.push(`the reply to ${probe} has no ${pointer}`)
      continue
    }
    if (part === undefined) return found
    const taken = part.exec(String(found))?.[1] ?? otherwise
    if (taken !== undefined && taken !== '') return taken
    reasons.push(`${JSON.stringify(found).slice(0, 80)} in the reply to ${probe} does not say it`)
  }
  throw new CannotSend(reasons.join('; '))
}

/** What a JSON pointer shows in a value. */
export function at(value: unknown, pointer: string): unknown {
  if (pointer === '') return value
  return valueAt(
    value,
    pointer
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
  )
}
