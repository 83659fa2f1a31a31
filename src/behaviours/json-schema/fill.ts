/** Fills a schema: a conforming value for a random source, with the values that a caller suggests. */
import type { Random } from '../../engine/random.ts'
import { conforms } from './conforms.ts'
import { type Fakes, usualNumbers } from './fakes.ts'
import { fillNumber } from './fill-number.ts'
import { fillString } from './fill-string.ts'
import { isModestJson, type JsonType, type JsonValue, jsonKey, typeOf, type ValueType } from './json-value.ts'
import { depthOf, type SchemaNode, type Shape } from './merge-schema.ts'
import type { Subschema } from './read-schema.ts'
import { Budget, limits, SchemaRejection } from './schema-rejection.ts'

/** A place in a value that is being filled. */
export interface Place {
  /** The property's name; that of the array for an item; `''` at the root. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly types: readonly JsonType[]
  readonly format: string | undefined
  /** The values of `enum` or `const`. */
  readonly values: readonly JsonValue[] | undefined
  /** Whether the value must be there: a required property or the root. */
  readonly required: boolean
  /** The position of an array's item; undefined elsewhere. */
  readonly index: number | undefined
}

/** A value that a caller would like to see. A token of a prompt is used once, whatever it suggests. */
export interface Candidate {
  readonly value: JsonValue
  readonly token: object
}

/** The candidates for a place, best first, without those whose tokens are used. */
export type Suggest = (place: Place, used: ReadonlySet<object>) => readonly Candidate[]

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

/** Where a value is filled. */
interface Site {
  readonly name: string
  readonly required: boolean
  readonly index: number | undefined
  readonly random: Random
  /** The source of the containing object: its names, addresses and places belong together. */
  readonly around: Random
  readonly depth: number
  /** The nodes that contain this place, and its own. */
  readonly open: ReadonlySet<SchemaNode>
  /** Whether the value has only its required parts. */
  readonly isLean: boolean
  /** An additional condition, such as an item unequal to those before. */
  accepts(value: JsonValue): boolean
}

