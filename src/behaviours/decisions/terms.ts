/**
 * The words of a text that say something, each by its stem and with whether it is denied ("not angry"). Knows
 * English endings and negations, and scripts written without blanks by pairs of characters; nothing of what
 * the words are for.
 */

/** A word that says something. */
export interface Term {
  /** `refund` for refunds, refunded and Refund. */
  readonly stem: string
  /** True behind a word like not, no, never, without. */
  readonly denied: boolean
}

/** How many words that say something a negation reaches. */
const reach = 4

const unspaced = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]`
const word = new RegExp(
  String.raw`${unspaced}+|(?:(?!${unspaced})[\p{L}\p{M}\p{N}])+(?:['’](?!${unspaced})\p{L}+)*`,
  'gu',
)
const startsUnspaced = new RegExp(`^${unspaced}`, 'u')
// A negation ends where another thought begins: at punctuation, and at "and" or "but".
const clauseEnd =
  /[.,;:!?\n()[\]{}"“”—。，、；：！？（）]+|(?<![\p{L}\p{N}])(?:and|but|however|although|though|yet|instead)(?![\p{L}\p{N}])/giu

/** The terms of a text, in order. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = []
  for (const clause of text.split(clauseEnd)) {
    let denying = 0
    for (const [found] of humps(clause).matchAll(word)) {
      if (startsUnspaced.test(found)) {
        terms.push(...pairsOf(found))
        continue
      }
      const lower = found.toLowerCase().replaceAll('’', "'")
      if (negations.has(lower) || lower.endsWith("n't")) {
        denying = reach
        continue
      }
      if (stopWords.has(lower)) continue
      terms.push({ stem: stemOf(lower), denied: denying > 0 })
      denying--
    }
  }
  return terms
}

/** What stays of an English word without its ending; other words keep their form. */
export function stemOf(word: string): string {
  let stem = word.replace(/'s$/, '').replaceAll("'", '')
  if (!/^[a-z]{4,}$/.test(stem)) return stem
  if (stem.endsWith('ies') || stem.endsWith('ied')) return `${stem.slice(0, -3)}y`
  const cut =
    /^(.{3,}?)(?:ing|ed|(?<=.{4})ly)$/.exec(stem)?.[1] ??
    (/(?:ss|us|is)$/.test(stem) ? stem : stem.replace(/(?:(?<=s|x|z|ch|sh)es|s)$/, ''))
  stem = cut === stem ? stem : cut.replace(/([bdfgmnprt])\1$/, '$1')
  return stem.replace(/e$/, '')
}

// `firstName` is two words.
function humps(text: string): string {
  return text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
}

const denial = /[不没沒无無未非]/

/** A run of a script without blanks, as its pairs of characters. */
function pairsOf(run: string): Term[] {
  const characters = [...run]
  if (characters.length === 1) return [{ stem: run, denied: false }]
  const pairs: Term[] = []
  for (let at = 0; at + 1 < characters.length; at++) {
    const first = characters[at] as string
    if (denial.test(first)) continue
    pairs.push({
      stem: `${first}${characters[at + 1]}`,
      denied: denial.test(characters.slice(Math.max(0, at - 2), at).join('')),
    })
  }
  return pairs
}

const listed = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

const negations: ReadonlySet<string> = listed(
  'not no never without neither nor none nobody nothing hardly barely cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt shouldnt havent hasnt hadnt',
)

const stopWords: ReadonlySet<string> = listed(
  `a an the this that these those it its he him his she her they them their we us our you your i me my mine is are was were be been being am do does did doing done has have had having will would
  can could shall should may might must of to in on at by for from with about into onto over under as if then than so or because while when where which who whom whose what why how there here any
  all some such just also too only own same out up down off again per via i'm i've i'd i'll it's that's you're he's she's we're they're please`,
)
