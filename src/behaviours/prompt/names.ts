/** The capitalised names in a prompt: `Paris`, `New York`, `Ada Lovelace`. */
import { maxFacts, Surrounded, type TextFact, wordsBefore } from './surroundings.ts'
import { promptWords } from './words.ts'

/** Words that are capitalised at the beginning of a sentence, or that name nobody and no place. */
export const notNames: ReadonlySet<string> = new Set(
  `
  a an the this that these those it its he she they we you i im my your our his her their there here what
  whats when where which who whos whose why how is are was were do does did can could would should will
  may might must please if then and or but so as at by for from in of on to with about after before
  between into over under please hi hello hey dear thanks thank yes no not ok okay also just only let lets
  book find show tell give get create make list write extract generate summarize summarise translate
  convert calculate compute add subtract multiply divide send email call search look explain describe
  compare classify analyze analyse return use using plan schedule set turn play open close buy order
  reserve cancel check help need want suggest recommend rate review count sort parse identify provide fill
  draft compose answer ask say name user assistant system human question text input output json api html
  xml sql url pdf csv http id usd eur gbp jpy chf monday tuesday wednesday thursday friday saturday sunday
  january february march april june july august september october november december today tomorrow
  yesterday english french german spanish italian portuguese dutch russian chinese japanese korean arabic
  hindi turkish polish swedish celsius fahrenheit kelvin mr mrs ms dr each every all some any both either
  one two three four five six seven eight nine ten which include including fly go drive travel walk move
  pay charge refund transfer ship deliver rename copy delete remove update read execute fetch download upload
  track store save insert evaluate divide change switch apply reverse sum roll print retry turn raise split
  increase decrease round multiply store keep record note sign log file assign mark post publish share reply
  forward notify inform warn remember recommend name tag label add clear reset enable disable increase lower
  contact lookup google dim put append skip repeat weigh
  set run start stop put pick remind invite meet visit weather temperature flight flights hotel
  `
    .trim()
    .split(/\s+/),
)

/** Further words that begin a sentence; within one they may be names: "Hand", "Page". */
const openings: ReadonlySet<string> = new Set(
  `
  new next old current number task question request problem instruction instructions example note table hand
  wire register enrol enroll enlist promote demote hire onboard appoint nominate subscribe unsubscribe ban
   unblock admit approve decline reject accept confirm verify validate authorize authorise transfer promote
  deduct withdraw deposit lend borrow fire dismiss greet congratulate welcome introduce interview approach
  message text phone ring dial page ping tweet broadcast announce brief update upgrade downgrade swap replace
  exchange rent lease hold block arrange organise organize order arrive depart leave depart return erase
  archive trash discard restore recover sync fetch pull push merge commit branch deploy build test lint
  vacuum heat cool warm brew cook bake grill boil mix stir serve taste estimate measure predict forecast
  transcribe quote cite rewrite rephrase paraphrase proofread edit correct fix solve prove explore discover
  determine detect decide choose select pull grab take bring carry drop ship mail post deliver dispatch
  share join leave invite uninvite rsvp follow unfollow like dislike upvote watch listen pause resume stream
  record capture scan print book unbook rebook extend renew prolong shorten cut trim crop resize rotate
  report submit file lodge raise escalate triage resolve reopen unassign delegate route loop tell inform alert
  enter type insert input fill log key volume message meeting appointment reminder ticket tickets room seat
  anything anyone somebody someone everybody everyone nobody nothing something
  `
    .trim()
    .split(/\s+/),
)

const lowerCasePlace = new RegExp(
  [
    String.raw`\b(in|near|at|to|from) (\p{Ll}{4,20})(?=[?.!,]|$| (?:today|tomorrow|tonight|now|right|this|`,
    String.raw`next|and|on|for|to)\b)`,
  ].join(''),
  'gu',
)

// "in paris, france?"
const lowerCaseCountry = /^, (\p{Ll}{4,20})(?=[?.!]|$)/u

