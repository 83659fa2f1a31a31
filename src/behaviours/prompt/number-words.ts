/** Numbers written in words: "three", "twenty-five", "two hundred and fifty", "a dozen", "a couple of". */

const below20 =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen'
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'
const scales: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['k', 1e3],
  ['million', 1e6],
  ['m', 1e6],
  ['billion', 1e9],
  ['bn', 1e9],
])
const values: ReadonlyMap<string, number> = new Map([
  ...below20.split(' ').map((word, value): [string, number] => [word, value]),
  ...tens.split(' ').map((word, at): [string, number] => [word, 20 + 10 * at]),
  ['a', 1],
  ['an', 1],
  ['half', 0.5],
  ['quarter', 0.25],
  ['dozen', 12],
  ['couple', 2],
  ['pair', 2],
  ['once', 1],
  ['twice', 2],
  ['thrice', 3],
])
const ordinals: ReadonlyMap<string, number> = new Map(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'
    .split(' ')
    .map((word, at): [string, number] => [word, at + 1]),
)

const either = (words: Iterable<string>): string => [...words].join('|')
const digit = either(below20.split(' ').slice(1, 10))
const small = `(?:(?:${either(tens.split(' '))})(?:[- ](?:${digit}))?|${either(below20.split(' '))})`
const large = '(?:hundred|thousand|million|billion)'

/** The source of a pattern for a number in words; words of one sense only, so no "a" and no "second". */
export const numberWord =
  `(?:(?:half a|a|an|${small}) dozen|an? (?:couple|pair) of|` +
  `(?:an?|${small}) ${large}(?: ${large})?(?:(?: and)? ${small})?|${small})`

const mark = new RegExp(
  String.raw`\d|${either(
    [
      ...below20.split(' '),
      ...tens.split(' '),
      ...scales.keys(),
      ...ordinals.keys(),
      'dozen',
      'couple',
      'pair',
      'once',
      'twice',
      'thrice',
      'half',
    ].filter((word) => word.length > 2),
  )}`,
  'i',
)

/** Whether a text may have a number, which is quicker to see than the number. */
export const mayCount = (text: string): boolean => mark.test(text)

/** The source of a pattern for one word of a small number, which is quicker to look for. */
export const smallNumber = either(below20.split(' ').slice(1, 13))

/** The source of a pattern for "second", "3rd". */
export const ordinalWord = String.raw`(?:${either(ordinals.keys())}|\d{1,4}(?:st|nd|rd|th))`

/** The value of digits ("1,200", "10k", "2.5 million") or of words; undefined for anything else. */
export function numberOf(written: string): number | undefined {
  const words = written
    .toLowerCase()
    .replaceAll(',', '')
    .match(/[\d.]+|[a-z]+/g)
  let total = 0
  let last = 0
  let found = false
  for (const word of words ?? []) {
    const scale = scales.get(word)
    const value = values.get(word) ?? ordinals.get(word) ?? (/^\d/.test(word) ? Number(word) : undefined)
    if (scale !== undefined) {
      last = rounded((last === 0 && !found ? 1 : last) * scale)
      if (scale > 100) {
        total += last
        last = 0
      }
    } else if (word === 'dozen') last = found ? last * 12 : 12
    else if (value !== undefined) last = word === 'couple' || word === 'pair' ? value : last + value
    else if (!/^(?:and|of|st|nd|rd|th)$/.test(word)) return undefined
    found ||= scale !== undefined || value !== undefined
  }
  return found ? total + last : undefined
}

// 1.1 * 1000 is 1100.0000000000002.
const rounded = (x: number): number => Number(x.toPrecision(12))
