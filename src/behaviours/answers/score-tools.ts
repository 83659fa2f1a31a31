/** How well a part of a prompt fits a tool: what is done, to what, and with what values. */

import { mentionedIn, operatorAmong } from '../json-schema/from-prompt/choices.ts'
import { type Field, fieldOf } from '../json-schema/from-prompt/fields.ts'
import type { Schemas } from '../json-schema/schemas.ts'
import { calculationsIn } from '../prompt/arithmetic.ts'
import { leadOf, Reading, type ThingKind } from '../prompt/reading.ts'
import { conceptsOf, stemOf, type VerbGroup, verbGroups } from '../prompt/words.ts'
import type { Tool } from './conversation.ts'

/** What the name, the description and the parameters of a tool say, read once. */
export interface ToolProfile {
  readonly tool: Tool
  readonly fields: readonly Field[]
  /** Stems of the verbs in its name, then of the first word of its description. */
  readonly verbs: readonly string[]
  readonly groups: ReadonlySet<string>
  readonly looks: boolean
  readonly changes: boolean
  readonly risky: boolean
  /** Concepts of the name beside the verb, and of everything else. */
  readonly things: ReadonlySet<string>
  readonly described: ReadonlySet<string>
  /** The sign of what it does with numbers; undefined for a tool that does something else. */
  readonly operation: string | undefined
  /** Whether it evaluates expressions. */
  readonly calculates: boolean
  /** Whether the name is no ordinary word, as get_weather. */
  readonly isOwnWord: boolean
}

const lookGroups = new RegExp(
  '^(?:look|find|list|read|count|track|calc|convert|compare|explain|plot|translate|export|' +
    'pick|weigh|test|download)$',
)
// Words that name a thing in one name and an action in another: order_status, email_customer.
const nouns = new RegExp(
  '^(?:order|e?mail|message|text|note|record|exchange|total|sum|post|track|play|log|book|' +
    'file|check|mark|draft|share|like|test|build|report|use|return|move|set|open|start|end|' +
    'next|call|charge|weather|track|plot|store|star|question|answer)$',
)

export function profileOf(tool: Tool, schemas: Schemas): ToolProfile {
  const parts = tool.name
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\d])(?=\p{Lu})/u)
    .filter(Boolean)
    .map((part) => part.toLowerCase())
  const shape =
    tool.parameters === undefined || tool.kind === 'custom'
      ? undefined
      : schemas.node(tool.parameters, tool.path).shapes.find(({ object }) => object !== undefined)
  const fields = (shape?.object?.properties ?? []).slice(0, 60).map(fieldOf)
  const isTransfer =
    parts[1] === 'to' && /^(?:transfer|hand|handoff|delegate|route|escalate)$/.test(parts[0] as string)
  const own = isTransfer
    ? undefined
    : [parts[0], ...parts.slice(1).filter((part) => !nouns.test(part))].find(
        (part) =>
          part !== undefined &&
          verbGroups(part).length > 0 &&
          !(
            parts.length > 1 &&
            part === parts[0] &&
            nouns.test(part) &&
            verbGroups(parts[1] as string).length > 0 &&
            !nouns.test(parts[1] as string)
          ),
      )
  const first = (/\p{L}+/u.exec(tool.description)?.[0] ?? '').toLowerCase()
  const also = /^\w+,? (?:or|and) (\w+)/.exec(tool.description)?.[1]?.toLowerCase() ?? ''
  const verbs = [
    own ?? '',
    ...(verbGroups(first).length > 0 && (own === undefined || !/^(?:get|set)$/.test(first))
      ? [first, also]
      : []),
  ].filter((word) => verbGroups(word).length > 0)
  const groups = verbs.flatMap((word) => verbGroups(word))
  const things = conceptsOf(parts.filter((part) => part !== own).join(' '))
  const more = fields
    .slice(0, 20)
    .map(({ name, hint }) => `${name} ${hint.slice(0, 80)}`)
    .join(' ')
  const byName = own === undefined ? groups : verbGroups(own)
  const looks = byName.length === 0 || byName.some(({ name }) => lookGroups.test(name))
  return {
    tool,
    fields,
    verbs: [...new Set(verbs.map(stemOf))],
    groups: new Set(groups.length === 0 ? ['look', 'find', 'list'] : groups.map(({ name }) => name)),
    looks,
    changes: byName.length > 0 && byName.every(({ changes }) => changes),
    risky: groups.some(({ risky }) => risky) && !looks,
    things,
    described: conceptsOf(`${tool.description.slice(0, 600)} ${more}`),
    operation: operationOf(tool, fields),
    calculates:
      /\b(?:arithmetic|math\w*|expression|calculat\w*|equation)\b/i.test(
        `${tool.name} ${tool.description}`,
      ) || fields.some(({ is }) => is === 'sum'),
    isOwnWord: /[_-]|\p{Ll}\p{Lu}/u.test(tool.name),
  }
}

