/** The probes of `gateway-sim check` for long-running video operations. */
import {
  type FromResponse,
  from,
  type ProbeSet,
  rejections,
  theModel,
  withoutKey,
} from '../../protocol/probe.ts'
import { retrieveOperation } from './poll-operation.ts'
import { submitOperation } from './submit-operation.ts'

const answered = { spend: 'all', expect: { status: [200] } } as const
const submitted = 'an operation'
const json = { instances: [{ prompt: 'a river in the morning' }] }
const place = { project_id: 'project', location: 'us-central1', publisher: 'google' }
const unknown = { ...place, model: theModel, operation_id: 'operation-that-does-not-exist' }

// The contract uses only the id of the name; the other parts exist if names follow its path.
const inName = (part: RegExp, otherwise: string): FromResponse => ({
  ...from(submitted, '/name'),
  part,
  otherwise,
})

export const operationsProbes: ProbeSet = {
  group: 'video-operations',
  model: 'veo-3.0-generate-001',
  probes: [
    withoutKey('an operation without an API key', submitOperation, { params: { model: theModel }, json }),
    withoutKey('a poll of an operation without an API key', retrieveOperation, { params: unknown }),
    ...rejections({ endpoint: submitOperation, json, params: { model: theModel } }, [
      [
        'an operation with a string as its instances',
        '`instances` (array; item `prompt` string)',
        { instances: 'a river' },
      ],
      [
        'an operation with a word as its duration',
        '`durationSeconds` integer',
        { parameters: { durationSeconds: 'eight' } },
      ],
    ]),
    {
      name: 'a poll of an unknown operation',
      endpoint: retrieveOperation,
      states: 'An error body has an object `error`',
      spend: 'none',
      request: { params: unknown },
      expect: { status: 'rejected' },
    },
    {
      ...answered,
      name: submitted,
      endpoint: submitOperation,
      states: 'Response 200: `{ name: <operation_name> }`',
      request: { params: { model: theModel }, json },
    },
    {
      ...answered,
      name: 'the operation, polled to completion',
      endpoint: retrieveOperation,
      states: 'Response 200: operation',
      request: {
        params: {
          project_id: inName(/projects\/([^/]+)\//, place.project_id),
          location: inName(/locations\/([^/]+)\//, place.location),
          publisher: inName(/publishers\/([^/]+)\//, place.publisher),
          model: { $model: true },
          operation_id: inName(/([^/]+)$/, ''),
        },
      },
      polling: { pointer: '/done', until: [true], succeeded: { pointer: '/response' } },
    },
  ],
}
