/** Fills a schema: a conforming value for a random source, with the values that a caller suggests. */
import type { Random } from '../../engine/random.ts'
import { listed, show } from '../../protocol/wording.ts'
import { Words } from '../words.ts'
import { conforms } from './conforms.ts'
import type { Fakes } from './fakes.ts'
import { isModest, type JsonValue, jsonKey, type ValueType } from './json-value.ts'
import { depthOf, least, most, type Place, type SchemaNode, type Shape, written } from './merge-schema.ts'
import { numbers } from './numbers.ts'
import type { Bound } from './read-schema.ts'
import { Budget, limits, SchemaRejection } from './schema-rejection.ts'
import { texts } from './texts.ts'

/** A value that a caller would like to see. A token of a prompt is used once, whatever it suggests. */
export interface Candidate {
  readonly value: JsonValue
  readonly token: unknown
}

/** The candidates for a place, best first, without those whose tokens are used. */
export type Suggest = (place: Place, used: ReadonlySet<unknown>) => readonly Candidate[]

export interface FillOptions {
  readonly random: Random
  readonly fakes: Fakes
  readonly suggest?: Suggest | undefined
  /** Whether to omit optional properties without a candidate, as a model does in the arguments of a tool. */
  readonly sparing?: boolean | undefined
}

/** The result if no value was found. */
const none = Symbol('no conforming value')
type Filled = JsonValue | typeof none

/** How a place is filled. */
interface Site {
  readonly random: Random
  /** The source of the containing object: its names, addresses and places belong together. */
  readonly around: Random
  /** The nodes that contain the place, as many as it is deep. */
  readonly open: readonly SchemaNode[]
  /** Whether the value has only its required parts. */
  readonly isLean: boolean
  /** An additional condition, such as an item unequal to those before. */
  accepts(value: JsonValue): boolean
}

/** Tries of an object or array that does not conform, or equals another item. */
const tries = 24
/** Values nest this deep with all their optional parts. */
const roomyDepth = 6

/** A conforming value. Throws `SchemaRejection` if none is found. */
export function fillSchema(node: SchemaNode, options: FillOptions): JsonValue {
  return new Filling(options).fillRoot(node)
}

class Filling {
  readonly #options: FillOptions
  readonly #budget = new Budget()
  readonly #used = new Set<unknown>()
  #parts = 0
  #characters = 0
  #obstacle: SchemaRejection | undefined

  constructor(options: FillOptions) {
    this.#options = options
  }

  fillRoot(node: SchemaNode): JsonValue {
    const { random } = this.#options
    const place: Place = { name: new Words(''), node, required: true, index: undefined }
    const accepts = (): boolean => true
    const value = this.#fill(place, { random, around: random, open: [], isLean: false, accepts })
    if (value !== none) return value
    throw this.#obstacle ?? new SchemaRejection(node.path, 'schema', 'no conforming value was found')
  }