/** How often tools share a concept: what all have tells none from another. */
export function rarityOf(tools: readonly ToolProfile[]): (concept: string) => number {
  const counts = new Map<string, number>()
  for (const { things, described } of tools)
    for (const concept of new Set([...things, ...described]))
      counts.set(concept, (counts.get(concept) ?? 0) + 1)
  return (concept) => {
    const share = (counts.get(concept) ?? 1) / tools.length
    return tools.length < 2 || share <= 0.34 ? 1 : share < 1 ? 0.85 : 0.6
  }
}

/** A part of a prompt, read once for all tools. */
export interface Part {
  readonly from: Reading
  readonly concepts: ReadonlySet<string>
  readonly verb: string
  readonly groups: readonly VerbGroup[]
  /** All verbs of the part, by their stems. */
  readonly verbs: ReadonlySet<string>
  readonly mode: 'do' | 'ask' | 'noun' | 'say'
  readonly refersBack: boolean
  /** The signs of the calculations in it. */
  readonly operators: readonly string[]
  /** The concepts of what the verb is about. */
  readonly object: ReadonlySet<string>
  readonly hasFile: boolean
  readonly isPlural: boolean
}

const phrasal: readonly (readonly [RegExp, string])[] = [
  [/\blook(?:ing|ed)? up\b/gi, 'lookup'],
  [/\blook(?:ing)? for\b/gi, 'search for'],
  [/\bget(?:ting)? rid of\b/gi, 'delete'],
  [/\btake (.{1,40}?) (?:out of|off)\b/gi, 'remove $1 from'],
  [/\bput (.{1,60}?) (?=(?:in|on|into|to|onto|at)\b)/gi, 'add $1 '],
  [/\bhand (.{1,40}?) (?:over|to)\b/gi, 'assign $1 to'],
  [/\blet (\S{1,40}(?: \S{1,20})?) know\b/gi, 'tell $1'],
  [/\bbring(?:ing)? back\b/gi, 'return'],
  [/\bput (?:a |on )?hold (?:on)?\b/gi, 'reserve'],
  [/\bwork out\b/gi, 'calculate'],
  [/\bsign (?:me )?(?:\S+ ){0,2}up\b/gi, 'register'],
  [/\bhow many\b/gi, 'count'],
  [/\bcall off\b/gi, 'cancel'],
  [/\b(?:write|note|jot) down\b/gi, 'note'],
  [/\bpull (?:up )(?=\p{L})/giu, 'show '],
]
function plainVerbs(text: string): string {
  let plain = text
  for (const [pattern, verb] of phrasal) plain = plain.replace(pattern, verb)
  return plain
}

const backward =
  /\b(?:it|them|that|this|those|these|there|him|her|his|its|their|ones?|same|again|result|each)\b/i

