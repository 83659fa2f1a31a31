/** Loads the tokenizer on first use, because its table is large. */
import { createTokens, type Tokens, utf8Length } from '../behaviours/tokens/tokens.ts'

/** The tokenizer of o200k_base. Text that looks like a special token is text. */
export async function loadTokens(): Promise<Tokens> {
  const [{ encodeGenerator }, { default: texts }] = await Promise.all([
    import('gpt-tokenizer/encoding/o200k_base'),
    import('gpt-tokenizer/bpeRanks/o200k_base'),
  ])
  const options = { disallowedSpecial: new Set<string>() }
  return createTokens({
    encode: (text) => encodeGenerator(text, options),
    sizeOf(token) {
      const text = texts[token] ?? ''
      return typeof text === 'string' ? utf8Length(text) : text.length
    },
  })
}
