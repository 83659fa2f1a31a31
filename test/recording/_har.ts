/** Calls as a HAR file of ours. */
import type { Exchange } from '../../src/exchange/exchange.ts'
import { harEntry, harFrame } from '../../src/exchange/write-har.ts'

export function harText(exchanges: readonly Exchange[], version = '0'): string {
  const { head, tail } = harFrame(version)
  return `${head}${exchanges.map((exchange) => JSON.stringify(harEntry(exchange))).join(',\n')}${tail}`
}
