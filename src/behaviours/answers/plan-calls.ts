/** The calls that a prompt asks for, in their order: which tools, and the words that each is asked in. */

import { copied } from '../../engine/redact.ts'
import { isOffered } from '../json-schema/from-prompt/assign.ts'
import { type Field, isId, mentionedIn } from '../json-schema/from-prompt/fields.ts'
import type { Results } from '../prompt/facts.ts'
import { matchesIn } from '../prompt/matches.ts'
import { cut, type Span, stepsIn } from '../prompt/phrases.ts'
import type { Reading, Thing } from '../prompt/reading.ts'
import { conceptsOf } from '../prompt/words.ts'
import type { Conversation } from './conversation.ts'
import {
  backward,
  minScore,
  type Part,
  partOf,
  rarityOf,
  type Scored,
  scoreTool,
  type ToolProfile,
} from './score-tools.ts'

export interface PlannedCall {
  readonly profile: ToolProfile
  /** The words in which it is asked for. */
  readonly own: Reading
  /** The other parts of the conversation, the nearest first. */
  readonly others: readonly Reading[]
}

/** Calls that can be made together. */
export type PlannedStep = readonly PlannedCall[]

/** What was considered for a prompt, for explanations. */
export type Considered = Pick<Scored, 'score' | 'why'> & { readonly tool: string }

export interface Plan {
  readonly steps: readonly PlannedStep[]
  readonly considered: readonly Considered[]
}

// --- choosing ---

const goesOn = new RegExp(
  String.raw`^(?:(?:and|ok(?:ay)?|so|now|then|but|also)[,\s]+)*(?:(?:what|how) about|same|the same|` +
    String.raw`do|again|repeat|(?:in|for|with|at)\b|also\b)|\bagain\b|\bthe same\b|^(?:and|also)\b`,
  'i',
)
const opinion = new RegExp(
  String.raw`\b(?:do|are|would|did|were|could) you (?:think|like|prefer|enjoy|feel|believe|love|` +
    String.raw`ever|happy|human|real|an? )|\byou (?:think|like better|prefer)\b|\byour (?:opinion|` +
    String.raw`favou?rite|name|thoughts)\b|^(?:who|what|how) are you\b|\bwhat (?:would|will|could) ` +
    String.raw`happen if\b|\bwhat can you\b|\bthe difference between (?!\d)|\b(?:tell|know) (?:me ` +
    String.raw`)?a (?:joke|story|riddle|fun fact)\b`,
  'i',
)
const wanted = /\b(?:please|find|search|show|list|check)\b/i
const beside = /,? (?:and|plus|as well as)(?: also)? |, /g
const negated = new RegExp(
  String.raw`\b(?:do not|don['’]t|no need to|never|not going to|without|shouldn['’]t)\b(?! forget| ` +
    'worry| hesitate)[^.!?;,]{0,60}',
  'gi',
)

interface Chosen {
  readonly profile: ToolProfile
  readonly at: number
  end: number
  readonly later: boolean
  readonly quoted: boolean
}

interface Best {
  readonly part: Part
  readonly scored: Scored | undefined
}

/** The last prompt, what was said around it, and what tools returned. */
interface Said {
  readonly asked: Reading
  readonly around: readonly Reading[]
  readonly results: Results
}

/** Plans the calls for the last prompt. */
export class Planner {
  readonly #profiles: readonly ToolProfile[]
  readonly #conversation: Conversation
  readonly #rarity: (concept: string) => number
  readonly #known: number | undefined
  readonly #considered = new Map<string, Scored>()
  readonly #found = new Map<number, Best>()
  readonly #asked: Reading
  readonly #around: readonly Reading[]
  readonly #planned = new Set<ToolProfile>()

  constructor(
    profiles: readonly ToolProfile[],
    conversation: Conversation,
    { asked, around, results }: Said,
  ) {
    this.#profiles = profiles
    this.#conversation = conversation
    this.#rarity = rarityOf(profiles)
    this.#known = results.lastNumber
    const gaps = matchesIn(asked.plain, negated).map(
      ({ index, 0: all }) => [index, index + all.length] as const,
    )
    this.#asked = asked.without(gaps)
    this.#around = around
  }

  plan(): Plan {
    const steps = this.#steps(this.#choose())
    const considered = [...this.#considered.values()].sort((a, b) => b.score - a.score)
    return {
      steps,
      considered: considered.map(({ profile, score, why }) => ({
        tool: profile.tool.name,
        score: Math.round(score * 10) / 10,
        why,
      })),
    }
  }

  #best({ at, end }: Pick<Span, 'at' | 'end'>, known = this.#known): Best {
    const key = at * 100_000 + end
    const before = this.#found.get(key)
    if (before !== undefined) return before
    const best = this.#bestOf(partOf(this.#asked.part(at, end), known))
    this.#found.set(key, best)
    return best
  }

