/** Warns of reserved values that are misspelt or misplaced: silence would look like a broken simulator. */
import { nearestWord } from '../../protocol/nearest-word.ts'
import { type IgnoredWord, isReserved } from './plan.ts'
import { reservedWords } from './words.ts'

/** How many different words are warned of; the texts of users have no bound. */
const maxWarnings = 100

/**
 * Warns of each word once, and tells `onDrop` of words beyond the bound; not of a model that resembles no
 * reserved one.
 */
export function warnOfIgnoredWords(
  warn: (message: string) => void,
  onDrop: () => void,
): (word: IgnoredWord) => void {
  const warned = new Set<string>()
  return ({ written, word, in: place, operation }) => {
    const about = `${operation} ${written}`
    if (warned.has(about)) return
    if (warned.size >= maxWarnings) return onDrop()
    warned.add(about)
    if (isReserved(word))
      return warn(`${written} has no effect in ${operation}: \`gateway-sim reserved\` lists where it applies`)
    const bound = reservedWords.find(
      ({ word: known, max }) =>
        max !== undefined &&
        word.startsWith(known.slice(0, -1)) &&
        /^\d+$/.test(word.slice(known.length - 1)),
    )
    if (bound !== undefined)
      return warn(`${written} has no effect: expected a number from 0 to ${bound.max} for N in ${bound.word}`)
    const meant = nearestWord(
      word,
      reservedWords.map((reserved) => reserved.word),
    )
    if (meant !== undefined)
      warn(`${written} is not a reserved value and has no effect: did you mean ${meant}?`)
    else if (place === 'prompt')
      warn(`${written} is not a reserved value and has no effect: \`gateway-sim reserved\` lists them`)
  }
}
