/** Calls as a HAR file of ours. */
import { harEntry, harFrame, type RecordedExchange } from '../../src/har/write-har.ts'

export function harText(exchanges: readonly RecordedExchange[], version = '0'): string {
  const { head, tail } = harFrame(version)
  return `${head}${exchanges.map((exchange) => JSON.stringify(harEntry(exchange))).join(',\n')}${tail}`
}
