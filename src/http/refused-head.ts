/**
 * Requests that are refused for their head alone: a host that is none, or an expectation that nobody
 * meets. Node would answer both itself, without a word on what is wrong.
 */
import type { IncomingMessage } from 'node:http'
import type { Payload } from '../protocol/call.ts'
import { show } from '../protocol/wording.ts'

/** A name or an address, and a port: all that `host` may hold, and so all that it brings into a link. */
export const hostForm = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i
/** As node tells what it answers by itself. */
const metExpectation = /(?:^|\W)100-continue(?:$|\W)/i

type Refused = Extract<Payload, { kind: 'refused' }>

/** The refusal of a host that has not that form. */
export function refusedHost(host: string): Refused {
  return refused(`host: expected a name or an address, and a port if any, got ${show(host)}.`)
}

/** The refusal of a request for its head; undefined for the usual ones. */
export function refusedHead({ headers, httpVersion, rawHeaders }: IncomingMessage): Refused | undefined {
  const { host, expect } = headers
  if (hasTwoHosts(rawHeaders)) return refused('host: expected one such header, got two or more.')
  // Both came with HTTP/1.1. Of nothing, an empty host says that the client has no name for the server.
  if (httpVersion !== '1.0') {
    if (host === undefined) return refused('host: expected the host of the address that is called, got none.')
    if (expect !== undefined && !metExpectation.test(expect))
      return {
        ...refused(`expect: expected 100-continue, or no such header, got ${show(expect)}.`),
        status: 417,
      }
  }
  return host === undefined || host === '' || hostForm.test(host) ? undefined : refusedHost(host)
}

/** Whether `host` was sent twice. Node keeps the first without a word; a proxy may have read the other. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

/** A body or a head that cannot be read, as a payload that says why. */
export function refused(message: string, type: Refused['type'] = 'invalid_request_error'): Refused {
  return { kind: 'refused', type, message }
}
