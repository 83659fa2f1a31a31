/** How well a part of a prompt fits a tool: what is done, to what, and with what values. */
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { Facilities } from '../../protocol/endpoint.ts'
import { type Field, fieldsOf, isId, mentionedIn, operatorAmong } from '../json-schema/from-prompt/fields.ts'
import type { JsonValue, Schemas } from '../json-schema/schemas.ts'
import type { Reading } from '../prompt/reading.ts'
import { conceptsOf, isVerb, promptWords, stemOf, type VerbGroup, verbGroups } from '../prompt/words.ts'
import type { Tool } from './conversation.ts'

/** What the name, the description and the parameters of a tool say, read once. */
export interface ToolProfile {
  readonly tool: Tool
  readonly fields: readonly Field[]
  /** Stems of the verbs in its name, then of the first word of its description. */
  readonly verbs: readonly string[]
  readonly groups: ReadonlySet<string>
  readonly looks: boolean
  /** Whether it says that it finds or shows something. */
  readonly finds: boolean
  readonly changes: boolean
  readonly risky: boolean
  /** Concepts of the whole name and the description. */
  readonly own: ReadonlySet<string>
  /** Concepts of the name beside the verb, and of everything else. */
  readonly things: ReadonlySet<string>
  readonly described: ReadonlySet<string>
  /** The sign of what it does with numbers; undefined for a tool that does something else. */
  readonly operation: string | undefined
  /** The values of each field that lists them. */
  readonly choices: readonly (readonly JsonValue[])[]
  /** The stems of what it can be told to do by a value that it lists: "decline", "turn_on". */
  readonly listed: ReadonlySet<string>
  /** Whether it evaluates expressions. */
  readonly calculates: boolean
  /** Whether the name is no ordinary word, as get_weather. */
  readonly isOwnWord: boolean
  /** How likely it ends a task. */
  readonly ending: number
}

const lookGroups = new RegExp(
  '^(?:look|find|list|read|count|track|calc|convert|compare|explain|plot|translate|' +
    'export|pick|weigh|test|download)$',
)
// Words that name a thing in one name and an action in another: order_status, email_customer.
const nouns = new RegExp(
  '^(?:order|e?mail|message|text|note|record|exchange|total|sum|post|track|play|log|book|file|check|' +
    'mark|draft|' +
    'share|like|test|build|report|use|return|move|set|open|start|end|next|call|charge|weather|plot|' +
    'store|star|' +
    'question|answer)$',
)
/** "What is playing right now", "The customer's recent orders": what a tool returns, not what it does. */
const saysWhat = /^(?:what|which|who|where|current|the|all)\b/i
/** Verbs that say nothing without their noun: create_return, request_refund. */
const light = /^(?:request|create|make|submit|start|issue|process|place|set|perform|do)$/
const calculating = /\b(?:arithmetic|math\w*|expression|calculat\w*|equation)\b/i

/** The verb among the parts of a name; a noun in front of a verb is none. */
function verbIn(parts: readonly string[]): string | undefined {
  const [first = '', second = ''] = parts
  if (second === 'to' && /^(?:transfer|hand|handoff|delegate|route|escalate)$/.test(first)) return undefined
  return [first, ...parts.slice(1).filter((part) => !nouns.test(part))].find(
    (part) =>
      verbGroups(part).length > 0 &&
      !(part === first && nouns.test(first) && verbGroups(second).length > 0 && !nouns.test(second)),
  )
}

/** Characters of the name and description of a tool whose profile is kept, and of all; and how many. */
const maxKept = { each: 4000, all: 100_000, count: 100 }
const noFields: readonly Field[] = []

type Profile = Omit<ToolProfile, 'tool'>
type Profiles = BoundedMap<Profile>