  #bestOf(part: Part): Best {
    let best: Scored | undefined
    for (const profile of this.#profiles) {
      const scored = scoreTool(profile, part, this.#rarity)
      const before = this.#considered.get(profile.tool.name)
      if (before === undefined || scored.score > before.score) this.#considered.set(profile.tool.name, scored)
      const isFit = scored.score >= minScore && scored.isNamed
      if (isFit && (best === undefined || scored.score > best.score + 1e-9)) best = scored
    }
    return { part, scored: best }
  }

  #choose(): readonly Chosen[] {
    const { plain, text } = this.#asked
    if ((opinion.test(text) && !wanted.test(text)) || !/[\p{L}\p{N}]/u.test(text)) return []
    const chosen: Chosen[] = []
    let lead: number | undefined
    const steps = stepsIn(plain)
    for (const [index, step] of steps.entries())
      for (const [part, span] of this.#apart(step).entries()) {
        const { scored } = this.#best(span, index > 0 ? (this.#known ?? 1) : this.#known)
        const last = chosen.at(-1)
        const profile = scored?.profile ?? this.#goingOn(span, last, steps.length)
        if (profile === undefined || (last?.profile === profile && !this.#isAnother(span, last))) {
          if (last === undefined) lead ??= span.at
          else last.end = Math.max(last.end, span.end)
        } else if (chosen.length < maxCalls) {
          const quoted = scored?.quoted === true
          chosen.push({
            profile,
            at: lead ?? span.at,
            end: span.end,
            later: step.later && part === 0,
            quoted,
          })
          lead = undefined
        }
      }
    const named = chosen.filter(({ quoted }) => quoted)
    if (named.length > 0 && named.length < chosen.length) return named
    const [only] = chosen
    return chosen.length === 1 && only !== undefined
      ? [{ ...only, at: 0, end: plain.length, later: false }]
      : chosen
  }