const lowerCaseWithTime =
  /\b(for|of) (\p{Ll}{4,20})(?= (?:today|tomorrow|tonight|right now|this week|next week)\b)/gu

const commonNoun = new RegExp(
  [
    '^(?:general|detail|details|order|time|particular|total|short|case|home|work|school|least|',
    'most|once|last|then|them|that|this|json|words?|line|euros?|dollars?|pounds?|francs?|rupees?|yuan|',
    'cents?|miles|meters|metres|inches|feet|grams|kilos|degrees|percent|minutes|hours|seconds)$',
  ].join(''),
  'u',
)

const capital = String.raw`\p{Lu}[\p{L}\p{M}’'-]{1,40}`
const capitalized = new RegExp(`${capital}(?: (?:(?:de|la|van|von|der|del|da|of) )?${capital}){0,4}`, 'gu')

export function namesOf(rest: string): TextFact[] {
  const facts: TextFact[] = []
  let end = -1
  for (const match of rest.matchAll(capitalized)) {
    if (match.index > 0 && /[\p{L}\p{N}_]/u.test(rest[match.index - 1] as string)) continue
    const words = match[0].replace(/['’]s\b/gu, '').split(' ')
    // "The" within a sentence belongs to the name: "the movie The Matrix".
    const isTitle =
      words[0] === 'The' &&
      words.length > 1 &&
      /[\p{Ll},] $/u.test(rest.slice(Math.max(0, match.index - 2), match.index))
    const begins = /(?:^|[.!?:\n]["“]?\s*|["“(])$/u.test(
      rest.slice(Math.max(0, match.index - 3), match.index),
    )
    const first = isTitle
      ? 0
      : words.findIndex((word, at) => {
          const plain = word.toLowerCase().replace(/['’]/gu, '')
          return !notNames.has(plain) && !(at === 0 && begins && openings.has(plain))
        })
    const stop = words.findIndex(
      (word, index) => index > first && /^\p{Lu}/u.test(word) && notNames.has(word.toLowerCase()),
    )
    const value = first < 0 ? '' : words.slice(first, stop < 0 ? undefined : stop).join(' ')
    // "Paint a house", "Messages from friends": capitalised because they begin the sentence.
    const isFirst =
      words.length === 1 &&
      /(?:^|[.!?\n] ?)$/u.test(rest.slice(Math.max(0, match.index - 2), match.index)) &&
      /^ (?:me|an?|the|my|our|this|that|these|all|some|it|from|of|about|for|with|on)\b/u.test(
        rest.slice(match.index + match[0].length, match.index + match[0].length + 9),
      )
    if (value === '' || isFirst) continue
    // In a list ("Paris, London and Rome") each name has the context of the first.
    const listed = /^(?:, ?(?:and |or )?| and | or | & )$/u.test(rest.slice(end, match.index)) && end > 0
    const previous = listed && first === 0 ? facts.at(-1) : undefined
    const lead = (): readonly string[] =>
      previous?.before ?? [
        ...promptWords(words.slice(0, first).join(' ')).reverse(),
        ...wordsBefore(rest, match.index),
      ]
    end = match.index + match[0].length
    facts.push(new Surrounded(value, rest, match.index, end, lead))
    if (facts.length === maxFacts) return facts
  }
  if (facts.length > 0) return facts
  // A prompt in lower case: "weather in tokyo".
  for (const match of [...rest.matchAll(lowerCasePlace), ...rest.matchAll(lowerCaseWithTime)]) {
    const word = match[2] as string
    if (notNames.has(word) || commonNoun.test(word)) continue
    facts.push({
      value: `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
      before: [match[1] as string],
      after: [],
    })
    const behind = lowerCaseCountry.exec(rest.slice(match.index + match[0].length))?.[1]
    if (behind !== undefined && !notNames.has(behind))
      facts.push({
        value: `${behind.slice(0, 1).toUpperCase()}${behind.slice(1)}`,
        before: [],
        after: [],
      })
    if (facts.length >= maxFacts) break
  }
  return facts
}