/** The profiles of tools. Those of earlier calls are kept with the fields of their schemas, in `shared`. */
export function profilesOf(tools: readonly Tool[], schemas: Schemas, shared: Facilities): ToolProfile[] {
  const byFields = (shared.profiles ??= new WeakMap()) as WeakMap<readonly Field[], Profiles>
  return tools.map((tool) => {
    const object =
      tool.parameters === undefined || tool.kind === 'custom'
        ? undefined
        : schemas.node(tool.parameters, tool.path).shapes.find((shape) => shape.object !== undefined)?.object
    const fields = object === undefined ? noFields : fieldsOf(object)
    const kept = byFields.get(fields) ?? new BoundedMap({ size: maxKept.all, count: maxKept.count })
    byFields.set(fields, kept)
    const key = `${tool.kind}\n${tool.name}\n${tool.description}`
    const known = kept.use(key)
    if (known !== undefined) return { ...known, tool }
    const profile = newProfile(tool, fields)
    if (key.length <= maxKept.each) kept.set(key, profile, key.length)
    return { ...profile, tool }
  })
}

function newProfile(tool: Tool, fields: readonly Field[]): Profile {
  const parts = tool.name
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\d])(?=\p{Lu})/u)
    .filter(Boolean)
    .map((part) => part.toLowerCase())
  const own = verbIn(parts)
  const first = /\p{L}+/u.exec(tool.description)?.[0].toLowerCase() ?? ''
  const also = /^\w+,? (?:or|and) (\w+)/.exec(tool.description)?.[1]?.toLowerCase() ?? ''
  const isVague = own === undefined || !/^(?:get|set)$/.test(first)
  const acts = light.test(own ?? '') ? parts.filter((part) => part !== own) : []
  const verbs = [own ?? '', ...acts, ...(isVague ? [first, also] : [])].filter(
    (word) => verbGroups(word).length > 0,
  )
  const groups = verbs.flatMap(verbGroups)
  const byName = own === undefined ? groups : verbGroups(own)
  // A statement of SQL mostly asks.
  const asks = fields.some(({ is, required }) => is === 'sql' && required)
  const saysNoVerb = saysWhat.test(tool.description) && !groups.some(({ risky }) => risky)
  const looks = asks || saysNoVerb || byName.length === 0 || byName.some(({ name }) => lookGroups.test(name))
  const more = fields.slice(0, 20).map(({ name, hint }) => `${name} ${hint.slice(0, 80)}`)
  const said = `${tool.name} ${tool.description}`
  return {
    fields,
    // What a description begins with is its verb, known or not: "Stage files".
    verbs: [...new Set([...verbs, ...(isVague && first !== '' ? [first] : [])].map(stemOf))],
    groups: new Set([
      ...(groups.length === 0 || asks ? ['look', 'find', 'list'] : []),
      ...(asks ? ['count'] : []),
      ...groups.map(({ name }) => name),
    ]),
    looks,
    finds: saysNoVerb || groups.some(({ name }) => /^(?:look|find|list|read|track)$/.test(name)),
    changes: byName.length > 0 && byName.every(({ changes }) => changes),
    risky: groups.some(({ risky }) => risky) && !looks,
    own: conceptsOf(said),
    things: conceptsOf(parts.filter((part) => part !== own).join(' ')),
    described: conceptsOf(`${tool.description.slice(0, 600)} ${more.join(' ')}`),
    choices: fields.flatMap(({ shape }) => (shape?.values === undefined ? [] : [shape.values])),
    listed: new Set(
      looks && own !== undefined ? [] : fields.filter(({ required }) => required).flatMap(firstWords),
    ),
    operation: operationOf(tool, fields),
    calculates: calculating.test(said) || fields.some(({ is }) => is === 'sum'),
    isOwnWord: /[_-]|\p{Ll}\p{Lu}/u.test(tool.name),
    ending: fields.some((field) => field.required && isId(field)) ? 0 : endsAs(tool),
  }
}

const firstWords = ({ shape }: Field): readonly string[] =>
  (shape?.values ?? []).map((value) => stemOf(String(value).toLowerCase().split(/[_ -]/)[0] ?? ''))