  #fill(place: Place, site: Site): Filled {
    const { node } = place
    this.#budget.spend(node.path)
    const nodes = [...site.open, node]
    this.#parts++
    if (this.#parts > limits.parts) throw tooLarge(nodes, ['minItems'], `${limits.parts} parts`)
    if (site.open.length > limits.depth) {
      const what = `the value would have more than ${limits.depth} levels; write a schema with less nesting`
      return this.#fail(node.path, '$ref', what)
    }
    const value = this.#firstFitting(place, site)
    if (typeof value === 'string') this.#characters += value.length
    if (this.#characters > limits.characters)
      throw tooLarge(nodes, ['minLength', 'minItems'], `${limits.characters} characters`)
    return value
  }

  /** The first value that fits: suggested, written in the schema, or invented. */
  #firstFitting(place: Place, site: Site): Filled {
    const { node } = place
    const suggested = this.#suggested(place, site)
    if (suggested !== undefined) {
      this.#used.add(suggested.token)
      return suggested.value
    }
    const usedBefore = this.#used.size
    const { open } = site
    const isLean = open.length > roomyDepth || open.includes(node) || this.#parts > limits.parts / 10
    const shapes = isLean
      ? node.shapes.toSorted((a, b) => depthOf(a) - depthOf(b))
      : inRandomOrder(node.shapes, site.random)
    const inside = { ...site, isLean, open: [...open, node] }
    for (const shape of shapes)
      for (const value of this.#candidates(shape, place, inside)) {
        if (this.#fits(node, value, site)) return value
        for (const token of [...this.#used].slice(usedBefore)) this.#used.delete(token)
      }
    if (node.shapes.length === 0) this.#obstacle ??= node.obstacle
    return this.#fail(node.path, ...contradictionIn(node))
  }

  /** Notes the first reason for which a value was not found. */
  #fail(path: string, keyword: string, what: string): typeof none {
    this.#obstacle ??= new SchemaRejection(path, keyword, what)
    return none
  }

  #fits({ schemas }: SchemaNode, value: JsonValue, { accepts }: Pick<Site, 'accepts'>): boolean {
    return accepts(value) && schemas.every((schema) => conforms(schema, value, this.#budget))
  }

  /** The first suggestion that fits. */
  #suggested(place: Place, site: Pick<Site, 'accepts'>): Candidate | undefined {
    const { suggest } = this.#options
    const { node } = place
    const isCompound = node.shapes.every(({ types }) => types.every((type) => levelsOf(type) > 0))
    if (suggest === undefined || isCompound) return undefined
    return suggest(place, this.#used).find(({ value }) => this.#fits(node, value, site))
  }

  /** Values to try for a shape, the best first. */
  *#candidates(shape: Shape, place: Place, site: Site): Generator<JsonValue> {
    for (const value of rotated(writtenIn(shape), place.index ?? 0)) yield structuredClone(value)
    const { values, types } = shape
    if (values !== undefined) {
      const named = values.filter((value) => value !== null)
      const first = named.length === 0 ? 0 : site.random.fork('choice').integer(0, named.length - 1)
      for (const value of rotated(named, first)) yield structuredClone(value)
      if (named.length < values.length) yield null
      return
    }
    for (const type of site.isLean ? types.toSorted((a, b) => levelsOf(a) - levelsOf(b)) : types)
      yield* this.#ofType(type, shape, place, site)
  }

  *#ofType(type: ValueType, shape: Shape, place: Place, site: Site): Generator<JsonValue> {
    const { random } = site
    switch (type) {
      case 'null':
        yield null
        break
      case 'boolean': {
        const drawn = random.fork('boolean').chance(1, 2)
        yield* [drawn, !drawn]
        break
      }
      case 'integer':
      case 'fraction':
        yield* numbers(shape.schemas, type === 'integer', place.name, random.fork('number'))
        break
      case 'string':
        yield* texts(shape, place.name, { ...site, fakes: this.#options.fakes })
        break
      default:
        yield* this.#compounds(type, shape, place, site)
    }
  }

  /** Objects or arrays; after the first, they have only their required parts. */
  *#compounds(type: 'array' | 'object', shape: Shape, place: Place, site: Site): Generator<JsonValue> {
    for (let turn = 0; turn < tries; turn++) {
      const random = turn === 0 ? site.random : site.random.fork(`try ${turn}`)
      const inside = { ...site, random, isLean: site.isLean || turn > 0 }
      const value = type === 'array' ? this.#array(shape, place, inside) : this.#object(shape, inside)
      if (value !== none) yield value
      else if (type === 'object' || !isUnique(shape)) return
    }
  }

  #array(shape: Shape, { name, node }: Place, site: Site): Filled {
    const { prefix, rest } = shape
    const [minItems, maxItems] = [least(shape, 'minItems'), most(shape, 'maxItems')]
    if (minItems > maxItems) return none
    const unique = isUnique(shape)
    const usual = site.isLean ? 0 : Math.max(prefix.length, site.random.fork('length').integer(2, 3))
    const wanted = minItems > 0 ? minItems : Math.min(maxItems, usual)
    const items: JsonValue[] = []
    const keys = new Set<string>()
    const accepts = (value: JsonValue): boolean => !unique || !keys.has(jsonKey(value))
    let found = 0
    while (items.length < maxItems) {
      const index = items.length
      const place: Place = { name, node: prefix[index] ?? rest, required: false, index }
      if (place.node.depth === Infinity && index >= minItems) break
      // What the prompt lists is the list.
      const isListed = index >= prefix.length && this.#suggested(place, { accepts }) !== undefined
      if (!isListed && (index >= wanted || (found > 0 && index >= minItems))) break
      const item = this.#fill(place, { ...site, accepts, random: site.random.fork(`item ${index}`) })
      if (item === none) break
      if (isListed) found++
      if (unique) keys.add(jsonKey(item))
      items.push(item)
    }
    if (items.length >= minItems) return items
    const what = `only ${items.length} of ${minItems} items were found; write a smaller minItems`
    if (!unique) return this.#fail(node.path, 'minItems', what)
    this.#obstacle = new SchemaRejection(node.path, 'uniqueItems', what)
    return none
  }

  #object({ properties, extra, schemas }: Shape, site: Site): Filled {
    const value: { [key: string]: JsonValue } = {}
    const inside: Site = { ...site, around: site.random.fork('together'), accepts: () => true }
    const add = (place: Place): boolean => {
      const name = place.name.text
      const filled = this.#fill(place, { ...inside, random: site.random.fork(`property ${name}`) })
      if (filled !== none) value[name] = filled
      return filled !== none
    }
    for (const place of properties) {
      if (place.required && !add(place)) return none
      if (!place.required && this.#wants(place, site)) add(place)
    }
    // A map gets two entries.
    const isMap = properties.length === 0 && schemas.some((schema) => schema.additionalProperties)
    if (!isMap || site.isLean || extra.depth === Infinity) return value
    for (const name of ['property_1', 'property_2'])
      add({ name: new Words(name), node: extra, required: true, index: undefined })
    return value
  }

  /** Whether to fill an optional property. */
  #wants(place: Place, site: Site): boolean {
    if (site.isLean || place.node.depth >= limits.depth) return false
    return this.#options.sparing !== true || this.#suggested(place, { accepts: () => true }) !== undefined
  }
}

