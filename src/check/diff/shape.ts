/** The shape of bodies: which fields there are, of which types, with which words; never what texts say. */
import type * as z from 'zod'
import { generalised, wordsAt } from '../../contract/schema-places.ts'

export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null'

export interface FieldShape {
  readonly types: Set<JsonType>
  /** The values of a field for which the contract lists words. */
  readonly words: Set<string | number | boolean>
  /** In how many of its parents it was there. */
  count: number
}

/** What is nested deeper is no shape that anybody reads. */
const maxDepth = 32

/** Bodies of one kind. Places are pointers with `*` for any item or name. */
export class Shape {
  readonly fields = new Map<string, FieldShape>()
  readonly #schema: z.ZodType | undefined

  /** `schema`: which names are those of a map, and which texts are words. */
  constructor(schema: z.ZodType | undefined) {
    this.#schema = schema
  }

  add(value: unknown, pointer = '', depth = 0): void {
    const place = this.#placeOf(pointer)
    const field = this.fields.get(place) ?? { types: new Set(), words: new Set(), count: 0 }
    this.fields.set(place, field)
    field.count += 1
    field.types.add(typeOf(value))
    if (isWord(value) && this.#schema !== undefined && wordsAt(this.#schema, place) !== undefined)
      field.words.add(value)
    if (value === null || typeof value !== 'object' || depth === maxDepth) return
    for (const [name, one] of Object.entries(value))
      this.add(one, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1)
  }

  /** Whether a field is in every parent that was seen. */
  isAlways(place: string): boolean {
    const parent = this.fields.get(place.slice(0, place.lastIndexOf('/')))
    return place === '' || this.fields.get(place)?.count === parent?.count
  }

  /** Whether the contract lists a word for a field. */
  isKnown(place: string, word: unknown): boolean {
    return this.#schema !== undefined && wordsAt(this.#schema, place)?.includes(word) === true
  }

  #placeOf(pointer: string): string {
    const known = this.#schema === undefined ? pointer : generalised(this.#schema, pointer)
    // The first part of what `generalised` makes is what stands before the first slash.
    const place = known === '' || known.startsWith('/') ? known : `/${known}`
    return place.replaceAll(/\/\d+(?=\/|$)/g, '/*')
  }
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value as JsonType
}

const isWord = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)