/** Retries of a value that does not conform, or equals another item. */
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
  readonly #used = new Set<object>()
  #parts = 0
  #characters = 0
  #obstacle: SchemaRejection | undefined

  constructor(options: FillOptions) {
    this.#options = options
  }

  fillRoot(node: SchemaNode): JsonValue {
    const { random } = this.#options
    const value = this.#fill(node, {
      name: '',
      required: true,
      index: undefined,
      random,
      around: random,
      depth: 0,
      open: new Set(),
      isLean: false,
      accepts: () => true,
    })
    if (value !== none) return value
    throw this.#obstacle ?? new SchemaRejection(node.path, 'schema', 'no conforming value was found')
  }

  #fill(node: SchemaNode, site: Site): Filled {
    this.#budget.spend(node.path)
    this.#parts++
    if (this.#parts > limits.parts)
      throw new SchemaRejection(node.path, 'minItems', `the value would have more than ${limits.parts} parts`)
    if (site.depth > limits.depth) {
      const what = `the value would have more than ${limits.depth} levels; write a schema with less nesting`
      this.#obstacle ??= new SchemaRejection(node.path, '$ref', what)
      return none
    }
    const isLean = this.#isLean(node, site)
    const shapes = isLean
      ? node.shapes.toSorted((a, b) => depthOf(a) - depthOf(b))
      : this.#ordered(node, site)
    const before = new Set(this.#used)
    const open = new Set([...site.open, node])
    for (let turn = 0; turn < tries; turn++) {
      const random = turn === 0 ? site.random : site.random.fork(`try ${turn}`)
      for (const shape of shapes) {
        const value = this.#fillShape(shape, { ...site, random, open, isLean: isLean || turn > 0 }, turn > 0)
        if (value !== none && this.#isRight(shape, value, site)) return value
        this.#restore(before)
      }
    }
    return none
  }

  /** Whether the value has only its required parts: it recurs, is deep, or the whole is large. */
  #isLean(node: SchemaNode, { depth, open }: Site): boolean {
    return depth > roomyDepth || open.has(node) || this.#parts > limits.parts / 10
  }

  /** Null last; of several objects, one by chance. */
  #ordered({ shapes }: SchemaNode, { random }: Site): readonly Shape[] {
    if (shapes.length < 2) return shapes
    const others = shapes.filter(({ types }) => types[0] !== 'null')
    const first = others.length === 0 ? 0 : random.fork('shape').integer(0, others.length - 1)
    const nulls = shapes.filter(({ types }) => types[0] === 'null')
    return [...others.slice(first), ...others.slice(0, first), ...nulls]
  }

  #isRight({ schemas, excluded, path }: Shape, value: JsonValue, { accepts }: Site): boolean {
    if (!accepts(value)) return false
    if (excluded.some((branch) => conforms(branch, value, this.#budget))) {
      const what =
        'no value was found that matches exactly one branch; write branches that exclude each other'
      this.#obstacle ??= new SchemaRejection(path, 'oneOf', what)
      return false
    }
    if (schemas.every((schema) => conforms(schema, value, this.#budget))) return true
    this.#obstacle ??= new SchemaRejection(
      path,
      keywordOf(schemas),
      'no conforming value was found; write wider bounds',
    )
    return false
  }

  #restore(before: ReadonlySet<object>): void {
    for (const token of this.#used) if (!before.has(token)) this.#used.delete(token)
  }

  #fillShape(shape: Shape, site: Site, isLater: boolean): Filled {
    const { values, schemas, types } = shape
    if (types.length > 0 && !types.every((type) => type === 'object')) {
      const suggested = this.#suggested(shape, site)
      if (suggested !== none) return suggested
    }
    const written = isLater ? undefined : this.#written(shape, site)
    if (written !== undefined) return structuredClone(written)
    if (values !== undefined) {
      const open = values.filter((value) => site.accepts(value))
      const named = open.filter((value) => value !== null)
      const list = named.length > 0 ? named : open
      return list.length === 0 ? none : structuredClone(site.random.fork('choice').pick(list))
    }
    for (const type of site.isLean ? types.toSorted((a, b) => levelsOf(a) - levelsOf(b)) : types) {
      const value = this.#fillType(type, shape, site)
      if (value !== none && site.accepts(value)) return value
    }
    this.#obstacle ??= new SchemaRejection(shape.path, keywordOf(schemas), 'no conforming value was found')
    return none
  }

  /** The first suggested value that the schema accepts. */
  #suggested(shape: Shape, site: Site): Filled {
    const { suggest } = this.#options
    if (suggest === undefined) return none
    for (const { value, token } of suggest(placeOf(shape, site), this.#used)) {
      if (!this.#accepts(shape, value, site)) continue
      this.#used.add(token)
      return value
    }
    return none
  }

  #accepts(shape: Shape, value: JsonValue, site: Site): boolean {
    return (
      shape.types.includes(typeOf(value)) &&
      shape.schemas.every((schema) => conforms(schema, value, this.#budget)) &&
      !shape.excluded.some((branch) => conforms(branch, value, this.#budget)) &&
      site.accepts(value)
    )
  }

  /** The first of `default`, `example` and `examples` that conforms. */
  #written(shape: Shape, site: Site): JsonValue | undefined {
    const written = shape.schemas.flatMap(({ keywords }) => [
      ...('default' in keywords ? [keywords.default] : []),
      ...('example' in keywords ? [keywords.example] : []),
      ...(Array.isArray(keywords.examples) ? keywords.examples.slice(0, 20) : []),
    ])
    const usable = written.filter(
      (value): value is JsonValue => isModestJson(value) && this.#accepts(shape, value, site),
    )
    // Null stands for the absence of a default.
    const values = usable.filter((value) => value !== null)
    return values[(site.index ?? 0) % Math.max(1, values.length)]
  }

  #fillType(type: ValueType, shape: Shape, site: Site): Filled {
    if (type === 'null') return null
    if (type === 'boolean') {
      const drawn = site.random.fork('boolean').chance(1, 2)
      return site.accepts(drawn) ? drawn : !drawn
    }
    if (type === 'array') return this.#fillArray(shape, site)
    if (type === 'object') return this.#fillObject(shape, site)
    if (type === 'integer' || type === 'fraction') {
      const isWhole = !shape.types.includes('fraction')
      const usual = usualNumbers(site.name, isWhole)
      return fillNumber(shape.number, usual, site.random.fork('number'), site.accepts) ?? none
    }
    return this.#fillText(shape, site)
  }

  #fillText(shape: Shape, site: Site): Filled {
    const patterns = shape.schemas.flatMap(({ pattern }) => pattern ?? [])
    const text = fillString({
      ...shape.string,
      patterns,
      formats: shape.schemas.flatMap(({ keywords }) => keywords.format ?? []),
      name: site.name,
      random: site.random,
      around: site.around,
      fakes: this.#options.fakes,
      accepts: site.accepts,
    })
    this.#characters += text?.length ?? 0
    if (this.#characters > limits.characters)
      throw new SchemaRejection(
        shape.path,
        'minLength',
        `the value would have more than ${limits.characters} characters; write smaller bounds`,
      )
    if (text !== undefined) return text
    const keyword = patterns.length > 0 ? 'pattern' : 'format'
    const what = 'no text was found for this combination of pattern, format and length; write a simpler one'
    this.#obstacle ??= new SchemaRejection(shape.path, keyword, what)
    return none
  }

  #fillArray(shape: Shape, site: Site): Filled {
    const { minItems, maxItems, unique, prefix, rest } = shape.array
    const usual = site.isLean ? 0 : Math.max(prefix.length, site.random.fork('length').integer(2, 3))
    const suggests = this.#options.suggest !== undefined
    const wanted = minItems > 0 ? minItems : Math.min(maxItems, usual)
    const items: JsonValue[] = []
    const keys = new Set<string>()
    const inside: Site = {
      ...site,
      depth: site.depth + 1,
      required: false,
      accepts: (value) => !unique || !keys.has(jsonKey(value)),
    }
    let found = 0
    while (items.length < maxItems) {
      const index = items.length
      const part = prefix[index] ?? rest
      if (part.depth === Infinity) break
      const usedBefore = this.#used.size
      const isWanted = index < wanted
      // What the prompt lists is the list.
      const isListed = suggests && index >= prefix.length && this.#hasCandidate(part, { ...inside, index })
      if (!isListed && (!isWanted || (found > 0 && index >= minItems))) break
      const item = this.#fill(part, { ...inside, index, random: site.random.fork(`item ${index}`) })
      if (item === none) break
      if (this.#used.size > usedBefore) found++
      keys.add(jsonKey(item))
      items.push(item)
    }
    if (items.length >= minItems) return items
    const keyword = unique ? 'uniqueItems' : 'minItems'
    const what = `only ${items.length} of ${minItems} items were found; write a smaller minItems`
    this.#obstacle = new SchemaRejection(shape.path, keyword, what)
    return none
  }

  /** Whether a candidate that is still unused fits a place. */
  #hasCandidate({ shapes }: SchemaNode, site: Site): boolean {
    return shapes.some((shape) => {
      if (shape.types.every((type) => type === 'object' || type === 'array')) return false
      const candidates = this.#options.suggest?.(placeOf(shape, site), this.#used) ?? []
      return candidates.some(({ value }) => this.#accepts(shape, value, site))
    })
  }

  #fillObject(shape: Shape, site: Site): Filled {
    const { properties, required, minProperties, maxProperties, extra } = shape.object
    const value: { [key: string]: JsonValue } = {}
    const around = site.random.fork('together')
    const inside: Site = {
      ...site,
      around,
      depth: site.depth + 1,
      accepts: () => true,
    }
    const siteOf = (name: string): Site => ({
      ...inside,
      name,
      required: required.has(name),
      index: undefined,
      random: site.random.fork(`property ${name}`),
    })
    const add = (name: string, part: SchemaNode): boolean => {
      const filled = this.#fill(part, siteOf(name))
      if (filled !== none) value[name] = filled
      return filled !== none
    }
    let optional = maxProperties - required.size
    for (const [name, part] of properties) {
      if (required.has(name)) {
        if (!add(name, part)) return none
      } else if (optional > 0 && part.depth < limits.depth && !site.isLean && this.#wants(part, siteOf(name)))
        if (add(name, part)) optional--
    }
    // More properties than wanted, if the schema demands them; a map gets two.
    const isMap =
      properties.size === 0 && shape.schemas.some((schema) => schema.additionalProperties !== undefined)
    const least = isMap && !site.isLean ? Math.min(2, maxProperties) : 0
    const spare = [...properties].filter(([name]) => !Object.hasOwn(value, name))
    for (const [name, part] of spare) if (Object.keys(value).length < minProperties) add(name, part)
    for (let number = 1; Object.keys(value).length < Math.max(least, minProperties); number++)
      if (extra.depth === Infinity || !add(`property_${number}`, extra)) break
    if (Object.keys(value).length < minProperties) return none
    return value
  }

  /** Whether to fill an optional property. */
  #wants(part: SchemaNode, site: Site): boolean {
    return this.#options.sparing !== true || this.#hasCandidate(part, site)
  }
}

function placeOf(
  { schemas, types, values }: Shape,
  { name, index, required }: Pick<Site, 'name' | 'index' | 'required'>,
): Place {
  const texts = (keyword: 'title' | 'description'): string =>
    schemas.map(({ keywords }) => keywords[keyword]).find((text) => typeof text === 'string') ?? ''
  return {
    name,
    title: texts('title'),
    description: texts('description'),
    types: types.map((type) => (type === 'fraction' ? 'number' : type)),
    format: schemas.map(({ keywords }) => keywords.format).find((format) => format !== undefined),
    values,
    required,
    index,
  }
}

/** The top-level properties of an object schema as places, the required ones first. */
export function placesIn({ shapes }: SchemaNode): readonly Place[] {
  const object = shapes.find(({ types }) => types.includes('object'))?.object
  const places = [...(object?.properties ?? [])].flatMap(([name, node]) => {
    const site = { name, required: object?.required.has(name) === true, index: undefined }
    const ofShapes = node.shapes.map((shape) => placeOf(shape, site))
    const [first] = ofShapes
    if (first === undefined) return []
    const values = ofShapes.flatMap((place) => place.values ?? [])
    const types = new Set(ofShapes.flatMap((place) => place.types))
    return [{ ...first, types: [...types], values: values.length > 0 ? values : undefined }]
  })
  return places.sort((a, b) => Number(b.required) - Number(a.required))
}

/** Scalars end a recursion; arrays can be empty. */
const levelsOf = (type: ValueType): number => ['array', 'object'].indexOf(type) + 1

/** The keyword to name in the rejection of a value that was not found. */
function keywordOf(schemas: readonly Subschema[]): string {
  const named = /^(?:multipleOf|pattern|format|exclusive\w+|min\w+|max\w+|uniqueItems)$/
  const keywords = schemas.flatMap((schema) => Object.keys(schema.keywords))
  return keywords.find((keyword) => named.test(keyword)) ?? 'type'
}
