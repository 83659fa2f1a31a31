/** One tool for several things: "the weather in Paris and London" is two calls. */
import { mentionedIn } from '../json-schema/from-prompt/choices.ts'
import { type Field, isId } from '../json-schema/from-prompt/fields.ts'
import type { Reading, Thing } from '../prompt/reading.ts'
import { cut } from '../prompt/steps.ts'
import type { ToolProfile } from './score-tools.ts'

/** The maximum of calls of one answer. */
export const maxCalls = 8

const joint = new RegExp(
  String.raw`(?:,? ?\b(?:and|or|vs\.?|versus|plus|as well as|than)\b| ?&|,)(?: (?:also|` +
    'then))?(?: (?:in|for|of|at|from|on|to|about|with))?(?: (?:the|my|a|an))? ',
  'giu',
)
const prose = new RegExp(
  '^(?:query|q|text|prompt|question|input|content|message|body|expression|sql|code|' +
    'topic|description|title|summary|subject|name|command|reason|note)$',
  'i',
)

/** "The weather in Paris and London" asks a tool that takes one place twice. */
export function eachOnItsOwn(profile: ToolProfile, from: Reading): readonly Reading[] {
  const chosen = choicesIn(profile, from)
  if (chosen.length > 1) return chosen
  for (const run of runsIn(from)) {
    if (run.length > 1 && takesOne(profile, run, from)) return eachOf(run, from)
  }
  return datedParts(profile, from)
}

/** The text for each of the items: with it, and without the others. */
function eachOf(items: readonly Pick<Thing, 'at' | 'end'>[], from: Reading): readonly Reading[] {
  const [begin, last] = [items[0]?.at ?? 0, items.at(-1)?.end ?? 0]
  return items.slice(0, maxCalls).map(({ at, end }) =>
    from.without([
      [begin, at],
      [end, last],
    ]),
  )
}

/** "Lock the front door and the garage": values of one list that must be chosen from. */
function choicesIn({ fields }: ToolProfile, from: Reading): readonly Reading[] {
  for (const { shape, required } of fields) {
    const values = shape?.values
    if (values === undefined || !required) continue
    if (fields.filter((other) => other.shape?.values?.join() === values.join()).length > 1) continue
    const places = mentionedIn(values, from, false)
      .map((value) => new RegExp(String(value).replace(/\W|_/g, '.'), 'i').exec(from.text))
      .filter((one) => one !== null)
      .map(({ index, 0: said }) => ({ at: index, end: index + said.length }))
      .sort((a, b) => a.at - b.at)
    const [first, second] = places
    if (first === undefined || second === undefined) continue
    if (!/^[^.!?]{0,20}?(?:,|\band\b)[^.!?]{0,20}$/.test(from.text.slice(first.end, second.at))) continue
    return eachOf(places, from)
  }
  return []
}

type Item = Pick<Thing, 'at' | 'end' | 'text'> & { readonly kind: string }

/** The things, or else words, that a text joins: "Paris, Rome and Oslo". */
function runsIn(from: Reading): readonly (readonly Item[])[] {
  const runs: Item[][] = []
  for (const { index, 0: mark } of from.text.matchAll(joint)) {
    const left = itemAt(
      from,
      (thing) => thing.end === index,
      /[\p{L}\d_-]{2,20}$/u.exec(from.text.slice(0, index)),
    )
    const at = index + mark.length
    const behind = /^[\p{L}\d_-]{2,20}/u.exec(from.text.slice(at))
    const right =
      from.things.find(
        (thing) =>
          thing.kind === left?.kind && thing.at > at && /^\p{Ll}+ #?$/u.test(from.text.slice(at, thing.at)),
      ) ?? itemAt(from, (thing) => thing.at === at, behind, at)
    if (left === undefined || right === undefined || left.kind !== right.kind) continue
    const run = runs.at(-1)
    if (run?.at(-1)?.end === left.end) run.push(right)
    else runs.push([left, right])
  }
  return runs
}

function itemAt(
  from: Reading,
  isThere: (thing: Thing) => boolean,
  word: RegExpExecArray | null,
  base = 0,
): Item | undefined {
  const thing = from.things.find(isThere)
  if (thing !== undefined) return thing
  if (word === null) return undefined
  const at = base + word.index
  return { kind: 'word', at, end: at + word[0].length, text: word[0] }
}

function takesOne({ fields }: ToolProfile, run: readonly Item[], from: Reading): boolean {
  const [first, last] = [run[0] as Item, run.at(-1) as Item]
  const all = from.text.slice(first.at, last.end)
  const isJoined = /\b(?:and|or|vs|versus|plus|than|as well as)\b|&/.test(all)
  if (!isJoined || /^(?:moment|json|length|money)$/.test(first.kind)) return false
  if (fields.some(({ shape }) => (shape?.array ?? shape?.object) !== undefined)) return false
  const needed = fields.some(({ required }) => required) ? fields.filter(({ required }) => required) : fields
  const main = needed.filter(({ name, isText, isNumber }) => (isText || isNumber) && !prose.test(name))
  if (first.kind === 'word') {
    const behind = from.text.slice(last.end)
    const front = /^\s*(?:please )?\p{L}+ (?:the )?$|\b(?:of|for|in|the) $/iu.test(
      from.text.slice(0, first.at),
    )
    const isEnd = /^(?: (?:to|on|in|from|into|for|table|tables|rooms?)\b|[?.!]|\s*$)/.test(behind)
    return main.length === 1 && main[0]?.isText === true && front && isEnd
  }
  const takers = main.filter((field) => isTaker(field, first.kind))
  const own = takers.filter((field) =>
    first.kind === 'code' ? isId(field) : first.kind === 'email' && field.format.includes('email'),
  )
  const front = from.before(first.at, 1)[0] ?? ''
  const behind = front === 'to' ? takers.filter(({ preps }) => preps[0] === front) : []
  if (behind.length === 1 && takers.length > 1) return true
  const isBetween = first.kind === 'name' && /\b(?:between|from)\b/.test(from.text.slice(0, first.at))
  return takers.length === 1 || (own.length === 1 && !isBetween)
}

const isTaker = ({ isText, isNumber, kind, is, format }: Field, thing: string): boolean =>
  thing === 'number'
    ? isNumber || kind === 'id'
    : thing === 'email'
      ? format.includes('email') || /email|to|person/.test(is)
      : isText || (thing === 'code' && isNumber)

/** "Gym on Jan 3 and haircut on Jan 5" */
function datedParts({ fields }: ToolProfile, from: Reading): readonly Reading[] {
  const dates = fields.filter(({ required, is, format }) => required && is === 'moment' && format !== 'time')
  const isRange = /\b(?:from|between|until|till|starting|beginning)\b|\d ?[-–] ?\d/.test(from.text)
  if (dates.length !== 1 || from.of('moment').length < 2 || isRange) return [from]
  const start = /: /.exec(from.text)?.index ?? -2
  const parts = cut(from.text.slice(start + 2), start + 2, /,? and |; |, (?=\p{L}+ )/gu)
  const readings = parts.slice(0, maxCalls).map(({ at, end }) => from.part(at, end))
  return readings.every((part) => part.of('moment').length === 1) ? readings : [from]
}
