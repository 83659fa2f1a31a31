/**
 * Modules for answers with values: tool calls, JSON Schemas, and JSON that a prompt asks for. Most processes
 * need only prose, so these 200 KB are loaded with the fakes (`needs`).
 */
import { createFakes, type FakerLike } from '../json-schema/fakes.ts'
import { createSchemas } from '../json-schema/schemas.ts'
import { bareValue } from '../prompt/bare-value.ts'
import { readPromptFacts } from '../prompt/facts.ts'
import { anyObject, jsonWish } from '../prompt/json-shape.ts'
import { explainTools, inputOf, wantedCalls } from './call-tools.ts'

export type Values = ReturnType<typeof createValues>

export function createValues(faker: FakerLike) {
  return {
    fakes: createFakes(faker),
    anyObject,
    bareValue,
    createSchemas,
    explainTools,
    inputOf,
    jsonWish,
    readPromptFacts,
    wantedCalls,
  }
}
