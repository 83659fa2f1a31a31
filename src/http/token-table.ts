/** Loads the tokenizer's table, when the first call wants it. */

/** The file as seen from this file's chunk. Set by the build; absent when the sources run as they are. */
declare const GATEWAY_SIM_TOKEN_PAIRS: string

/** `file` is relative to this one. */
export async function tokenTable(
  file = typeof GATEWAY_SIM_TOKEN_PAIRS === 'undefined'
    ? '../generated/token-pairs.ts'
    : GATEWAY_SIM_TOKEN_PAIRS,
): Promise<Uint8Array> {
  return readTable(file) ?? new TextEncoder().encode((await import('../generated/token-pairs.ts')).pairs)
}

/** Its bytes, which node reads several times faster than a module with a long text. */
function readTable(file: string): Uint8Array | undefined {
  try {
    // Looked up at run time: an import would keep this file out of browsers.
    const text = globalThis.process
      ?.getBuiltinModule?.('node:fs')
      .readFileSync(new URL(file, import.meta.url))
    return text?.subarray(text.indexOf('`') + 1, text.lastIndexOf('`'))
  } catch {
    // A bundler has moved this file, and brings the module.
    return undefined
  }
}
