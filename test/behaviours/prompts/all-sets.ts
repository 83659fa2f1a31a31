/** Every set of tools and every schema that rows can name. */
import { moreSchemas, moreSets } from './more-sets.ts'
import { schemas, toolSets } from './tool-sets.ts'

export const allSets = { ...toolSets, ...moreSets }
export const allSchemas = { ...schemas, ...moreSchemas }
