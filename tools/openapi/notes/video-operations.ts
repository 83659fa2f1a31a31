/** Notes of the document on long-running video operations. */
import type { GroupNotes, Made } from '../notes.ts'

const model = 'veo-3.0-generate-preview'
const body = {
  instances: [{ prompt: 'a sunset over the sea' }],
  parameters: { aspectRatio: '16:9', durationSeconds: 4, sampleCount: 1 },
}
const ended = { ...body, instances: [{ prompt: 'a sunset over the sea [sim:finished]' }] }

const nameOf = async (made: Made, json: typeof body): Promise<string> =>
  String((await made('videoOperations.submit', { params: { model }, json }))['name'])

/** `projects/a/locations/b/…` as the parameters of the polling path. */
function paramsOf(name: string): Record<string, string> {
  const [, project_id = '', , location = '', , publisher = '', , ofModel = '', , operation_id = ''] =
    name.split('/')
  return { project_id, location, publisher, model: ofModel, operation_id }
}

/** The file id of the first video. */
const fileOf = (name: string): string => `${paramsOf(name)['operation_id']?.replaceAll('-', '')}0`

export const operationsNotes: GroupNotes = {
  title: 'Long-running video operations',
  description: 'Videos as long-running operations: a submission returns a name to poll for the result.',
  params: {
    model: 'The video model.',
    file_id: 'The id of the video: the part between `files/` and `:download` in its `uri`.',
    uri: 'The `uri` of the video without `http:/` and without its query.',
    video: 'The index of the video in the result, with a file extension: `0.mp4`.',
  },
  operations: {
    'videoOperations.submit': {
      source: 'the contract; other parameters and image fields: the Gemini API and Vertex',
      description:
        'Poll `/v1beta/` followed by the returned name. An instance has a ' +
        '`prompt`, an `image`, or both.',
      calls: () => [{ name: 'submitted', summary: 'A video from a prompt', params: { model }, json: body }],
    },
    'videoOperations.retrieve': {
      source: 'the contract; the fields with videos for each client: the Gemini API and Vertex',
      description: 'When `done` is true, the operation has either `error` or `response`.',
      calls: async (made) => [
        { name: 'running', summary: 'A running operation', params: paramsOf(await nameOf(made, body)) },
        {
          name: 'done',
          summary: 'A finished operation',
          params: paramsOf(await nameOf(made, ended)),
        },
        {
          name: 'failed',
          summary: 'A failed operation',
          params: paramsOf(
            await nameOf(made, { ...body, instances: [{ prompt: 'a sunset over the sea [sim:fail-at-0]' }] }),
          ),
        },
      ],
    },
    'videoOperations.fetch': {
      source: 'Vertex',
      async calls(made) {
        const operationName = await nameOf(made, body)
        const { operation_id: _, ...params } = paramsOf(operationName)
        return [{ name: 'running', summary: 'A running operation', params, json: { operationName } }]
      },
    },
    'videoOperations.downloadVideo': {
      source: 'the contract; the form of `uri`: the Gemini API',
      description:
        'The id is in the `uri` of a video. The operation takes no API key and ignores `key` in the query. ' +
        '`range` is supported.',
      async calls(made) {
        return [
          {
            name: 'video',
            summary: 'The first video',
            params: { file_id: fileOf(await nameOf(made, ended)) },
            query: { alt: 'media' },
          },
        ]
      },
    },
    'videoOperations.downloadVideoByUri': {
      source: 'the requests of @google/genai for a `uri` that begins with `http:`',
      description:
        'Returns the same video by its full URL, because Google clients extract the id only from https URLs.',
      async calls(made) {
        return [
          {
            name: 'video',
            summary: 'The first video',
            params: { uri: `/127.0.0.1/v1beta/files/${fileOf(await nameOf(made, ended))}:download` },
            query: { alt: 'media' },
          },
        ]
      },
    },
  },
  names: {
    'videoOperations.submit body': 'OperationRequest',
    'videoOperations.submit body.instances[]': 'OperationInstance',
    'videoOperations.submit body.instances[].image': 'OperationImage',
    'videoOperations.submit body.parameters': 'OperationParameters',
    'videoOperations.submit response': 'SubmittedOperation',
    'videoOperations.retrieve response': 'Operation',
    'videoOperations.fetch body': 'OperationPoll',
  },
  fields: {
    Operation: 'The current state of an operation: running, done with a result, or done with an error.',
    'OperationRequest.parameters': 'The generation parameters.',
    'SubmittedOperation.name': 'The name to poll.',
    'OperationPoll.operationName': 'The name from the submission response.',
  },
}
