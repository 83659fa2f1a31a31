/** The calls that a prompt asks for, in their order: which tools, and the words that each is asked in. */

import { isOffered } from '../json-schema/from-prompt/assign.ts'
import { type Field, isId } from '../json-schema/from-prompt/fields.ts'
import type { Schemas } from '../json-schema/schemas.ts'
import { readPromptFacts } from '../prompt/facts.ts'
import { quotedIn, Reading } from '../prompt/reading.ts'
import { stepsOf } from '../prompt/steps.ts'
import { conceptsOf } from '../prompt/words.ts'
import type { Conversation, Tool } from './conversation.ts'
import { eachOnItsOwn } from './each-listed.ts'
import { endsAs } from './ending-tools.ts'
import {
  minScore,
  type Part,
  partOf,
  profileOf,
  rarityOf,
  type Scored,
  scoreTool,
  type ToolProfile,
} from './score-tools.ts'

export interface PlannedCall {
  readonly profile: ToolProfile
  /** The words in which it is asked for. */
  readonly text: string
  /** The other parts of the prompt, the nearest first. */
  readonly others: readonly string[]
}

/** Calls that can be made together. */
export type PlannedStep = readonly PlannedCall[]

/** What was considered for a prompt, for explanations. */
export interface Considered {
  readonly tool: string
  readonly score: number
  readonly why: string
}

export interface Plan {
  readonly steps: readonly PlannedStep[]
  readonly considered: readonly Considered[]
}

const maxCalls = 8

// --- choosing ---

const goesOn = new RegExp(
  String.raw`^(?:(?:and|ok(?:ay)?|so|now|then|but|also)[,\s]+)*(?:(?:what|how) about|same|the same|do|` +
    String.raw`again|repeat|(?:in|for|with|at)\b|also\b)|\bagain\b|\bthe same\b|^(?:and|also)\b`,
  'i',
)
const opinion = new RegExp(
  String.raw`\b(?:do|are|would|did|were|could) you (?:think|like|prefer|enjoy|feel|believe|love|ever|` +
    String.raw`happy|human|real|an? )|\byou (?:think|like better|prefer)\b|\byour (?:opinion|favou?rite|` +
    String.raw`name|thoughts)\b|^(?:who|what|how) are you\b|\bwhat can you\b|\b(?:tell|know) (?:me )?a ` +
    String.raw`(?:joke|story|riddle|fun fact)\b|\bdo you like\b|\byou like\b`,
  'i',
)
const negated = new RegExp(
  String.raw`\b(?:do not|don['’]t|no need to|never|not going to|without|shouldn['’]t|no longer need ` +
    String.raw`to)\b(?! forget| worry| hesitate)[^.!?;,]{0,60}`,
  'gi',
)

interface Chooser {
  readonly profiles: readonly ToolProfile[]
  readonly rarity: (concept: string) => number
  readonly now: number
  readonly known: number | undefined
  readonly considered: Map<string, Scored>
  /** What was found for each part already. */
  readonly found: Map<string, { readonly scored: Scored | undefined }>
}

function best(chooser: Chooser, part: Part): Scored | undefined {
  const known = chooser.found.get(part.from.text)
  if (known !== undefined) return known.scored
  let found: Scored | undefined
  for (const profile of chooser.profiles) {
    const scored = scoreTool(profile, part, chooser.rarity)
    const before = chooser.considered.get(profile.tool.name)
    if (before === undefined || scored.score > before.score) chooser.considered.set(profile.tool.name, scored)
    if (
      scored.score >= minScore &&
      scored.isNamed &&
      (found === undefined || scored.score > found.score + 1e-9)
    )
      found = scored
  }
  chooser.found.set(part.from.text, { scored: found })
  return found
}

/** The plan for the last prompt. */
export function planCalls(
  tools: readonly Tool[],
  conversation: Conversation,
  schemas: Schemas,
  now: number,
): Plan {
  const working = tools.filter((tool) => endsAs(tool) < 3)
  const profiles = (working.length > 0 ? working : tools).map((tool) => profileOf(tool, schemas))
  const known = readPromptFacts('', {
    results: conversation.calls.flatMap(({ name, result }) =>
      result === undefined ? [] : [{ name: name ?? '', result }],
    ),
  }).lastNumber
  const chooser: Chooser = {
    profiles,
    rarity: rarityOf(profiles),
    now,
    known,
    considered: new Map(),
    found: new Map(),
  }
  const chosen = chooseAll(chooser, conversation)
  const considered = [...chooser.considered.values()]
    .sort((a, b) => b.score - a.score)
    .map(({ profile, score, why }) => ({
      tool: profile.tool.name,
      score: Math.round(score * 10) / 10,
      why: why.join(', '),
    }))
  return { steps: stepsFrom(chosen, chooser, conversation), considered }
}

