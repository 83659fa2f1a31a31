/**
 * Tells of reserved values that were written wrong or in the wrong place: silence would look like a simulator
 * that does not work.
 */
import { nearestWord } from '../protocol/nearest-word.ts'
import { type IgnoredWord, isReserved, reservedWords } from './reserved.ts'

/** How many different words are told of; texts of users have no bound. */
const maxTold = 100

/**
 * Warns of each word once. A model that is not even nearly a reserved one is a model like any other, and
 * nothing is said of it.
 */
export function warnOfIgnoredWords(warn: (message: string) => void): (word: IgnoredWord) => void {
  const told = new Set<string>()
  return ({ written, word, in: place, operation }) => {
    const about = `${operation} ${written}`
    if (told.has(about) || told.size >= maxTold) return
    told.add(about)
    if (isReserved(word))
      return warn(`${written} does nothing in ${operation}: \`gateway-sim reserved\` says where it acts`)
    const bound = reservedWords.find(
      ({ word: known, most }) =>
        most !== undefined &&
        word.startsWith(known.slice(0, -1)) &&
        /^\d+$/.test(word.slice(known.length - 1)),
    )
    if (bound !== undefined)
      return warn(
        `${written} does nothing: expected a number from 0 to ${bound.most} in the place of N in ${bound.word}`,
      )
    const meant = nearestWord(
      word,
      reservedWords.map((reserved) => reserved.word),
    )
    if (meant !== undefined) warn(`${written} is no reserved value and does nothing: did you mean ${meant}?`)
    else if (place === 'prompt')
      warn(`${written} is no reserved value and does nothing: \`gateway-sim reserved\` lists them`)
  }
}
