/** What a text wants done: its verbs as actions, of which a tool can do one and not another. */
import { stemOf } from '../decisions/terms.ts'

/** Actions that look at things, and those that change something. */
const looking: ReadonlySet<string> = new Set('read list find explain return'.split(' '))
const changing: ReadonlySet<string> = new Set(
  `create update delete cancel write send move start stop unlock close buy sell enable disable upload deposit
  withdraw approve reject finish book assign renew`.split(/\s+/),
)

/** A word may name several actions: "add" is arithmetic, or creates something. */
const words = `
plus: add plus sum total
minus: subtract minus difference deduct
times: multiply multiplied multiplication times product double triple
over: divide division quotient ratio halve half
power: power squared cubed exponent square cube pow exponentiate
root: root sqrt
modulo: modulo mod remainder modulus
percent: percent percentage
create: create make add insert register new open post order submit generate put place schedule enroll compose
read: get read show view display fetch retrieve check open print cat see tell lookup describe inspect load
list: list show browse enumerate
find: find search look query locate lookup google browse discover
update: update change edit modify set rename adjust replace correct
delete: delete remove erase drop clear destroy trash
cancel: cancel abort revoke
write: write save put store append overwrite create make
send: send mail email forward post text message notify
move: move transfer relocate rename wire migrate
copy: copy duplicate clone
run: run execute
start: start launch begin resume
stop: stop halt terminate kill pause
unlock: open unlock
close: close lock shut
buy: buy purchase order
sell: sell
enable: enable activate
disable: disable deactivate
upload: upload
download: download
import: import
export: export
deposit: deposit
withdraw: withdraw
approve: approve accept confirm
reject: reject decline deny
book: book reserve schedule
assign: assign reassign delegate
renew: renew extend prolong
return: return
finish: complete finish done
explain: explain discuss define teach summarize summarise compare
translate: translate
convert: convert
`
const arithmetic: ReadonlySet<string> = new Set('plus minus times over power root modulo percent'.split(' '))

const actionsOfWord: ReadonlyMap<string, readonly string[]> = (() => {
  const byWord = new Map<string, string[]>()
  for (const line of words.trim().split('\n')) {
    const [action = '', list = ''] = line.split(': ')
    for (const word of list.split(' ')) {
      // "times" is no form of "time".
      // The stem of "adding" is not that of "add".
      for (const form of word.endsWith('s') ? [word] : new Set([word, stemOf(word), stemOf(`${word}ing`)]))
        byWord.set(form, [...(byWord.get(form) ?? []), action])
    }
  }
  return byWord
})()

/** The actions that a word names; undefined for a word that is no verb of this kind. */
export const actionsOf = (word: string): readonly string[] | undefined =>
  actionsOfWord.get(word) ?? actionsOfWord.get(stemOf(word))
export const isLooking = (action: string): boolean => looking.has(action)
export const isChanging = (action: string): boolean => changing.has(action)
export const isArithmetic = (action: string): boolean => arithmetic.has(action)

/** Verbs of several words, of a text in small letters. */
const phrases: readonly (readonly [string, readonly string[]])[] = [
  ['(?:get|getting) rid of|throw(?:ing)? (?:away|out)|do(?:ing)? away with|wip(?:e|ing) out', ['delete']],
  [String.raw`hand(?:ed|ing)?\b[^.!?\n]{1,40}?\bover|give [\w-]*\d[\w-]* to`, ['assign']],
  ['put(?:ting)? (?:an? )?(?:hold|reservation) on|set(?:ting)? aside', ['book']],
  [
    String.raw`(?:bring|brought|bringing|give|giving|hand|handing|take|taking) (?:\S+ ){0,3}?back`,
    ['return'],
  ],
  [String.raw`sign(?:ed|ing)? (?:\w+ ){0,2}?up|set(?:ting)? up`, ['create', 'enable']],
  [
    String.raw`(?:have|take|having|taking) (?:an? )?(?:\w+ )?look(?: at)?|pull(?:ing)? up|check(?:ing)? on`,
    ['read', 'find'],
  ],
  ['(?:do|have) you (?:have|got|carry|stock)|do we have', ['find', 'list']],
  [
    'mak(?:e|ing) (?:the|my|our|it|them) (?:[a-z]+ ){0,3}?' +
      String.raw`(?:\d+|(?:warm|cool|loud|quiet|bright|dark|dimm|long|short|bigg|small|larg)er)`,
    ['update'],
  ],
  [String.raw`turn(?:ing)? (?:\S+ ){0,4}?(?:up|down) to`, ['update']],
  [String.raw`take\b[^.!?\n]{1,40}?\b(?:away|out|off)`, ['delete', 'minus']],
  ['call(?:ed)? off', ['cancel']],
  [`get back|give me|i(?:['’]d like| want) to (?:know|see)`, ['read']],
  [String.raw`(?:what|which) (?:\w+ )?\w+s (?:are|do|does|have|exist|can)`, ['list', 'read']],
  [String.raw`mark\b[^.!?\n]{1,40}?\b(?:done|completed?|finished)`, ['finish']],
  ['(?:tick|check) off', ['finish']],
  ['looking for', ['find']],
]
// All in one, a group for each.
const anyPhrase = new RegExp(String.raw`\b(?:${phrases.map(([phrase]) => `(${phrase})`).join('|')})\b`, 'g')
const symbols: readonly (readonly [RegExp, string])[] = [
  [/[\d)] ?\+ ?[\d(]/u, 'plus'],
  [/[\d)] ?[*×] ?[\d(]|\d ?x ?\d/u, 'times'],
  [/[\d)] ?[/÷:] ?[\d(]|\d over \d/u, 'over'],
  // Not the dashes of a date.
  [/(?<!\d-\d{1,4})[\d)] ?[-−] ?(?!\d+-\d)[\d(]/u, 'minus'],
  [/[\d)] ?(?:\^|\*\*) ?[\d(]/u, 'power'],
  [/√/u, 'root'],
  [/\d ?% ?of\b/u, 'percent'],
]
const anySymbol = /[\d)] ?(?:[-+*×÷/:^%−x]|over\b)|√/u

export interface SaidAction {
  readonly action: string
  /** In lower case, or the sign of a calculation. */
  readonly word: string
  readonly at: number
  /** Whether the word stands where a verb stands ("list the files"), not inside a phrase ("my list"). */
  readonly asVerb: boolean
}

/** The actions that a text names in several words, or by the sign of a calculation. */
export function phrasesIn(text: string): readonly SaidAction[] {
  const all: SaidAction[] = []
  for (const found of text.toLowerCase().matchAll(anyPhrase)) {
    const [, actions = []] = phrases[found.slice(1).findIndex((group) => group !== undefined)] ?? []
    for (const action of actions) all.push({ action, word: found[0], at: found.index, asVerb: true })
  }
  if (anySymbol.test(text))
    for (const [symbol, action] of symbols) {
      const at = text.search(symbol)
      if (at >= 0) all.push({ action, word: text.charAt(at), at, asVerb: true })
    }
  return all
}