/** What was said around the last prompt, the nearest first. */
export const aroundOf = ({
  previousAnswer = '',
  previousUser = '',
  instructions,
}: Conversation): readonly string[] =>
  [previousAnswer, previousUser, instructions.slice(-4000)].filter((text) => text !== '')

interface Chosen {
  readonly profile: ToolProfile
  text: string
  readonly later: boolean
  readonly quoted: boolean
}

function chooseAll(chooser: Chooser, { lastUser, previousUser, lastTool }: Conversation): readonly Chosen[] {
  const asked = lastUser.slice(-12_000)
  const wishes = asked.replace(negated, ' ')
  if (opinion.test(asked) && !/\b(?:please|find|search|show|list|check)\b/i.test(asked)) return []
  if (!/[\p{L}\p{N}]/u.test(wishes)) return []
  const chosen: Chosen[] = []
  let lead = ''
  const before = chooser.profiles.find(({ tool }) => tool.name === lastTool)
  const steps = stepsOf(wishes === asked ? asked : wishes)
  for (const [index, step] of steps.entries()) {
    for (const [at, text] of apart(step.text, chooser).entries()) {
      const scored = best(
        chooser,
        partOf(text, chooser.now, index > 0 ? (chooser.known ?? 1) : chooser.known),
      )
      const last = chosen.at(-1)
      if (scored === undefined) {
        if (goesOn.test(text) && text.length < 200 && last === undefined && steps.length === 1) {
          const tool =
            before ??
            (previousUser === undefined
              ? undefined
              : best(chooser, partOf(previousUser, chooser.now))?.profile)
          if (tool !== undefined) {
            chosen.push({ profile: tool, text, later: false, quoted: false })
            continue
          }
        }
        if (last !== undefined && goesOn.test(text) && hasValue(text, last.text) && text.length < 100) {
          chosen.push({ profile: last.profile, text, later: false, quoted: false })
          continue
        }
        if (last === undefined) lead += `${text}\n`
        else last.text += ` ${text}`
        continue
      }
      const { profile, quoted } = scored
      if (last?.profile === profile && !hasValue(text, last.text)) last.text += ` ${text}`
      else if (chosen.length < maxCalls)
        chosen.push({ profile, text: lead + text, later: step.later && at === 0, quoted })
      lead = ''
    }
  }
  const named = chosen.filter(({ quoted }) => quoted)
  if (chosen.length === 0 && steps.length > 1) {
    const whole = best(chooser, partOf(asked, chooser.now, chooser.known))
    if (whole !== undefined)
      return [{ profile: whole.profile, text: asked, later: false, quoted: whole.quoted }]
  }
  if (named.length > 0 && named.length < chosen.length) return named
  const [only] = chosen
  return chosen.length === 1 && only !== undefined ? [{ ...only, text: asked }] : chosen
}

const hasValue = (text: string, before: string): boolean => {
  const own = new Reading(text, 0).things.filter(({ kind }) => kind !== 'moment' && kind !== 'length')
  return (
    own.some(({ text: thing }) => !before.includes(thing)) || /\b(?:also|another|and again)\b/i.test(text)
  )
}

/** "The weather in Paris and the time in Tokyo": two tools in one clause without a second verb. */
function apart(text: string, chooser: Chooser): readonly string[] {
  const cuts = [...text.matchAll(/,? (?:and|plus|as well as)(?: also)? |, /g)].slice(0, 12)
  if (cuts.length === 0) return [text]
  const quoted = quotedIn(text)
  const parts: string[] = []
  let from = 0
  for (const { index, 0: mark } of cuts) {
    if (quoted.some(({ at, end }) => at < index && index < end)) continue
    const left = best(chooser, partOf(text.slice(from, index), chooser.now))
    const right = best(chooser, partOf(text.slice(index + mark.length), chooser.now))
    if (left === undefined || right === undefined || left.profile === right.profile) continue
    const things = right.profile.things
    const isOwn = [...partOf(text.slice(index + mark.length), chooser.now).concepts].some(
      (concept) => things.has(concept) && !left.profile.things.has(concept),
    )
    if (!isOwn && right.score < 100) continue
    parts.push(text.slice(from, index))
    from = index + mark.length
  }
  return [...parts, text.slice(from)]
}

// --- from what is chosen to calls ---

