/** The characters that drawings are made of, for terminals that know Unicode and for those that do not. */

export interface Glyphs {
  readonly line: string
  readonly tick: string
  readonly event: string
  readonly wait: string
  /** From empty to full. */
  readonly bar: readonly string[]
  readonly bullet: string
  readonly broken: string
  readonly done: string
  readonly between: string
  /** A text without what would move the cursor, and without what the terminal cannot show. */
  clean(text: string): string
}

const visible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu, (characters) =>
    /^\s+$/.test(characters) ? ' ' : [...characters].map(escaped).join(''),
  )

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) as number).toString(16)}}`

export const unicode: Glyphs = {
  line: '─',
  tick: '┬',
  event: '▪',
  wait: '┄',
  bar: [...'▁▁▂▃▄▅▆▇█'],
  bullet: '•',
  broken: '✗',
  done: '■',
  between: '│',
  clean: visible,
}

/** Bars are tens of percent. */
export const ascii: Glyphs = {
  line: '-',
  tick: '+',
  event: '*',
  wait: '.',
  bar: [...'0123456789#'],
  bullet: '-',
  broken: 'x',
  done: '#',
  between: '|',
  clean: (text) =>
    visible(text)
      .replaceAll('…', '...')
      .replace(/[^\x20-\x7e]/gu, escaped),
}