  /** The tool of a part that only goes on: "and in London?", "again with 5". */
  #goingOn(span: Span, last: Chosen | undefined, steps: number): ToolProfile | undefined {
    const { text } = this.#best(span).part.from
    if (!goesOn.test(text.trim()) || text.length > 200) return undefined
    if (last !== undefined) return this.#isAnother(span, last) ? last.profile : undefined
    const { lastTool } = this.#conversation
    return steps > 1 ? undefined : this.#profiles.find(({ tool }) => tool.name === lastTool)
  }

  /** Whether a part has a value that the one before has not. */
  #isAnother(span: Span, { at, end }: Chosen): boolean {
    const { from } = this.#best(span).part
    const before = this.#asked.text.slice(at, end)
    return (
      from.things.some(
        ({ kind, text }) => kind !== 'moment' && kind !== 'length' && !before.includes(text),
      ) || /\b(?:also|another|and again)\b/i.test(from.text)
    )
  }

  /** "The weather in Paris and the time in Tokyo": two tools in one clause without a second verb. */
  #apart(step: Span): readonly Span[] {
    const { at, end } = step
    const text = this.#asked.plain.slice(at, end)
    const parts: Span[] = []
    let from = at
    const marks = this.#profiles.length < 2 ? [] : matchesIn(text, beside)
    for (const { index, 0: mark } of marks.slice(0, 12)) {
      const right = { at: at + index + mark.length, end }
      const { scored: one } = this.#best({ at: from, end: at + index })
      const { scored: other, part } = this.#best(right)
      if (one === undefined || other === undefined || one.profile === other.profile) continue
      const { things } = one.profile
      const isOwn = [...part.from.concepts].some((one) => other.profile.things.has(one) && !things.has(one))
      if (!isOwn && !other.quoted) continue
      parts.push({ ...step, at: from, end: at + index })
      from = right.at
    }
    return [...parts, { ...step, at: from }]
  }

  // --- from what is chosen to calls ---

  #steps(chosen: readonly Chosen[]): readonly PlannedStep[] {
    const steps: PlannedCall[][] = []
    const inOrder = chosen.toSorted((a, b) => Number(a.profile.ending >= 2) - Number(b.profile.ending >= 2))
    const parts = inOrder.map(({ at, end }) => this.#asked.part(at, end))
    for (const [index, { profile, later }] of inOrder.entries()) {
      const own = parts[index] as Reading
      const others = [...parts.slice(0, index).reverse(), ...parts.slice(index + 1), ...this.#around]
      const calls = eachOnItsOwn(profile, own).map((one) => ({ profile, own: one, others }))
      const suppliers = this.#suppliers(calls[0] as PlannedCall, 0)
      for (const call of suppliers) {
        // Two lookups may need the same third.
        if (this.#planned.has(call.profile)) continue
        this.#planned.add(call.profile)
        steps.push([call])
      }
      const last = steps.at(-1)
      const waits = later || suppliers.length > 0 || (index > 0 && needsOthers(profile, own))
      if (last === undefined || waits) steps.push([...calls])
      else last.push(...calls)
      this.#planned.add(profile)
    }
    return steps
  }

  /** The calls that must come first, because they find what a call must be given and no text has. */
  #suppliers(call: PlannedCall, depth: number): readonly PlannedCall[] {
    const { profile, own, others } = call
    const isOpen = (field: Field, owner: ToolProfile): boolean =>
      (needsLookup(field) || isPlace(field, owner)) &&
      ![own, ...others].some((from) => isOffered(field, owner.fields, from))
    const open = depth > 2 ? [] : profile.fields.filter((field) => isOpen(field, profile))
    const rank = (one: ToolProfile, wanted: Field): number =>
      one === profile || !one.looks
        ? 0
        : suppliesScore(one, profile, wanted) - (one.fields.some((field) => isOpen(field, one)) ? 2 : 0)
    const finderOf = (wanted: Field): ToolProfile | undefined =>
      this.#profiles
        .map((one) => ({ one, score: rank(one, wanted) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)[0]?.one
    const { earlier = [] } = this.#conversation
    return [...new Set(open.map(finderOf))].flatMap((found) => {
      const isKnown = backward.test(own.text) && earlier.some(({ name }) => name === found?.tool.name)
      if (found === undefined || this.#planned.has(found) || isKnown) return []
      const first = { profile: found, own, others }
      return [...this.#suppliers(first, depth + 1), first]
    })
  }
}

/** What was said around the last prompt, the nearest first. */
export function aroundOf(
  { previousAnswer = '', previousUser = '', instructions }: Conversation,
  read: (text: string) => Reading,
): readonly Reading[] {
  // A slice that is kept would keep all of the instructions.
  const last = instructions.length > 4000 ? copied(instructions.slice(-4000)) : instructions
  return [previousAnswer, previousUser, last].filter(Boolean).map(read)
}

/** Whether a call in its own words lacks what it must be given, or speaks of what came before. */
const needsOthers = ({ fields }: ToolProfile, own: Reading): boolean =>
  /\b(?:it|its|them|their|her|his|that|this|those|these|result|there|the (?:\w+ )?one)\b/i.test(own.text) ||
  fields.some((field) => field.required && isId(field) && !isOffered(field, fields, own))

/** A file to look at, or what is named by a URL, may have to be found first. */
const isPlace = ({ is, required, isText }: Field, { looks }: ToolProfile): boolean =>
  required && isText && (is === 'url' || (is === 'path' && looks))

const needsLookup = (field: Field): boolean =>
  field.required &&
  field.shape?.values === undefined &&
  (isId(field) || /^(?:latitude|longitude|email)$/.test(field.kind) || /^(?:email|phone)$/.test(field.is))

/** How likely a tool returns what a field of another must be given. */
function suppliesScore(one: ToolProfile, profile: ToolProfile, field: Field): number {
  // What asks for the same id cannot find it.
  if (one.fields.some(({ required, is, name }) => required && is === 'id' && name === field.name)) return 0
  // A list of all there is may hold it.
  const listsAll = one.finds && !one.fields.some(({ required }) => required)
  return relatedScore(one, profile, field) || (listsAll ? 0.3 : 0)
}

function relatedScore(one: ToolProfile, profile: ToolProfile, field: Field): number {
  if (field.hint.includes(one.tool.name.toLowerCase())) return 9
  if (field.is === 'email' || field.is === 'phone')
    return one.things.has('#person') ? 4 : one.described.has('#person') ? 2 : 0
  const entity = field.words.filter((word) => !/^(?:id|key|number|uuid|ref|reference|code|no)$/.test(word))
  let score = 0
  for (const word of entity.length > 0 ? conceptsOf(entity.join(' ')) : profile.things)
    score += one.things.has(word) ? 3 : one.described.has(word) ? 1.5 : 0
  if (score === 0) for (const word of profile.things) score += one.things.has(word) ? 1.5 : 0
  // Whatever finds things by words may find this one.
  return one.groups.has('find') ? score + 1 : score
}

// --- one tool for several things: "the weather in Paris and London" is two calls ---

/** The maximum of calls of one answer. */
const maxCalls = 8

type Item = Pick<Thing, 'at' | 'end' | 'text'> & { readonly kind: string }

/** "The weather in Paris and London" asks a tool that takes one place twice: the text for each. */
function eachOnItsOwn(profile: ToolProfile, from: Reading): readonly Reading[] {
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

const joint = new RegExp(
  String.raw`(?:,? ?\b(?:and|or|vs\.?|versus|plus|as well as|than)\b| ?&|,)(?: (?:also|then))?(?: ` +
    '(?:in|for|of|at|from|on|to|about|with))?(?: (?:the|my|a|an))? ',
  'giu',
)

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
  for (const { index, 0: mark } of matchesIn(from.text, joint)) {
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

const prose = new RegExp(
  '^(?:query|q|text|prompt|question|input|content|message|body|expression|sql|code|topic|' +
    'description|title|summary|subject|name|command|reason|note)$',
  'i',
)

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