/** How often tools share a concept: what all have tells none from another. */
export function rarityOf(tools: readonly ToolProfile[]): (concept: string) => number {
  const weights = new Map<string, number>()
  return (concept) => {
    const known = weights.get(concept)
    if (known !== undefined) return known
    let count = 0
    for (const { things, described } of tools) if (things.has(concept) || described.has(concept)) count++
    const share = Math.max(1, count) / tools.length
    const weight = tools.length < 2 || share <= 0.34 ? 1 : share < 1 ? 0.85 : 0.6
    weights.set(concept, weight)
    return weight
  }
}

/** A part of a prompt, read once for all tools. */
export interface Part {
  readonly from: Reading
  readonly verb: string
  /** The stem of the first word. */
  readonly first: string
  readonly groups: readonly VerbGroup[]
  /** All verbs of the part, by their stems. */
  readonly verbs: ReadonlySet<string>
  readonly refersBack: boolean
  /** The signs of the calculations in it. */
  readonly operators: readonly string[]
  /** The concepts of what the verb is about. */
  readonly object: ReadonlySet<string>
  readonly isPlural: boolean
}

export const backward =
  /\b(?:it|them|that|this|those|these|there|him|her|his|its|their|ones?|same|again|result|each)\b/i

export function partOf(from: Reading, known?: number): Part {
  const { lead, plain, text } = from
  const words = plain.toLowerCase().match(/[\p{L}]+/gu) ?? []
  return {
    from,
    verb: lead.verb,
    first: stemOf(lead.first),
    groups: verbGroups(lead.verb),
    verbs: new Set(words.map(stemOf).filter(isVerb).slice(0, 60)),
    refersBack: backward.test(text),
    operators: from.calculations(known ?? 1).map(({ operator }) => operator),
    object: conceptsOf(lead.object),
    isPlural: /(?:^|\s)(?:all\b|\p{L}{3,}s\s*$)/iu.test(lead.object),
  }
}

export type Reason = readonly [points: number, what: string]

export interface Scored {
  readonly profile: ToolProfile
  readonly score: number
  /** Why it got its score, for explanations: points and their reasons. */
  readonly why: readonly Reason[]
  /** Whether something of the part is about the tool's thing, or only its verb fits. */
  readonly isNamed: boolean
  readonly quoted: boolean
}

export const minScore = 2.5

/** The words for what a tool does with numbers, and the sign of it. */
const signs = new Map(
  `add +, addition +, sum +, plus +, subtract -, minus -, difference -, multiply *, product *, divide /,
  quotient /, modulo %, power **, sqrt sqrt`
    .split(/,\s+/)
    .map((pair) => pair.split(' '))
    .map(([word = '', sign = '']) => [stemOf(word), sign]),
)
function operationOf({ name, description }: Tool, fields: readonly Field[]): string | undefined {
  const isNumeric = ({ is, isNumber, shape }: Field): boolean =>
    (isNumber && is !== 'id') || shape?.array?.rest.shapes[0]?.number !== undefined
  if (fields.length === 0 || !fields.every(isNumeric)) return undefined
  const words = promptWords(`${name} ${description.slice(0, 120)}`)
  return words.map((word) => signs.get(stemOf(word))).find((sign) => sign !== undefined)
}

const vague =
  /^(?:write|make|create|tell|give|draft|explain|describe|compose|generate|say|add|show|get|put|do|set)$/

