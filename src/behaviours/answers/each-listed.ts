/** One tool for several things: "the weather in Paris and London" is two calls. */
import { mentionedIn } from '../json-schema/from-prompt/choices.ts'
import { type Field, isId } from '../json-schema/from-prompt/fields.ts'
import type { Reading, Thing } from '../prompt/reading.ts'
import { cut } from '../prompt/steps.ts'
import type { ToolProfile } from './score-tools.ts'

/** The maximum of calls of one answer. */
export const maxCalls = 8

type Item = Pick<Thing, 'at' | 'end' | 'text'> & { readonly kind: string }

/** "The weather in Paris and London" asks a tool that takes one place twice: the text for each. */
export function eachOnItsOwn(profile: ToolProfile, from: Reading): readonly Reading[] {
  const runs = [choicesIn(profile, from), ...runsIn(from).filter((run) => takesOne(profile, run, from))]
  const items = runs.find((run) => run.length > 1)
  if (items === undefined) return datedParts(profile, from)
  // Each with its own item, and without the others.
  const [begin, last] = [items[0]?.at ?? 0, items.at(-1)?.end ?? 0]
  const gaps = ({ at, end }: Item): [number, number][] => [
    [begin, at],
    [end, last],
  ]
  return items.slice(0, maxCalls).map((one) => from.without(gaps(one)))
}

/** "Lock the front door and the garage": values of one list that must be chosen from. */
function choicesIn({ fields }: ToolProfile, from: Reading): readonly Item[] {
  for (const { shape, required } of fields) {
    const values = shape?.values
    if (values === undefined || !required) continue
    if (fields.filter((other) => other.shape?.values?.join() === values.join()).length > 1) continue
    const places = mentionedIn(values, from, false)
      .map((value) => new RegExp(String(value).replace(/\W|_/g, '.'), 'i').exec(from.text))
      .flatMap((found) =>
        found === null
          ? []
          : [{ kind: '', at: found.index, end: found.index + found[0].length, text: found[0] }],
      )
      .sort((a, b) => a.at - b.at)
    const [first, second] = places
    if (first === undefined || second === undefined) continue
    if (/^[^.!?]{0,20}?(?:,|\band\b)[^.!?]{0,20}$/.test(from.text.slice(first.end, second.at))) return places
  }
  return []
}

const joint =
  /(?:,? ?\b(?:and|or|vs\.?|versus|plus|as well as|than)\b| ?&|,)(?: (?:also|then))?(?: (?:in|for|of|at|from|on|to|about|with))?(?: (?:the|my|a|an))? /giu

/** The things, or else words, that a text joins: "Paris, Rome and Oslo". */
function runsIn(from: Reading): readonly (readonly Item[])[] {
  const runs: Item[][] = []
  const itemAt = (
    isThere: (thing: Thing) => boolean,
    word: RegExpExecArray | null,
    base = 0,
  ): Item | undefined =>
    from.things.find(isThere) ??
    (word === null
      ? undefined
      : { kind: 'word', at: base + word.index, end: base + word.index + word[0].length, text: word[0] })
  for (const { index, 0: mark } of from.text.matchAll(joint)) {
    const at = index + mark.length
    const left = itemAt(({ end }) => end === index, /[\p{L}\d_-]{2,20}$/u.exec(from.text.slice(0, index)))
    // "PR 4 and issue #7": a word may stand in front of the second.
    const isNear = (thing: Thing): boolean =>
      thing.kind === left?.kind && thing.at > at && /^\p{Ll}+ #?$/u.test(from.text.slice(at, thing.at))
    const right =
      from.things.find(isNear) ??
      itemAt((thing) => thing.at === at, /^[\p{L}\d_-]{2,20}/u.exec(from.text.slice(at)), at)
    if (left === undefined || right === undefined || left.kind !== right.kind) continue
    const run = runs.at(-1)
    if (run?.at(-1)?.end === left.end) run.push(right)
    else runs.push([left, right])
  }
  return runs
}

const prose =
  /^(?:query|q|text|prompt|question|input|content|message|body|expression|sql|code|topic|description|title|summary|subject|name|command|reason|note)$/i

/** Whether a tool takes only one of the things that are joined. */
function takesOne({ fields }: ToolProfile, run: readonly Item[], from: Reading): boolean {
  const [first, last] = [run[0] as Item, run.at(-1) as Item]
  const all = from.text.slice(first.at, last.end)
  const isJoined = /\b(?:and|or|vs|versus|plus|than|as well as)\b|&/.test(all)
  if (!isJoined || /^(?:moment|json|length|money)$/.test(first.kind)) return false
  if (fields.some(({ shape }) => (shape?.array ?? shape?.object) !== undefined)) return false
  const isAny = !fields.some(({ required }) => required)
  const main = fields.filter(
    ({ name, isText, isNumber, required }) =>
      (required || isAny) && (isText || isNumber) && !prose.test(name),
  )
  if (first.kind === 'word') {
    const front = /^\s*(?:please )?\p{L}+ (?:the )?$|\b(?:of|for|in|the) $/iu.test(
      from.text.slice(0, first.at),
    )
    const isEnd = /^(?: (?:to|on|in|from|into|for|table|tables|rooms?)\b|[?.!]|\s*$)/.test(
      from.text.slice(last.end),
    )
    return main.length === 1 && main[0]?.isText === true && front && isEnd
  }
  const takers = main.filter((field) => isTaker(field, first.kind))
  const own = takers.filter((field) =>
    first.kind === 'code' ? isId(field) : first.kind === 'email' && field.format.includes('email'),
  )
  if (takers.length > 1 && from.before(first.at, 1)[0] === 'to')
    return takers.filter(({ preps }) => preps[0] === 'to').length === 1
  const isBetween = first.kind === 'name' && /\b(?:between|from)\b/.test(from.text.slice(0, first.at))
  return takers.length === 1 || (own.length === 1 && !isBetween)
}

function isTaker({ isText, isNumber, kind, is, format }: Field, thing: string): boolean {
  if (thing === 'number') return isNumber || kind === 'id'
  if (thing === 'email') return format.includes('email') || /email|to|person/.test(is)
  return isText || (thing === 'code' && isNumber)
}

/** "Gym on Jan 3 and haircut on Jan 5" */
function datedParts({ fields }: ToolProfile, from: Reading): readonly Reading[] {
  const dates = fields.filter(({ required, is, format }) => required && is === 'moment' && format !== 'time')
  const isRange = /\b(?:from|between|until|till|starting|beginning)\b|\d ?[-–] ?\d/.test(from.text)
  if (dates.length !== 1 || from.of('moment').length < 2 || isRange) return [from]
  const start = (/: /.exec(from.text)?.index ?? -2) + 2
  const parts = cut(from.text.slice(start), start, /,? and |; |, (?=\p{L}+ )/gu)
  const readings = parts.slice(0, maxCalls).map(({ at, end }) => from.part(at, end))
  return readings.every((part) => part.of('moment').length === 1) ? readings : [from]
}
