/** One tool for several things: "the weather in Paris and London" is two calls. */
import { mentionedIn } from '../json-schema/from-prompt/choices.ts'
import { type Field, isId } from '../json-schema/from-prompt/fields.ts'
import { Reading, type Thing } from '../prompt/reading.ts'
import type { ToolProfile } from './score-tools.ts'

const maxCalls = 8

const joint = new RegExp(
  String.raw`^\s*(?:,|,? ?(?:and|or|vs\.?|versus|&|plus|as well as)|,? than)(?: (?:also|then))?(?: ` +
    String.raw`(?:in|for|of|at|from|on|to|about|with))?(?: (?:that|the one) of)?(?: (?:the|my|a|an))?\s*$`,
  'i',
)

/** "The weather in Paris and London" asks a tool that takes one place twice. */
export function eachOnItsOwn(profile: ToolProfile, text: string, now: number): readonly string[] {
  const from = new Reading(text, now)
  for (const part of [listedThings, listedChoices, listedMoments, listedWords]) {
    const texts = part(profile, from)
    if (texts.length > 1) return texts.slice(0, maxCalls)
  }
  return [text]
}

const main = ({ fields }: ToolProfile): readonly Field[] => {
  const needed = fields.filter(({ required }) => required)
  return (needed.length > 0 ? needed : fields).filter(
    ({ shape }) =>
      shape?.values === undefined && (shape?.string !== undefined || shape?.number !== undefined),
  )
}
const anyWords = new RegExp(
  '^(?:query|q|text|prompt|question|input|content|message|body|expression|sql|code|topic|' +
    'description|title|summary|subject|name|command|reason|note)$',
  'i',
)

function listedThings(profile: ToolProfile, from: Reading): readonly string[] {
  if (profile.fields.some(({ shape }) => shape?.array !== undefined)) return []
  const fields = main(profile).filter(({ name }) => !anyWords.test(name))
  const things = from.things.filter(
    ({ kind }) => kind !== 'moment' && kind !== 'json' && kind !== 'length' && kind !== 'money',
  )
  const runs: Thing[][] = []
  for (const thing of things) {
    const last = runs.at(-1)?.at(-1)
    const gap = last === undefined ? '' : from.text.slice(last.end, thing.at)
    if (
      last !== undefined &&
      last.kind === thing.kind &&
      (joint.test(gap) || (/\bcompar/i.test(from.text) && /^ (?:with|to|against)(?: that of)? $/.test(gap)))
    )
      runs.at(-1)?.push(thing)
    else runs.push([thing])
  }
  for (const run of runs) {
    const [first] = run
    if (first === undefined || run.length < 2) continue
    // "San Francisco, CA" is one place.
    const gap = from.text.slice(first.end, run[1]?.at)
    const all = from.text.slice(first.at, run.at(-1)?.at)
    if (
      (run.length === 2 && /^, $/.test(gap)) ||
      !/\b(?:and|or|vs|versus|plus|than|with|to|against|as well as)\b|&/.test(all)
    )
      continue
    const takers = fields.filter(({ shape, kind }) =>
      first.kind === 'number'
        ? shape?.number !== undefined || kind === 'id'
        : first.kind === 'email'
          ? (shape?.string?.formats[0] ?? '').includes('email') ||
            /email|to|recipient/.test(kind + fields.map(({ name }) => name).join())
          : shape?.string !== undefined || (first.kind === 'code' && shape?.number !== undefined),
    )
    if (
      takers.length !== 1 &&
      !(
        takers.length > 1 &&
        takers.filter((field) =>
          first.kind === 'code'
            ? isId(field)
            : first.kind === 'email'
              ? (field.shape?.string?.formats[0] ?? '').includes('email')
              : false,
        ).length === 1
      )
    )
      continue
    if (
      first.kind === 'name' &&
      /\b(?:between|from)\b/.test(from.text.slice(0, first.at)) &&
      takers.length > 1
    )
      continue
    const end = (run.at(-1) as Thing).end
    return run.map(
      (thing) => from.text.slice(0, first.at) + from.text.slice(thing.at, thing.end) + from.text.slice(end),
    )
  }
  return []
}

function listedChoices({ fields }: ToolProfile, from: Reading): readonly string[] {
  for (const { shape, required } of fields) {
    if (
      shape?.values === undefined ||
      !required ||
      fields.filter((other) => other.shape?.values?.join() === shape.values?.join()).length > 1
    )
      continue
    const mentioned = mentionedIn(shape.values, from, false)
    if (mentioned.length < 2) continue
    const words = mentioned
      .map((value) =>
        new RegExp(
          String(value)
            .replace(/[_-]/g, '[ _-]')
            .replace(/[.*+?^${}()|\\]/g, '.'),
          'i',
        ).exec(from.text),
      )
      .filter((found) => found !== null)
    const [a, b] = words.sort((one, other) => one.index - other.index)
    const gap = a === undefined || b === undefined ? '' : from.text.slice(a.index + a[0].length, b.index)
    if (!/^[^.!?]{0,20}?(?:,|\band\b)[^.!?]{0,20}$/.test(gap) || a === undefined) continue
    const last = words.at(-1) as RegExpExecArray
    return words.map(
      (word) => from.text.slice(0, a.index) + word[0] + from.text.slice(last.index + last[0].length),
    )
  }
  return []
}

/** "Gym on Jan 3 and haircut on Jan 5" */
function listedMoments({ fields }: ToolProfile, from: Reading): readonly string[] {
  const needed = fields.filter(
    ({ required, shape, kind }) =>
      required && (/^date/.test(shape?.string?.formats[0] ?? '') || /^date/.test(kind)),
  )
  const found = from.of('moment')
  if (needed.length !== 1 || found.length < 2 || /\b(?:from|between|until)\b|\d ?[-–] ?\d/.test(from.text))
    return []
  const colon = /: /.exec(from.text)
  const said = from.text.slice(colon === null ? 0 : colon.index + 2)
  const parts = said.split(/,? and |; |, (?=\p{L}+ )/u)
  return parts.every((part) => new Reading(part, from.now).of('moment').length === 1) ? parts : []
}

/** "Add eggs and bread to my list", "the first rows of products and of suppliers" */
function listedWords(profile: ToolProfile, from: Reading): readonly string[] {
  const fields = main(profile).filter(({ shape }) => shape?.string !== undefined)
  const [field] = fields
  if (
    field === undefined ||
    fields.length !== 1 ||
    profile.fields.some(({ shape }) => shape?.array !== undefined) ||
    /^(?:query|text|content|body|message|sql|command|expression|question|prompt|input|description)$/.test(
      field.name,
    )
  )
    return []
  const found = new RegExp(
    String.raw`(?:^\s*(?:please )?\p{L}+ |\b(?:of|for|in|the) )((?:(?:the )?[\p{L}-]{3,20}(?:, ` +
      String.raw`))*(?:the )?[\p{L}-]{3,20},? and (?:(?:of|for|in|also|the) )?[\p{L}-]{3,20})(?= (?:to|` +
      String.raw`on|in|from|into|for|table|tables|rooms?)\b|[?.!]|$)`,
    'u',
  ).exec(from.text)
  if (found === null || /\b(?:who|what|that)\b/.test(found[1] as string)) return []
  const [, list = ''] = found
  const at = found.index + found[0].length - list.length
  return list
    .split(/,? and |, /)
    .map(
      (item) =>
        from.text.slice(0, at) +
        item.replace(/^(?:of|for|in|also|the) /, '') +
        from.text.slice(at + list.length),
    )
}