export function scoreTool(profile: ToolProfile, part: Part, rarity: (concept: string) => number): Scored {
  const { tool, verbs, things, described, fields, groups, looks, operation, calculates, choices } = profile
  const { from, operators } = part
  const why: Reason[] = []
  let score = 0
  const add = (points: number, reason: string): number => {
    score += points
    if (points !== 0) why.push([points, reason])
    return points
  }
  const result = (isNamed: boolean, quoted = false): Scored => ({ profile, score, why, isNamed, quoted })
  if (profile.isOwnWord && from.text.includes(tool.name)) {
    add(100, 'tool name in the prompt')
    return result(true, true)
  }
  if (operation !== undefined) {
    add(operators.includes(operation) ? 7 : -8, `calculation with ${operation}`)
    return result(score > 0)
  }
  const operator =
    operators.length > 0 &&
    choices.some((values) => operators.some((sign) => operatorAmong(values, sign) !== undefined))
  if (operator) add(7, 'operator in the enum values')
  else if (operators.length > 0 && calculates) add(6, 'calculation tool')
  let [named, told] = [0, 0]
  for (const concept of from.concepts) {
    const weight = rarity(concept) * (concept.startsWith('#') ? 2 : 3)
    if (things.has(concept)) named += weight * (part.object.has(concept) ? 1.15 : 1)
    else if (described.has(concept) && !verbs.includes(concept)) told += weight / 2.2
  }
  add(Math.min(named, 7), 'words in the tool name')
  add(Math.min(told, 4), 'words in the tool description')
  const mentioned = choices.flatMap((one) => mentionedIn(one, from)[0] ?? [])
  const values = mentioned.reduce<number>((sum, one) => sum + (/[_ -]/.test(String(one)) ? 3.5 : 1.5), 0)
  add(Math.min(values, 4), 'enum values')
  const evidence = add(evidenceOf(profile, part), 'parameter values')
  const fit = add(...verbFit(profile, part))
  const says = fit >= 2
  if (groups.has('list') && part.isPlural) add(0.5, 'list tool for a plural noun')
  const isAsked = from.lead.mode === 'ask' || from.lead.mode === 'noun'
  const isSought = fields.some(({ is }) => is === 'query') && fit > 0 && from.lead.object !== ''
  const handed = looks && named === 0 && (isAsked ? evidence >= 1 : isSought)
  if (handed && isAsked) add(0.6, 'parameters in the prompt')
  const isExact = fit >= 3 && !vague.test(part.verb) && from.lead.object !== ''
  const isFree =
    says && (evidence > 0 || part.refersBack || isExact || fields.every(({ required }) => !required))
  const sums = operators.length > 0 && (calculates || operator)
  return result(named > 0 || values > 0 || (told > 1 && (says || looks)) || sums || isFree || handed)
}

/** How well what a tool does fits what is asked to be done. */
function verbFit(
  { verbs, groups, things, changes, risky, looks, listed }: ToolProfile,
  part: Part,
): [number, string] {
  const { mode } = part.from.lead
  const { first } = part
  if (first !== '' && verbs.includes(first)) return [3.5, `verb "${part.from.lead.first}"`]
  if (mode === 'do' && listed.has(first)) return [3, `listed action "${part.from.lead.first}"`]
  if (part.groups.some(({ name }) => groups.has(name)))
    return [verbs.length === 0 ? 1 : 2.5, `action similar to "${part.verb}"`]
  const hears = verbs.some((verb) => part.verbs.has(verb))
  if (mode === 'do') {
    if (things.has(stemOf(part.verb))) return [1, `"${part.verb}" in the tool name`]
    if (changes) return [risky ? -8 : hears ? 0.5 : -3, `action different from "${part.verb}"`]
    if (!looks) return [-0.5, `action different from "${part.verb}"`]
    const isLook = part.groups.some(({ name }) => lookGroups.test(name))
    return [isLook ? 1 : part.groups.every((group) => group.changes) ? -3 : -0.5, 'lookup tool']
  }
  if (mode === 'noun' && things.has(first)) return [1, `"${part.from.lead.first}" in the tool name`]
  const idle = mode === 'say' && !hears ? -2.5 : 0
  if (looks) return [(mode === 'say' ? 0 : 1) + idle, 'lookup tool']
  if (hears) return [mode === 'ask' ? (risky ? -6 : -1) : 3, 'word for the tool action']
  return [(risky ? -8 : mode === 'noun' ? -1 : -4) + idle, 'tool with side effects']
}

