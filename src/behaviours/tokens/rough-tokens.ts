/** A tokenizer for dry runs, which need no real counts: every word is a token. The real one loads slowly. */
import type { Tokens, TokenText } from './tokens.ts'

function tokenTexts(text: string): readonly TokenText[] {
  return (text.match(/\s*\S+\s*/g) ?? []).map((word) => ({
    text: word,
    quoted: JSON.stringify(word),
    tokens: 1,
  }))
}

export const roughTokens: Tokens = {
  count: (text) => tokenTexts(text).length,
  ofCall: () => roughTokens,
  tokenTexts,
  say(text) {
    const all = tokenTexts(text)
    return { text, tokens: all.length, cut: false, tokenTexts: all }
  },
}
