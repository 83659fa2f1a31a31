/** Loads the tokenizer's table on first use. */
import { tableSize } from '../behaviours/tokens/word-encoder.ts'
import { lazy } from '../engine/fields.ts'

/** The path of the file relative to this chunk. Set by the build; absent when running from source. */
declare const GATEWAY_SIM_TOKEN_PAIRS: string

/** All simulators share the bytes of the file, which are never modified. */
const shared = lazy(() =>
  readTable(
    typeof GATEWAY_SIM_TOKEN_PAIRS === 'undefined' ? '../generated/token-pairs.ts' : GATEWAY_SIM_TOKEN_PAIRS,
  ),
)

/** The bytes of the table. Throws if they differ from the build. */
export async function tokenTable(): Promise<Uint8Array> {
  try {
    return shared()
  } catch {
    // A bundler has moved this file and includes the module; browsers read no files.
    return whole(new TextEncoder().encode((await import('../generated/token-pairs.ts')).pairs))
  }
}

/** The bytes of the file, which node reads several times faster than a module with a long string. */
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
