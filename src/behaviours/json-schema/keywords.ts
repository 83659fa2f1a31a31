/** The keywords that are not read: annotations, and unsupported constraints with what to write instead. */

/**
 * Keywords that have no influence on validity. Keywords in neither table are unknown, and unknown ones are
 * annotations.
 */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  '$vocabulary',
  '$dynamicAnchor',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
])

const SPLIT = 'write the allowed cases under anyOf'
const NAME = 'name the properties under properties'

/** Keywords that constrain values in a way that the simulator cannot fill, with the remedy. */
export const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['not', 'write what is allowed, for example with enum, pattern or anyOf'],
  ['if', SPLIT],
  ['then', SPLIT],
  ['else', SPLIT],
  ['patternProperties', NAME],
  ['dependentSchemas', SPLIT],
  ['dependentRequired', SPLIT],
  ['dependencies', SPLIT],
  ['contains', 'constrain every item with items, or single positions with prefixItems'],
  ['minContains', 'constrain every item with items, or single positions with prefixItems'],
  ['maxContains', 'constrain every item with items, or single positions with prefixItems'],
  ['unevaluatedProperties', 'write additionalProperties beside all the properties'],
  ['unevaluatedItems', 'write items beside prefixItems'],
  ['additionalItems', 'write prefixItems and items'],
  ['$dynamicRef', 'write $ref with a local pointer'],
  ['$recursiveRef', 'write $ref with a local pointer'],
  ['$recursiveAnchor', 'write $ref with a local pointer'],
  ['extends', 'write allOf'],
  ['disallow', 'write the allowed types under type'],
])