function stepsFrom(
  chosen: readonly Chosen[],
  chooser: Chooser,
  conversation: Conversation,
): readonly PlannedStep[] {
  const steps: PlannedCall[][] = []
  const texts = chosen.map(({ text }) => text)
  const around = aroundOf(conversation)
  const planned = new Set<ToolProfile>()
  const ordered = [
    ...chosen.filter(({ profile }) => endsAs(profile.tool) < 2),
    ...chosen.filter(({ profile }) => endsAs(profile.tool) >= 2),
  ]
  for (const [index, { profile, text, later }] of ordered.entries()) {
    const others = [...texts.slice(0, index).reverse(), ...texts.slice(index + 1), ...around]
    const calls = eachOnItsOwn(profile, text, chooser.now).map((own) => ({ profile, text: own, others }))
    const [first] = calls
    const suppliers = first === undefined ? [] : suppliersOf(first, chooser, planned, 0)
    for (const call of suppliers) {
      planned.add(call.profile)
      steps.push([call])
    }
    const waits = later || suppliers.length > 0 || (index > 0 && needsOthers(profile, text, chooser.now))
    const last = steps.at(-1)
    if (last === undefined || waits) steps.push([...calls])
    else last.push(...calls)
    planned.add(profile)
  }
  return steps
}

/** Whether a call in its own words lacks what it must be given, or speaks of what came before. */
const needsOthers = (profile: ToolProfile, text: string, now: number): boolean =>
  /\b(?:it|its|them|their|her|his|that|this|those|these|result|there|the one)\b/i.test(text) ||
  profile.fields.some((field) => field.required && isId(field) && !offers(field, [text], profile, now))

/** Whether one of some texts has an id, an address or a place for a field. */
const offers = (field: Field, texts: readonly string[], { fields }: ToolProfile, now: number): boolean =>
  texts.some((text) => {
    const facts = readPromptFacts(text, { now, sparing: true })
    return isOffered(field, fields, facts.own, facts)
  })

const needsLookup = (field: Field): boolean =>
  field.required &&
  field.shape?.values === undefined &&
  (isId(field) ||
    field.kind === 'latitude' ||
    field.kind === 'longitude' ||
    (field.shape?.string?.formats[0] ?? '').includes('email') ||
    field.kind === 'email')

/** The calls that must come first, because they find what a call must be given and no text has. */
function suppliersOf(
  call: PlannedCall,
  chooser: Chooser,
  planned: ReadonlySet<ToolProfile>,
  depth: number,
): readonly PlannedCall[] {
  const { profile, text, others } = call
  const open = profile.fields.find(
    (field) => needsLookup(field) && !offers(field, [text, ...others], profile, chooser.now),
  )
  if (open === undefined || depth > 2) return suppliesWhere(call, chooser, planned)
  const entity = open.words.filter((word) => !/^(?:id|key|number|uuid|ref|reference|code|no)$/.test(word))

  let found: { supplier: ToolProfile; score: number } | undefined
  for (const supplier of chooser.profiles) {
    if (
      supplier === profile ||
      !supplier.looks ||
      supplier.fields.some((field) => field.required && isId(field) && field.name === open.name)
    )
      continue
    const own = entity.length > 0 ? conceptsOf(entity.join(' ')) : profile.things
    let score = 0
    for (const word of own) score += supplier.things.has(word) ? 3 : supplier.described.has(word) ? 1.5 : 0
    if (score === 0) for (const word of profile.things) score += supplier.things.has(word) ? 1.5 : 0
    if (score > 0 && supplier.groups.has('find')) score += 1
    if (
      supplier.fields.some(
        (field) => needsLookup(field) && !offers(field, [text, ...others], supplier, chooser.now),
      )
    )
      score -= 2
    if (score > 0 && (found === undefined || score > found.score)) found = { supplier, score }
  }
  if (found === undefined) return []
  if (planned.has(found.supplier)) return []
  const first: PlannedCall = { profile: found.supplier, text, others }
  return [...suppliersOf(first, chooser, planned, depth + 1), first]
}

/** "The weather at my current location" asks for the location first. */
function suppliesWhere(
  { profile, text, others }: PlannedCall,
  chooser: Chooser,
  planned: ReadonlySet<ToolProfile>,
): readonly PlannedCall[] {
  const mine = new RegExp(
    String.raw`\b(?:my|our|current) (?:current )?(location|city|position|place|address)\b|\b(where i ` +
      String.raw`am|here|near me)\b`,
    'i',
  ).exec(text)
  if (mine === null || !profile.fields.some(({ required }) => required)) return []
  const supplier = chooser.profiles.find(
    (one) =>
      one !== profile &&
      !one.fields.some(({ required }) => required) &&
      [...one.things].some((thing) => /^(?:locat|#place|posit|city|citi)/.test(thing)),
  )
  return supplier === undefined || planned.has(supplier) ? [] : [{ profile: supplier, text, others }]
}
