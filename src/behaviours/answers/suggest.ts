/**
 * Suggests values for the places of a schema: values of an `enum` that a text names, fields of tool results,
 * and the tokens of the text.
 */
import { isFields, jsonIn } from '../../engine/fields.ts'
import type { Candidate, Suggest } from '../json-schema/fill.ts'
import type { JsonValue } from '../json-schema/json-value.ts'
import type { Place } from '../json-schema/merge-schema.ts'
import { byName, type Words } from '../words.ts'
import type { Conversation } from './conversation.ts'
import type { Form, Token } from './tokens-in.ts'

/** The forms that the words of a place's name call for, best first. */
const formsOfName = byName<readonly Form[]>([
  ['url uri link website page href', ['url']],
  ['email mail recipient cc attendee', ['email', 'name']],
  ['date day deadline birthday since until start end due when', ['date']],
  ['path file folder directory filename', ['path', 'name']],
  ['id zip code phone port version currency symbol ticker key sku reference', ['code', 'number']],
  ['city location place person country origin destination who language company', ['name', 'quote']],
  ['from to', ['email', 'code', 'name', 'date']],
  ['name', ['name', 'quote', 'phrase']],
  [
    'text title message query content body subject note task description topic question',
    ['quote', 'phrase', 'name'],
  ],
])
const formOfFormat = byName<Form>([
  ['email', 'email'],
  ['uri url', 'url'],
  ['date date-time', 'date'],
])
/** Longer results are not read. */
const maxResult = 20_000
/** The forms for a required place whose name calls for none. */
const usualForms: readonly Form[] = ['quote', 'name', 'code', 'path', 'url', 'email', 'date', 'phrase']

/** The suggestions from a text, its tokens and the calls before. */
export function suggestionsFrom(
  text: Words,
  tokens: readonly Token[],
  calls: Conversation['calls'] = [],
): Suggest {
  const found = fieldsOfResults(calls)
  return (place, used) => {
    const fromText = (): readonly Candidate[] =>
      tokensFor(place, tokens).flatMap((token) => valuesOf(token).map((value) => ({ value, token })))
    const candidates = valuesNamed(place, text) ?? [...(found.get(place.name.text) ?? []), ...fromText()]
    return candidates.filter(({ token }) => !used.has(token))
  }
}

/** What the results of tools say of a place, by its name. */
function fieldsOfResults(calls: Conversation['calls']): ReadonlyMap<string, readonly Candidate[]> {
  const fields = calls.flatMap(({ result }) => {
    const value = jsonIn(result?.slice(0, maxResult))
    return isFields(value) ? Object.entries(value as Readonly<Record<string, JsonValue>>) : []
  })
  return new Map(fields.map(([name, value]) => [name, [{ value, token: { name } }]]))
}

/** The values of an `enum` that a text names, in its order; undefined without an `enum`. */
function valuesNamed({ node }: Place, text: Words): readonly Candidate[] | undefined {
  const placeOf = ({ stems }: Words): number => text.list.findIndex(({ stem }) => stems.has(stem))
  return node.description.values
    ?.filter(({ words: { stems } }) => stems.size > 0 && [...stems].every((stem) => text.stems.has(stem)))
    .sort((a, b) => placeOf(a.words) - placeOf(b.words))
    .map(({ value }) => ({ value, token: value }))
}

/** The tokens that suit a place, best first. */
export function tokensFor(place: Place, tokens: readonly Token[]): readonly Token[] {
  return formsFor(place).flatMap((form) => tokens.filter((token) => token.form === form))
}

function formsFor({ name, node, required, index }: Place): readonly Form[] {
  const { types, format = '' } = node.description
  if (!types.has('string')) return types.has('number') || types.has('integer') ? ['number'] : []
  const form = formOfFormat.get(format)
  if (form !== undefined) return [form]
  const called = name.words.flatMap((word) => formsOfName.get(word) ?? [])
  if (called.length === 0) return required ? usualForms : []
  // No phrase is an item of a list.
  return index === undefined ? called : called.filter((one) => one !== 'phrase')
}

/** Who fills the place takes the first one that conforms to its schema. */
function valuesOf({ form, text }: Token): readonly JsonValue[] {
  if (form === 'number') return [text, Number(text.replaceAll(',', ''))]
  return form === 'date' ? [text, `${text}T00:00:00Z`] : [text]
}
