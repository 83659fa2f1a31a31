/** Loads the tokenizer's table, when the first call wants it. */
import { tableSize } from '../behaviours/tokens/word-encoder.ts'
import { lazy } from '../engine/fields.ts'

/** The file as seen from this file's chunk. Set by the build; absent when the sources run as they are. */
declare const GATEWAY_SIM_TOKEN_PAIRS: string

/** All simulators share the bytes of the file: nothing writes to them. */
const shared = lazy(() =>
  readTable(
    typeof GATEWAY_SIM_TOKEN_PAIRS === 'undefined' ? '../generated/token-pairs.ts' : GATEWAY_SIM_TOKEN_PAIRS,
  ),
)

/** The bytes of the table. Throws when they are not those of the build. */
export async function tokenTable(): Promise<Uint8Array> {
  try {
    return shared()
  } catch {
    // A bundler has moved this file, and brings the module; browsers read no files.
    return whole(new TextEncoder().encode((await import('../generated/token-pairs.ts')).pairs))
  }
}

/** Its bytes, which node reads several times faster than a module with a long text. */
function readTable(file: string): Uint8Array {
  // Looked up at run time: an import would keep this file out of browsers.
  const text = globalThis.process.getBuiltinModule('node:fs').readFileSync(new URL(file, import.meta.url))
  const mark = 'String.raw`'
  return whole(text.subarray(text.indexOf(mark) + mark.length, text.lastIndexOf('`')))
}

function whole(table: Uint8Array): Uint8Array {
  if (table.length === tableSize) return table
  throw new Error(
    `the tokenizer's table has ${table.length} bytes, expected ${tableSize}: reinstall the package`,
  )
}