export function partOf(text: string, now: number, known?: number): Part {
  const from = new Reading(text, now)
  const plain = plainVerbs(from.plain)
  const lead = plain === from.plain ? from.lead : leadOf(plain)
  const verb = lead.verb.split(' ')[0] ?? ''
  const isCount = /^\W*(?:and |then |also )*count\b/i.test(plain)
  return {
    from,
    concepts: conceptsOf(plain),
    verb: isCount ? 'count' : verb,
    groups: verbGroups(isCount ? 'count' : verb),
    verbs: new Set(
      (plain.toLowerCase().match(/[\p{L}]+/gu) ?? [])
        .filter((word) => verbGroups(word).length > 0)
        .slice(0, 60)
        .map(stemOf),
    ),
    mode: lead.mode,
    refersBack: backward.test(text),
    operators: calculationsIn(text, known ?? 1).map(({ operator }) => operator),
    object: conceptsOf(lead.object),
    hasFile: from.of('path').some(({ text: path }) => /\.\w{1,5}$/.test(path)),
    isPlural: /(?:^|\s)(?:all\b|\p{L}{3,}s\s*$)/iu.test(lead.object),
  }
}

export interface Scored {
  readonly profile: ToolProfile
  readonly score: number
  /** Why it got its score, for explanations. */
  readonly why: readonly string[]
  /** Whether something of the part is about the tool's thing, or only its verb fits. */
  readonly isNamed: boolean
  readonly quoted: boolean
}

export const minScore = 2.5

/** The sign of what a tool does with numbers; undefined for one that does something else. */
const operations: readonly (readonly [RegExp, string])[] = [
  [/\b(?:add|adds|addition|sums?|plus)\b/, '+'],
  [/\b(?:subtracts?|subtraction|minus|difference)\b/, '-'],
  [/\b(?:multiply|multiplies|multiplication|product|times)\b/, '*'],
  [/\b(?:divides?|division|quotient)\b/, '/'],
  [/\b(?:modulo|mod|remainder)\b/, '%'],
  [/\b(?:power|exponent|exponentiation)\b/, '**'],
  [/\b(?:sqrt|square root)\b/, 'sqrt'],
  [/\b(?:mean|average)\b/, 'average'],
]
function operationOf(tool: Tool, fields: readonly Field[]): string | undefined {
  const takes = fields.filter(({ shape }) => shape?.values === undefined)
  const isNumeric = ({ isNumber, shape }: Field): boolean =>
    isNumber || shape?.array?.rest.shapes[0]?.number !== undefined
  if (takes.length === 0 || takes.length < fields.length || !takes.every(isNumeric)) return undefined
  const said = `${tool.name.replace(/[_-]|(?<=\p{Ll})(?=\p{Lu})/gu, ' ')} ${tool.description}`
    .slice(0, 150)
    .toLowerCase()
  return operations.find(([pattern]) => pattern.test(said))?.[1]
}

const vague =
  /^(?:write|make|create|tell|give|draft|explain|describe|compose|generate|say|add|show|get|put|do|set)$/

export function scoreTool(profile: ToolProfile, part: Part, rarity: (concept: string) => number): Scored {
  const { tool, verbs, things, described, fields, groups, looks } = profile
  const why: string[] = []
  let score = 0
  const add = (points: number, reason: string): number => {
    score += points
    if (points !== 0) why.push(`${points > 0 ? '+' : ''}${Number(points.toFixed(1))} ${reason}`)
    return points
  }
  const result = (isNamed: boolean, quoted = false): Scored => ({ profile, score, why, isNamed, quoted })
  if (profile.isOwnWord && part.from.text.includes(tool.name)) {
    add(100, 'its name is in the prompt')
    return result(true, true)
  }
  const { operation, calculates } = profile
  if (operation !== undefined) {
    add(part.operators.includes(operation) ? 7 : -8, `it calculates with ${operation}`)
    return result(score > 0)
  }
  const operator = fields.some(
    ({ shape }) =>
      shape?.values !== undefined &&
      part.operators.some((sign) => operatorAmong(shape.values ?? [], sign) !== undefined),
  )
  if (part.operators.length > 0 && operator) add(7, 'it has the operator')
  else if (part.operators.length > 0 && calculates) add(6, 'it calculates')
  let [named, told, values] = [0, 0, 0]
  for (const concept of part.concepts) {
    const weight = rarity(concept) * (part.object.has(concept) ? 1.15 : 1)
    if (things.has(concept)) named += (concept.startsWith('#') ? 2 : 3) * weight
    else if (described.has(concept) && !verbs.includes(concept))
      told += (concept.startsWith('#') ? 1 : 1.3) * weight
  }
  add(Math.min(named, 7), 'words of its name')
  add(Math.min(told, 4), 'words of its description')
  for (const { shape } of fields)
    if (shape?.values !== undefined && mentionedIn(shape.values, part.from).length > 0) values += 1.5
  add(Math.min(values, 3), 'values that it lists')
  const evidence = add(evidenceOf(profile, part), 'values that it takes')
  const fit = add(...verbFit(profile, part))
  const says = fit >= 2
  if (groups.has('list') && !groups.has('read') && part.hasFile) add(-1, 'a list, where one file is named')
  if (groups.has('list') && part.isPlural) add(0.5, 'several things are asked for')
  const handed = looks && (part.mode === 'ask' || part.mode === 'noun') && evidence >= 1 && named === 0
  if (handed) add(0.6, 'what it takes is given')
  const isExact = fit >= 3 && !vague.test(part.verb) && part.from.lead.object !== ''
  const isFree =
    says && (evidence > 0 || part.refersBack || isExact || fields.every(({ required }) => !required))
  return result(
    named > 0 ||
      values > 0 ||
      (told > 1 && (says || looks)) ||
      (part.operators.length > 0 && (calculates || operator)) ||
      isFree ||
      handed,
  )
}

