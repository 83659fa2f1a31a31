/** Operators of a shape that can never hold, and what to write for those of other languages. */
import * as z from 'zod'
import { show } from '../../protocol/wording.ts'
import { type Compared, formsOf, itemsOf } from './forms.ts'

/** Operators elsewhere, and how they are called here. */
const elsewhere: readonly (readonly [names: string, write: (wanted: string) => string])[] = [
  ['matches match pattern regexp regularexpression re', (wanted) => `{ regex: ${wanted} }`],
  ['equalto eq is value exact equal', (wanted) => wanted],
  ['includes include like has containing substring', (wanted) => `{ contains: ${wanted} }`],
  ['ne neq isnot notequals notequal', (wanted) => `{ not: ${wanted} }`],
  ['in oneof either enum', (wanted) => `{ anyOf: ${wanted} }`],
  ['prefix beginswith', (wanted) => `{ startsWith: ${wanted} }`],
  ['suffix', (wanted) => `{ endsWith: ${wanted} }`],
  ['min minimum greaterthanorequal atleast', (wanted) => `{ gte: ${wanted} }`],
  ['max maximum lessthanorequal atmost', (wanted) => `{ lte: ${wanted} }`],
  ['greaterthan above', (wanted) => `{ gt: ${wanted} }`],
  ['lessthan below', (wanted) => `{ lt: ${wanted} }`],
  ['present defined exist', () => '{ exists: true }'],
  ['absent missing undefined', () => '{ exists: false }'],
  ['any anyitem contain every each all', () => '{ some: … }'],
  ['count size', (wanted) => `{ length: ${wanted} }`],
  ['doesnotmatch notmatches', (wanted) => `{ not: { regex: ${wanted} } }`],
  ['doesnotcontain notcontains', (wanted) => `{ not: { contains: ${wanted} } }`],
  ['equaltojson matchesjson json', () => 'the fields themselves: { model: …, … }'],
  [
    'matchesjsonpath jsonpath',
    () => 'the fields themselves, and `some` in lists: { messages: { some: { … } } }',
  ],
]

/** What to write for an operator of another language: `: write { regex: … }`. */
export function operatorMeant(name: string, wanted: unknown): string | undefined {
  const plain = name.replace(/[-_$ ]/g, '').toLowerCase()
  const found = elsewhere.find(([names]) => names.split(' ').includes(plain))
  if (found === undefined) return undefined
  const value =
    wanted === null || typeof wanted !== 'object' ? show(wanted) : Array.isArray(wanted) ? '[…]' : '{ … }'
  return `: write ${found[1](value)}`
}

type Kind = 'text' | 'number' | 'list'

/** What each operator can be true of. */
const kinds: Readonly<Record<string, readonly Kind[]>> = {
  startsWith: ['text'],
  endsWith: ['text'],
  regex: ['text'],
  contains: ['text', 'list'],
  gt: ['number'],
  gte: ['number'],
  lt: ['number'],
  lte: ['number'],
  some: ['list'],
  length: ['text', 'list'],
}

/** Why an operator holds of no value here; undefined where it may. `forms` are what the value can be. */
export function reachesNothing(
  word: string,
  wanted: unknown,
  forms: readonly z.ZodType[],
  how: Compared,
): string | undefined {
  const wantedKinds = kinds[word]
  if (forms.length === 0 || wantedKinds === undefined) return undefined
  const { held = 'request', texts = held !== 'reply' } = how
  const possible = forms.map((form) => kindOf(form, texts))
  // A list of objects has no item that is a text.
  const isObjects = objectsIn(forms) !== undefined
  if (
    possible.some(
      (kind) =>
        kind === 'any' ||
        (kind === 'list'
          ? wantedKinds.includes(kind) && !(isObjects && word === 'contains')
          : wantedKinds.includes(kind as Kind)),
    )
  )
    return undefined
  const items = someItem(forms, `{ ${word}: ${show(wanted)} }`)
  if (items !== undefined)
    return `can never be met: this is a list${isObjects ? ' of objects' : ''}. Write ${items}`
  const what = wantedKinds.map((kind) => (kind === 'text' ? kind : `a ${kind}`))
  return `can never be met: no ${held} holds ${what.join(' or ')} here`
}

/** A condition on the items of a list, or on the field of their words; undefined for what is no list. */
export function someItem(forms: readonly z.ZodType[], condition: string): string | undefined {
  if (!forms.some((form) => form instanceof z.ZodArray)) return undefined
  const objects = objectsIn(forms)
  return objects === undefined
    ? `{ some: ${condition} }`
    : `{ some: { ${fieldWithText(objects)}: ${condition} } }`
}

/** The objects that the items of a list are; undefined where some items are none. */
function objectsIn(forms: readonly z.ZodType[]): z.ZodType[] | undefined {
  const items = itemsOf(forms).flatMap(formsOf)
  return items.length > 0 && items.every((item) => item instanceof z.ZodObject) ? items : undefined
}

function kindOf(form: z.ZodType, texts: boolean): Kind | 'object' | 'scalar' | 'any' {
  if (form instanceof z.ZodArray) return 'list'
  if (form instanceof z.ZodObject) return 'object'
  if (form instanceof z.ZodNull || form instanceof z.ZodBoolean) return texts ? 'any' : 'scalar'
  if (form instanceof z.ZodNumber || form instanceof z.ZodNumberFormat) return texts ? 'any' : 'number'
  if (form instanceof z.ZodString || form instanceof z.ZodStringFormat || form instanceof z.ZodEnum)
    return texts ? 'any' : 'text'
  return 'any'
}

const speaking: readonly string[] = ['content', 'text', 'prompt', 'message', 'name']

function fieldWithText(objects: readonly z.ZodType[]): string {
  const names = objects.flatMap((form) => (form instanceof z.ZodObject ? Object.keys(form.shape) : []))
  return speaking.find((name) => names.includes(name)) ?? names[0] ?? '…'
}
