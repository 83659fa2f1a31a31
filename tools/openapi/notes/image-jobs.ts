/** Notes of the document on image jobs. */
import type { GroupNotes, Made } from '../notes.ts'

const model = 'image-job-v7'
const image = 'https://pictures.example/harbour.png'
const submission = { json: { model, text: 'a lighthouse at night --ar 16:9' } }
const ended = { json: { model: 'sim-finished', text: 'a lighthouse at night --ar 16:9' } }
const idOf = async (made: Made, call: typeof submission): Promise<string> =>
  String((await made('imageJobs.create', call))['id'])

const polling = 'The response is the current job object; poll `GET /v1/tob/job/{jobId}` for the result.'
const sourced =
  'The source job must have succeeded. Use the API key of its submission. ' +
  `The edit uses the model of the source job. ${polling}`

export const imageJobsNotes: GroupNotes = {
  title: 'Image jobs',
  description:
    'Asynchronous image jobs: submit a job, then poll its id. Callbacks are not supported: ' +
    '`callback` is rejected with code 2004.',
  params: {
    jobId: 'The id of the job.',
    image: 'The index of the image in `urls`, with a file extension: `0.png`.',
  },
  operations: {
    'imageJobs.create': {
      source:
        'the contract; path and prompt fields: the upstream, because the ' +
        'contract does not document them',
      description: polling,
      calls: () => [
        { name: 'submitted', summary: 'An image from a prompt', ...submission },
        { name: 'terminal', summary: 'A job that finishes immediately', ...ended },
        {
          name: 'callback',
          summary: 'An unsupported callback',
          json: { ...submission.json, callback: 'https://client.example/done' },
        },
      ],
    },
    'imageJobs.uploadPaint': {
      source: 'the contract',
      description: `Unknown fields are rejected at every level. ${polling}`,
      calls: () => [
        {
          name: 'submitted',
          summary: 'Repaint the left half of an image on a larger canvas',
          json: {
            model,
            imgUrl: image,
            mask: { areas: [{ width: 512, height: 512, points: [0, 0, 256, 0, 256, 512, 0, 512] }] },
            canvas: { width: 1024, height: 1024 },
            imgPos: { width: 512, height: 512, x: 256, y: 256 },
            remixPrompt: 'a harbour in fog',
          },
        },
      ],
    },
    'imageJobs.retexture': {
      source: 'the contract; all fields are required because its example sends them all',
      description: polling,
      calls: () => [
        {
          name: 'submitted',
          summary: 'A redrawn image',
          json: { model, imgUrl: image, remixPrompt: 'as a woodcut' },
        },
      ],
    },
    'imageJobs.removeBackground': {
      source: 'the contract; all fields are required because its example sends them all',
      description: polling,
      calls: () => [{ name: 'submitted', summary: 'Remove the background', json: { model, imgUrl: image } }],
    },
    'imageJobs.pan': {
      source: 'the contract; the name of the prompt field: the upstream',
      description: sourced,
      async calls(made) {
        const jobId = await idOf(made, ended)
        return [
          {
            name: 'submitted',
            summary: 'Extend an image to the right',
            json: { jobId, imageNo: 0, direction: 1, scale: 1.5, remixPrompt: 'more of the sea' },
          },
          {
            name: 'unfinished-source',
            summary: 'A source job that has not succeeded yet',
            json: {
              jobId: await idOf(made, submission),
              imageNo: 0,
              direction: 1,
              scale: 1.5,
              remixPrompt: 'more of the sea',
            },
          },
        ]
      },
    },
    'imageJobs.variation': {
      source: 'the contract; the name of the prompt field: the upstream',
      description: sourced,
      calls: async (made) => [
        {
          name: 'submitted',
          summary: 'A subtle variation',
          json: { jobId: await idOf(made, ended), imageNo: 2, type: 1, remixPrompt: 'with more light' },
        },
      ],
    },
    'imageJobs.retrieve': {
      source: 'the contract; the response is the same job object',
      async calls(made) {
        const params = { jobId: await idOf(made, submission) }
        const failed = await idOf(made, { json: { model: 'sim-fail-at-50', text: 'a lighthouse at night' } })
        await made('imageJobs.retrieve', { params: { jobId: failed } })
        await made('imageJobs.retrieve', { params: { jobId: failed } })
        return [
          { name: 'running', summary: 'A submitted job', params },
          {
            name: 'succeeded',
            summary: 'A finished job',
            params: { jobId: await idOf(made, ended) },
          },
          { name: 'failed', summary: 'A failed job', params: { jobId: failed } },
        ]
      },
    },
    'imageJobs.readImage': {
      source: 'the contract: `urls` are image URLs',
      calls: async (made) => [
        {
          name: 'image',
          summary: 'The first image',
          params: { jobId: await idOf(made, ended), image: '0.png' },
        },
      ],
    },
  },
  names: {
    'imageJobs.create body': 'ImageJobRequest',
    'imageJobs.create response': 'ImageJob',
    'imageJobs.create response.cost': 'ImageJobCost',
    'imageJobs.uploadPaint body': 'UploadPaintRequest',
    'imageJobs.uploadPaint body.mask': 'PaintMask',
    'imageJobs.uploadPaint body.mask.areas[]': 'PaintArea',
    'imageJobs.retexture body': 'RetextureRequest',
    'imageJobs.removeBackground body': 'RemoveBackgroundRequest',
    'imageJobs.pan body': 'PanRequest',
    'imageJobs.variation body': 'VariationRequest',
  },
  fields: {
    ImageJob: 'The current state of an image job.',
    'ImageJob.id': 'The id of the job: `jobId` in edits and in the poll path.',
    'ImageJob.text': 'The prompt.',
    'ImageJob.urls': 'The image URLs if the job has succeeded, otherwise empty or null.',
    'ImageJob.cost': 'The upstream cost, not the billed amount. It may change until the job ends.',
    'ImageJob.seed': 'The seed of the images.',
    'UploadPaintRequest.mask': 'The area to repaint: `areas`, `url` or both.',
  },
}