/** How well what a tool does fits what is asked to be done. */
function verbFit(
  { verbs, groups, things, changes, risky, looks }: ToolProfile,
  part: Part,
): [number, string] {
  if (part.verb !== '' && verbs.includes(stemOf(part.verb))) return [3, `it does "${part.verb}"`]
  if (part.groups.some(({ name }) => groups.has(name)))
    return [verbs.length === 0 ? 1 : 2, `it does what "${part.verb}" means`]
  const hears = verbs.some((verb) => part.verbs.has(verb))
  if (part.mode === 'do') {
    if (things.has(stemOf(part.verb))) return [1, `"${part.verb}" is in its name`]
    if (changes) return [risky ? -8 : hears ? 0.5 : -3, `"${part.verb}" is not what it does`]
    if (!looks) return [-0.5, `"${part.verb}" is not what it does`]
    return [
      part.groups.every(({ changes: alters }) => alters)
        ? -3
        : part.groups.some(({ name }) => lookGroups.test(name))
          ? 1
          : -0.5,
      'it looks something up',
    ]
  }
  const idle = part.mode === 'say' && !hears ? -2.5 : 0
  if (looks) return [(part.mode === 'say' ? 0 : 1) + idle, 'it looks something up']
  if (hears) return [part.mode === 'ask' ? (risky ? -6 : -1) : 2, 'a word for what it does']
  return [(risky ? -8 : part.mode === 'noun' ? -1 : -4) + idle, 'it changes something']
}

const typed = /^(?:email|url|sql|moment|path|phone|id|from|to|sum|currency|number)$/

/** Whether the part has values of the kinds that the tool must be given. */
function evidenceOf({ fields, groups }: ToolProfile, { from, refersBack, operators }: Part): number {
  let points = 0
  const speaks = from.lead.object !== '' || from.of('name', 'quote').length > 0
  for (const field of fields) {
    if (field.isText && field.required && !typed.test(field.is) && speaks)
      points += field.is === 'query' && groups.has('find') ? 0.6 : 0.4
    if ((!field.isText && !field.isNumber) || !typed.test(field.is)) continue
    const offered =
      field.is === 'sum'
        ? operators.length > 0 || /\d ?[-+*/=^]/.test(from.text)
        : from
            .of(...(field.takes as ThingKind[]))
            .some(({ kind, unit }) => field.is !== 'id' || kind === 'code' || (field.isNumber && unit === ''))
    if (offered) points += field.required ? 1 : 0.5
    else if (field.required && !refersBack && field.is !== 'from' && field.is !== 'to') points -= 0.4
  }
  return Math.max(-1.5, Math.min(points, 2.5))
}
