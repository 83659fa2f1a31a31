/** The words of a prompt, in the singular. */

/**
 * The words of a text or an identifier (`firstName`, `first_name`): lower case, singular, without
 * apostrophes.
 */
export function promptWords(text: string): string[] {
  if (/^[a-z]{1,40}$/.test(text)) return [singular(text)]
  const joined = text.replace(/['’]/gu, '')
  const spread = camelCase.test(joined)
    ? joined.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    : joined
  return (spread.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(singular)
}

const camelCase = /[\p{Ll}\d]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['people', 'person'],
  ['persons', 'person'],
  ['children', 'child'],
  ['men', 'man'],
  ['women', 'woman'],
  ['movies', 'movie'],
  ['cookies', 'cookie'],
  ['series', 'series'],
  ['species', 'species'],
  ['news', 'news'],
  ['always', 'always'],
  ['lens', 'lens'],
  ['calories', 'calorie'],
  ['categories', 'category'],
])

function singular(word: string): string {
  const irregular = IRREGULAR.get(word)
  if (irregular !== undefined) return irregular
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/u.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.slice(0, /(?:sses|xes|ches|shes|zes)$/u.test(word) ? -2 : -1)
}

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/(?<=[\d)]) ?[*×] ?(?=[\d(])/gu, ' times '],
  [/(?<=[\d)]) ?\+ ?(?=[\d(])/gu, ' plus '],
  [/(?<=[\d)]) ?[/÷] ?(?=[\d(])/gu, ' divided by '],
  [/(?<=[\d)]) ?[-−] ?(?=[\d(])/gu, ' minus '],
  [/\$(?= ?\d)|(?<=\d ?)\$/gu, ' dollars '],
  [/€/gu, ' euros '],
  [/£/gu, ' pounds '],
  [/¥/gu, ' yen '],
]

/**
 * All words in lower case with one space around each, signs of calculations and of money spelled out: for
 * finding phrases.
 */
export function plainText(text: string): string {
  const joined = text.replace(/['’]/gu, '')
  const spelled = /[*×+/÷−-] ?[\d(]|[$€£¥]/u.test(joined)
    ? SIGNS.reduce((rest, [sign, word]) => rest.replace(sign, word), joined)
    : joined
  return ` ${(spelled.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `
}
