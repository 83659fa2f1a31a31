/** The words of a text: stems, verbs, groups of synonyms, numbers. */
import { lazy } from '../../engine/fields.ts'

/**
 * The words of a text or an identifier (`firstName`, `first_name`) in lower case and singular, without
 * apostrophes.
 */
export function promptWords(text: string): string[] {
  if (/^(?:[a-z]{1,40}|\d{1,40})$/.test(text)) return [singular(text)]
  const spread = text
    .replace(/['’]/gu, '')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
  return (spread.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(singular)
}

const irregular: ReadonlyMap<string, string> = new Map(
  (
    'ids id,people person,persons person,children child,men man,women woman,movies movie,cookies ' +
    'cookie,calories calorie,series series,species species,news news,always always,lens lens'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
)

function singular(word: string): string {
  const known = irregular.get(word)
  if (known !== undefined) return known
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/u.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.slice(0, /(?:sses|xes|ches|shes|zes)$/u.test(word) ? -2 : -1)
}

const endings = 'ly ating ated ing ed ation ator ate ion ment er or'.split(' ')
/** A quick test: the last two letters of all endings. */
const lastLetters: ReadonlySet<string> = new Set(endings.map((ending) => ending.slice(-2)))

/** The common stem of related words: "reservation" and "reserve", "meetings" and "meet". */
export function stemOf(word: string): string {
  let stem = singular(word)
  if (lastLetters.has(stem.slice(-2)))
    for (const ending of endings)
      if (stem.endsWith(ending) && stem.length - ending.length >= (ending.length > 2 ? 3 : 4))
        stem = stem.slice(0, -ending.length).replace(/([bdgklmnprt])\1$/, '$1')
  if (stem.length < 4) return stem
  if (stem.endsWith('e')) stem = stem.slice(0, -1)
  return stem.endsWith('y') ? `${stem.slice(0, -1)}i` : stem
}

/** Words that carry no meaning alone. */
export const stops: ReadonlySet<string> = new Set(
  `a an the my our your his her its their this that these those it he she they we you i me us him them
  is are was were be been am do does did have has had can could would should will shall may might must
  please to of in on at by for from with about into and or not no so if then than as also just only
  there here what which who whom whose where when why how any some all each every both one s t ll re
  ve d m let lets want need like now up out off over under pls plz thanks thank hi hello hey ok okay
  yes get got give given use using via per more most much many few last latest new next first current
  available specific certain set single given tool function data information info detail value thing
  name item user id type`.split(/\s+/),
)

/**
 * Groups of synonymous verbs. `!` marks verbs that need an explicit request, `+` verbs that change something.
 */
const verbTable = `
  look: get fetch retrieve show display view see check tell read load inspect look describe know open print,
  look: lookup cat is,
  find: find search lookup locate seek google discover query browse look grep hunt explore,
  list: list enumerate browse show display see view, read: read open view show print cat load, count: count,
  calc: calculate compute evaluate solve work sum,
  add+: add plus sum total append put insert include attach save buy, subtract: subtract minus deduct,
  multiply: multiply times, divide: divide,
  create+: create add make generate insert register open file build new start set submit raise schedule,
  create+: put publish write block log book, book+!: book reserve schedule rent block request order buy,
  buy+!: buy order purchase checkout, request+!: request order buy call hail,
  log+: log record track note submit report jot, remind+: remind, draft+: draft compose write prepare,
  save+: save store write put note keep create,
  update+: update change edit modify set adjust mark correct replace amend put make move reschedule,
  update+: shift postpone rename, rename+: rename move,
  move+: move reschedule shift postpone push transfer, assign+: assign give allocate hand route,
  delete+!: cancel delete remove erase clear drop trash purge discard wipe destroy,
  cancel+!: cancel revoke unsubscribe terminate call,
  send+!: send email mail message text forward notify tell ping dm share invite post,
  reply+!: reply respond answer accept decline, invite+!: invite add,
  pay+!: pay transfer wire charge send donate deposit withdraw settle, refund+!: refund reimburse,
  invoice+!: invoice bill,
  run+: run execute launch start trigger deploy rerun kick, start+: start begin activate launch resume,
  stop+: stop pause halt end disable deactivate, play+: play start put listen, skip+: skip next,
  switch+: switch turn toggle flip power set shut make, lock+: lock unlock, close+: close shut resolve,
  open+: open, dim+: dim brighten set turn, convert: convert exchange change turn, translate: translate,
  compare: compare, track: track follow locate trace, weigh: summarize summarise, merge+: merge,
  approve+!: approve accept confirm, reject+!: reject decline deny, block+!: freeze block lock suspend ban,
  complete+: complete finish tick mark check done, like+: like favorite favourite star save,
  apply+: apply use redeem, export: export download dump, download: download fetch save, upload+: upload,
  return+: return, dispute+!: dispute contest, plot: plot draw graph chart,
  pick: pick generate roll draw choose, subscribe+: subscribe sign register enroll join,
  extend+: extend renew prolong, copy+: copy duplicate clone, archive+: archive store, explain: explain,
  comment+: comment reply, commit+: commit push check record, stage+: stage add, merge+: squash,
  clean+: vacuum clean mop, activate+: activate enable start, pack+: zip compress archive pack,
  label+: label tag, fork+: fork clone, mute+: mute unmute, test: test verify validate check
`
export interface VerbGroup {
  readonly name: string
  readonly changes: boolean
  readonly risky: boolean
}
const verbs = lazy(() =>
  groupsIn(verbTable, (head): VerbGroup => {
    const name = head.replace(/[+!]/g, '')
    return { name, changes: head.includes('+'), risky: head.includes('!') }
  }),
)

/** Whether a stem belongs to a verb. */
export const isVerb = (stem: string): boolean => verbs().has(stem)

/** The groups of a verb in any form; empty for other words. */
export const verbGroups = (word: string): readonly VerbGroup[] =>
  verbs().get(stemOf(word.toLowerCase())) ?? []

const units =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen ' +
  'sixteen seventeen eighteen nineteen'
const ones = units.split(' ')
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const digits = ones.slice(1, 10).join('|')
const small = `(?:(?:${tens.join('|')})(?:[- ](?:${digits}))?|${ones.slice(1).toReversed().join('|')})`
/** The source of a pattern for a number in digits or unambiguous words. */
export const numberPattern =
  String.raw`(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\b(?:(?:half a|an?|${small}) dozen|an? ` +
  `(?:couple|pair) of|twice|(?:an?|${small}) (?:hundred|thousand|million)(?: (?:and ` +
  String.raw`)?${small})?|${small})\b)`
const fixed: Readonly<Record<string, number>> = {
  ...{ twice: 2, 'a couple of': 2, 'a pair of': 2, 'half a dozen': 6 },
}
const scales: Readonly<Record<string, number>> = { dozen: 12, hundred: 100, thousand: 1000, million: 1e6 }

/** The number that a text represents; undefined for other texts. */
export function numberOf(text: string): number | undefined {
  const plain = text.toLowerCase().replace(/−/g, '-').trim()
  if (/^-?[\d,.]+$/.test(plain)) return Number(plain.replaceAll(',', ''))
  if (Object.hasOwn(fixed, plain)) return fixed[plain]
  let whole = 0
  for (const word of plain.split(/[ -]+/)) {
    const unit = ones.indexOf(word)
    const ten = tens.indexOf(word)
    if (unit >= 0) whole += unit
    else if (ten >= 0) whole += 20 + 10 * ten
    else if (Object.hasOwn(scales, word)) whole = Math.max(1, whole) * (scales[word] as number)
    else if (!/^(?:|a|an|and)$/.test(word)) return undefined
  }
  return whole === 0 && plain !== 'zero' ? undefined : whole
}

/** Groups of synonymous nouns. */
const nounTable = `
  weather: weather forecast temperature rain umbrella snow sunny cold warm hot wind humid degree,
  weather: climate 天气,
  time: time clock 时间, mail: mail email inbox message mailbox,
  event: sync call interview event meeting appointment calendar schedule agenda invite slot review session,
  event: standup lunch party dentist,
  file: file document, folder: folder directory, price: price cost quote rate fare worth,
  order: order purchase, stock: stock share ticker inventory trading, light: light lamp bulb brightness,
  task: task todo reminder, note: note memo, flight: flight fly plane airline,
  hotel: hotel room stay night accommodation, song: song music track tune,
  place: place location coordinate position where latitude longitude geocode lat lon lng,
  person: customer client user contact people person employee staff payee candidate patient lead friend,
  parcel: parcel package shipment shipping delivery deliver arrive, 
  account: account balance money savings checking,
  subscription: subscription plan membership,
  currency: currency euro dollar yen franc exchange usd eur gbp jpy chf, issue: issue ticket bug,
  pr: pr pull request, product: product item article catalogue catalog, table: table database,
  restaurant: restaurant table dinner lunch eat,
  translate: translation language french german spanish italian japanese english,
  device: device speaker tv television fan heater, door: door gate lock,
  heat: thermostat heating temperature, photo: photo picture image, leave: leave vacation holiday off,
  build: build pipeline ci deploy deployment, page: page website site url, alarm: alarm wake timer countdown,
  trip: trip travel journey route direction
`
const nouns = lazy(() => groupsIn(nounTable, (name) => `#${name}`))

/** The groups of a table, by the stems of their words. */
function groupsIn<Group>(
  table: string,
  groupOf: (head: string) => Group,
): ReadonlyMap<string, readonly Group[]> {
  const map = new Map<string, Group[]>()
  for (const line of table.trim().split(/,\s+/)) {
    const [head = '', words = ''] = line.split(': ')
    for (const word of words.split(' ')) {
      const stem = stemOf(word)
      map.set(stem, [...(map.get(stem) ?? []), groupOf(head)])
    }
  }
  return map
}

/** Phrasal verbs and their one-word synonyms. */
const phrasal: readonly (readonly [RegExp, string])[] = [
  [/\blook(?:ing|ed)? up\b/gi, 'lookup'],
  [/\blook(?:ing)? (?:for|into)\b/gi, 'search'],
  [/\bget(?:ting)? rid of\b/gi, 'delete'],
  [/\btake (.{1,40}?) (?:out of|off)\b/gi, 'remove $1 from'],
  [/\bput (.{1,60}?) (?=(?:in|on|into|to|onto|at)\b)/gi, 'add $1 '],
  [/\bhand (.{1,40}?) (?:over|to)\b/gi, 'assign $1 to'],
  [/\blet (\S{1,40}(?: \S{1,20})?) know\b/gi, 'tell $1'],
  [/\b(?:bring(?:ing)?|send) (?:(?:it|this|that|them) )?back\b/gi, 'return'],
  [/\bwork out\b/gi, 'calculate'],
  [/\bsign (?:me )?(?:\S+ ){0,2}up\b/gi, 'register'],
  [/\bhow many\b/gi, 'count'],
  [/\bcall off\b/gi, 'cancel'],
  [/\bget me (?=(?:an?|one|two|three|some|\d+)\b)/gi, 'buy '],
  [/\bwrite to\b/gi, 'email'],
  [/\bcheck(?:ing)? out\b/gi, 'checkout'],
  [/\b(?:write|note|jot) down\b/gi, 'note'],
  [/\bpull up (?=\p{L})/giu, 'show '],
]
const mayBePhrasal =
  /\b(?:look|get|take|put|hand|let|bring|send|work|sign|how|call|write|note|jot|pull|check)/i

export function plainVerbs(text: string): string {
  if (!mayBePhrasal.test(text)) return text
  let plain = text
  for (const [pattern, verb] of phrasal) plain = plain.replace(pattern, verb)
  return plain
}

/**
 * The concepts of a text: the stems of its words and their groups; pairs of characters in scripts without
 * spaces.
 */
export function conceptsOf(text: string): ReadonlySet<string> {
  const concepts = new Set<string>()
  const addConcept = (stem: string): void => {
    concepts.add(stem)
    for (const group of nouns().get(stem) ?? []) concepts.add(group)
  }

  for (const word of text.slice(-12_000).match(/\p{Script=Han}+|[\p{L}\p{N}]+/gu) ?? []) {
    if (/\p{Script=Han}/u.test(word))
      for (let at = 0; at + 1 < word.length; at++) addConcept(word.slice(at, at + 2))
    // Most words are not compounds, and splitting costs more than everything else.
    for (const part of /\p{Ll}\p{Lu}/u.test(word) ? word.split(/(?<=\p{Ll})(?=\p{Lu})/u) : [word]) {
      const plain = part.toLowerCase()
      if (stops.has(plain) || plain.length < 2) continue
      addConcept(stemOf(plain))
    }
  }
  return concepts
}