/** Null last; of several others, one by chance first. */
function inRandomOrder(shapes: readonly Shape[], random: Random): readonly Shape[] {
  if (shapes.length < 2) return shapes
  const others = shapes.filter(({ types }) => types[0] !== 'null')
  const first = others.length === 0 ? 0 : random.fork('shape').integer(0, others.length - 1)
  return [...rotated(others, first), ...shapes.filter(({ types }) => types[0] === 'null')]
}

function rotated<T>(list: readonly T[], first: number): readonly T[] {
  const at = list.length === 0 ? 0 : first % list.length
  return at === 0 ? list : [...list.slice(at), ...list.slice(0, at)]
}

/** The values of `default`, `example` and `examples`. Null stands for the absence of a default. */
function writtenIn({ schemas }: Shape): readonly JsonValue[] {
  const values = schemas.flatMap(({ keywords }) => [
    keywords.default,
    keywords.example,
    ...(Array.isArray(keywords.examples) ? keywords.examples.slice(0, 20) : []),
  ])
  return values.filter((one): one is JsonValue => one !== undefined && one !== null && isModest(one))
}

function isUnique({ schemas }: Shape): boolean {
  return schemas.some(({ keywords }) => keywords.uniqueItems === true)
}

/** Scalars end a recursion; arrays can be empty. */
const levelsOf = (type: ValueType): number => ['array', 'object'].indexOf(type) + 1

/** Why no value was found: the keyword to name, and what to write. */
function contradictionIn({ shapes }: SchemaNode): [keyword: string, what: string] {
  const named = /^(?:multipleOf|pattern|format|exclusive\w+|min\w+|max\w+|uniqueItems|oneOf)$/
  const keywords = shapes.flatMap(({ schemas }) => schemas.flatMap((one) => Object.entries(one.keywords)))
  const isListed = ([keyword]: readonly [string, unknown]): boolean => /^(?:enum|const)$/.test(keyword)
  const narrow = keywords.filter(([keyword]) => named.test(keyword))
  const bounds = narrow.map(([name, value]) => (name === 'oneOf' ? name : `${name} ${show(value)}`))
  const others = listed([...new Set(bounds)]) || 'the other keywords'
  const [keyword] = keywords.find(isListed) ?? []
  if (keyword !== undefined) return [keyword, `no listed value conforms to ${others}; list one that does`]
  const wider = 'write wider bounds, or a simpler combination of keywords'
  return [narrow[0]?.[0] ?? 'type', `no value was found that conforms to ${others}; ${wider}`]
}

/** The rejection of a value with too many parts or characters. The innermost keyword asks for them. */
function tooLarge(nodes: readonly SchemaNode[], keywords: readonly Bound[], what: string): SchemaRejection {
  const message = `the value would have more than ${what}; write smaller bounds`
  for (const { path, shapes } of nodes.toReversed())
    for (const keyword of keywords)
      if (shapes.some(({ schemas }) => written(schemas, keyword).length > 0))
        return new SchemaRejection(path, keyword, message)
  return new SchemaRejection('', 'schema', message)
}
