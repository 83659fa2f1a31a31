/** What the document says of long-running video operations beyond their schemas. */
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
  description: 'Videos as operations: a submission returns a name, and polling that name returns the result.',
  params: {
    model: 'The video model.',
    file_id: 'The id of the video: the part between `files/` and `:download` in its `uri`.',
    uri: 'The `uri` of the video without `http:/` and without its query.',
    video: 'The index of the video in the result, with its extension: `0.mp4`.',
  },
  operations: {
    'videoOperations.submit': {
      source: 'the contract; further parameters and the form of images: the Gemini API and Vertex',
      description: [
        'The path for polling is `/v1beta/` followed by the returned name. An instance has a',
        '`prompt`, an `image`, or both.',
      ].join(' '),
      calls: () => [{ name: 'submitted', summary: 'A video from a prompt', params: { model }, json: body }],
    },
    'videoOperations.retrieve': {
      source: 'the contract; where the clients of each dialect find the video: the Gemini API, Vertex',
      description: 'Once `done` is true there is `error` or `response`, never both.',
      calls: async (made) => [
        { name: 'running', summary: 'A running operation', params: paramsOf(await nameOf(made, body)) },
        {
          name: 'done',
          summary: 'A finished operation with its video',
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
      source: 'Vertex; the contract does not name it',
      async calls(made) {
        const operationName = await nameOf(made, body)
        const { operation_id: _, ...params } = paramsOf(operationName)
        return [{ name: 'running', summary: 'A running operation', params, json: { operationName } }]
      },
    },
    'videoOperations.downloadVideo': {
      source: 'the contract: `uri` leads to the video; its form: the Gemini API',
      description: [
        'The id is part of the `uri` of a video. No API key is needed, and `key` in the query is',
        'ignored. `range` is supported.',
      ].join(' '),
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
      source: 'what @google/genai requests when a `uri` begins with `http:`',
      description:
        'The same video, by its whole address: Google clients extract the id from https addresses only.',
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
    'videoOperations.readVideo': {
      source: 'ours: an address that follows from the id of the operation',
      async calls(made) {
        const { operation_id = '' } = paramsOf(await nameOf(made, ended))
        return [{ name: 'video', summary: 'The first video', params: { operation_id, video: '0.mp4' } }]
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
    'OperationRequest.parameters': 'How the video is to be made.',
    'SubmittedOperation.name': 'The name to poll.',
    'OperationPoll.operationName': 'The name that the submission returned.',
  },
}