/** What a call takes from the result of another. */
const goesOn = /^(?:id|url|path)$/
const typed = new Set('email url sql moment path phone id from to sum currency symbol number'.split(' '))

/** Whether the part has values of the kinds that the tool must be given. */
function evidenceOf({ fields, groups }: ToolProfile, { from, refersBack, operators }: Part): number {
  let points = 0
  if (refersBack && fields.some((field) => field.required && goesOn.test(field.is))) points += 0.7
  const speaks =
    from.lead.object !== '' || from.things.some(({ kind }) => kind === 'name' || kind === 'quote')
  for (const field of fields) {
    const { is, isText, isNumber, required, takes } = field
    const isTyped = typed.has(is)
    if (isText && required && !isTyped && speaks) points += is === 'query' && groups.has('find') ? 0.6 : 0.4
    if ((!isText && !isNumber) || !isTyped) continue
    const offered =
      is === 'sum'
        ? operators.length > 0 || /\d ?[-+*/=^]/.test(from.text)
        : (is === 'sql' && /\b(?:how many|count|rows|table|quer)/i.test(from.text)) ||
          from.things.some(
            ({ kind, unit }) =>
              takes.includes(kind) && (is !== 'id' || kind === 'code' || (isNumber && unit === '')),
          )
    if (offered) points += required ? 1 : 0.5
    else if (required && !refersBack && is !== 'from' && is !== 'to') points -= 0.4
  }
  return Math.max(-1.5, Math.min(points, 2.5))
}

// --- tools that end a task: they take the final answer, or say that all is done ---

const ends = new RegExp(
  String.raw`\b(?:final|structured) (?:\w+ )?(?:answer|response|result|output|reply|report|summary|` +
    String.raw`tool)\b|\b(?:when|once|after|that) (?:you|your|the|all|everything|this|it) ?(?:\S+ ` +
    String.raw`){0,4}?(?:done|finished|completed?|ready)\b|\b(?:ends?|finish(?:es)?|completes?|` +
    String.raw`terminates?) (?:this|the) (?:conversation|task|run|loop|work)\b|\balways (?:respond|` +
    String.raw`reply|answer|use this|call this)\b|\b(?:respond|reply|answer)s?(?: to)?(?: the)?(?: ` +
    String.raw`user| question)? (?:with|using|by|in) (?:\S+ ){0,3}?(?:tool|json|format|schema|` +
    'function|object)',
  'i',
)

/** Whether a description says that the tool gives the final answer. */
export const saysItEnds = ({ description }: Tool): boolean => ends.test(description)

const endingName = new RegExp(
  '^(?:done|finish(?:ed)?|final.*|.*final[_-]?(?:answer|result|response|output|report)|json|' +
    String.raw`answer|respond|response|structured.*|extract(?:-\d+)?|(?:task_?)?complet(?:e|ed|ion)|` +
    'attempt_?completion|(?:complete|finish|end)_?(?:task|work|run|conversation)|' +
    '(?:submit|return|provide|give)_?(?:the_?)?(?:answer|results?|response|output))$',
  'i',
)
const endingVerb =
  /^(?:submit|extract|respond|return|report|complete|finish|answer|output|record|emit|format)(?!\p{Ll})/iu

/**
 * How likely a tool is the one that ends a task, by its description or name; 0 for one that does something
 * else. A name without a verb is that of a shape ("ContactInfo").
 */
function endsAs(tool: Tool): 0 | 1 | 2 | 3 | 4 {
  const { name } = tool
  if (saysItEnds(tool)) return 4
  if (endingName.test(name)) return 3
  if (endingVerb.test(name)) return 2
  const [first = ''] = name.split(/[_-]|(?<=\p{Ll})(?=\p{Lu})/u)
  return /^\p{Lu}\p{Ll}/u.test(name) && verbGroups(first).length === 0 ? 1 : 0
}
