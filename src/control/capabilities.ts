/** `sim.getCapabilities`: the operations, the faults that can be injected into each, the reserved values. */

import * as z from 'zod'
import type {
  Capabilities,
  FaultCapability,
  OperationCapability,
  ReservedCapability,
} from '../generated/control-types.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { isGateway, type Operation, type Selector, type Vocabulary } from '../protocol/operations.ts'
import { missingPart } from '../protocol/schema-forms.ts'
import { faults } from '../scenario/faults/all.ts'
import type { Fault } from '../scenario/faults/fault.ts'
import {
  reservedKeys,
  reservedMissingModel,
  reservedMissingModelResult,
  reservedWords,
} from '../scenario/reserved/words.ts'
import type { Implementation } from '../sessions/controls/control.ts'
import { flag, text } from '../sessions/controls/fields.ts'
import { aboutNoSession, type ControlApiParts } from './control.ts'

export const operationCapabilitySchema = () =>
  z.strictObject({
    id: text('The id, as in scenarios and the journal: `videos.create`.'),
    method: text('The HTTP method.'),
    path: text('The path, with its parameters in braces.'),
    summary: text('A short description.'),
    streams: flag('Whether the response can be an event stream.'),
    draws: flag('Whether the operation returns images.'),
    submits: z
      .string()
      .nullable()
      .describe('The kind of job that the operation creates, as in `jobs`; null for none.'),
    polls: z.string().nullable().describe('The kind of job that the operation polls; null for none.'),
  })

export const faultCapabilitySchema = () =>
  z.strictObject({
    name: text('The name in overrides and rules: `disconnect`.'),
    part: z
      .enum(['connection', 'headers', 'body', 'stream', 'api', 'job', 'upload'])
      .describe(
        'The part of a response that the fault changes. A `stream` fault affects event streams only.',
      ),
    description: text('The effect that the client sees.'),
    operations: z.array(z.string()).describe('The ids of the operations that the fault can affect.'),
    options: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .describe(
        'The JSON Schema of each option, with its description and its default if it has one. Every option ' +
          'can be omitted.',
      ),
  })

export const reservedCapabilitySchema = () =>
  z.strictObject({
    value: text('The value as written; `N` stands for a number, as in `sim-disconnect-after-N`.'),
    in: z
      .enum(['model', 'path', 'key'])
      .describe(
        '`model`: the model id; values with `sim-` also work in a prompt, as `[sim:rate-limit]`. `path`: ' +
          'the path of an uploaded file. `key`: part of the API key.',
      ),
    description: text('What the client sees.'),
    operations: z.array(z.string()).describe('The ids of the operations that it affects.'),
  })

export const capabilitiesSchema = () =>
  z.strictObject({
    operations: z.array(operationCapabilitySchema()).describe('Every operation of the service.'),
    faults: z.array(faultCapabilitySchema()).describe('All faults, in the order of the reference.'),
    reserved: z
      .array(reservedCapabilitySchema())
      .describe('The reserved values, which cause failures without a scenario.'),
  })

function operationCapability({ endpoint }: Operation): OperationCapability {
  const { operation: id, method, path, summary, event, draws, job } = endpoint
  return {
    ...{ id, method, path, summary },
    streams: event !== undefined,
    draws: draws === true,
    submits: job?.submits?.resource ?? null,
    polls: job?.polls?.resource ?? null,
  }
}

function faultCapability(
  { kind: name, part, what, on, options }: Fault,
  { all }: Vocabulary,
): FaultCapability {
  const { properties = {} } = z.toJSONSchema(options(), { io: 'input' })
  return {
    ...{ name, part, description: what },
    operations: all.filter(on).map(({ endpoint }) => endpoint.operation),
    options: properties as FaultCapability['options'],
  }
}

function reservedCapabilities({ all }: Vocabulary): ReservedCapability[] {
  const ids = (on: Selector): string[] => all.filter(on).map(({ endpoint }) => endpoint.operation)
  const isInPath = (on: Selector): boolean =>
    all.every((operation) => !on(operation) || operation.endpoint.upload !== undefined)
  return [
    ...reservedWords.map(
      ({ word, on, reaches }): ReservedCapability => ({
        value: `sim-${word}`,
        in: isInPath(on) ? 'path' : 'model',
        description: reaches,
        operations: ids(on),
      }),
    ),
    {
      ...{ value: reservedMissingModel, in: 'model', description: reservedMissingModelResult },
      operations: ids((operation) => isGateway(operation) && namesModel(operation.endpoint)),
    },
    ...reservedKeys.map(
      ({ contains, reaches }): ReservedCapability => ({
        ...{ value: contains, in: 'key', description: reaches, operations: ids(isGateway) },
      }),
    ),
  ]
}

export const capabilities: Implementation<() => Capabilities, ControlApiParts> = {
  act: ({ parts: { vocabulary } }) => ({
    operations: vocabulary.all.map(operationCapability),
    faults: faults.map((fault) => faultCapability(fault, vocabulary)),
    reserved: reservedCapabilities(vocabulary),
  }),
  endpoint: {
    ...aboutNoSession,
    operation: 'sim.getCapabilities',
    summary: 'List the operations, the faults that can be injected into them, and the reserved values',
    response: capabilitiesSchema,
  },
}

/** Whether requests for an operation can name a model. */
function namesModel({ path, body, accepts }: Endpoint): boolean {
  if (path.includes('{model}')) return true
  return body === undefined ? accepts.length > 0 : missingPart([body()], ['model']) === undefined
}
