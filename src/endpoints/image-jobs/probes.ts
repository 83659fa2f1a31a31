/** The probes of `gateway-sim check` for image jobs. */
import type { Endpoint } from '../../protocol/endpoint.ts'
import {
  from,
  type Probe,
  type ProbeSet,
  type ProbeValue,
  rejections,
  theModel,
  withoutKey,
} from '../../protocol/probe.ts'
import { createImageJob, pan, removeBackground, retexture, uploadPaint, variation } from './edits.ts'
import { readJobImage, retrieveImageJob } from './read.ts'

const image = from('an upload URL', '/visit_url')
// Rejected before the image is inspected.
const nowhere = 'https://example.com/image.png'
const unknownJob = 'job-that-does-not-exist'

const paint = {
  model: theModel,
  imgUrl: nowhere,
  mask: { areas: [{ width: 128, height: 128, points: [0, 0, 64, 0, 64, 64] }] },
  canvas: { width: 128, height: 128 },
  imgPos: { width: 128, height: 128, x: 0, y: 0 },
  remixPrompt: 'a calm sea',
}

/** The jobs that start from an image or a prompt. */
const firstJobs = ['the first job, polled to completion', 'the retexture job, polled to completion']
const source = {
  jobId: from(firstJobs, '/id'),
  imageNo: 0,
  remixPrompt: 'at night',
}

/** A submission, and its polls until it finishes. */
function job(
  name: string,
  polled: string,
  endpoint: Endpoint,
  json: { readonly [field: string]: ProbeValue },
  more: Partial<Probe> = {},
): Probe[] {
  return [
    {
      name,
      endpoint,
      states: 'Success: HTTP 200, body is an image job',
      spend: 'all',
      request: { json, ...(json['imgUrl'] === image ? { after: 'an upload' } : {}) },
      expect: { status: [200] },
      ...more,
    },
    {
      name: polled,
      endpoint: retrieveImageJob,
      states: 'The result is obtained by polling `GET /v1/tob/job/{jobId}`',
      spend: 'all',
      request: { params: { jobId: from(name, '/id') } },
      polling: { pointer: '/status', until: [2, 3], succeeded: { pointer: '/status', is: [2] } },
      expect: { status: [200] },
    },
  ]
}

/** Also the only free probes that show whether the gateway has an operation. */
const callbacks = (
  [
    ['an upload-paint', uploadPaint, paint],
    ['a retexture', retexture, { model: theModel, imgUrl: nowhere, remixPrompt: 'in oil' }],
    ['a remove-background', removeBackground, { model: theModel, imgUrl: nowhere }],
    ['a pan', pan, { jobId: unknownJob, imageNo: 0, direction: 1, scale: 1.5 }],
    ['a variation', variation, { jobId: unknownJob, imageNo: 0, type: 1 }],
  ] as const
).flatMap(([name, endpoint, json]) =>
  rejections({ endpoint, json, status: [400] }, [
    [
      `${name} with a callback`,
      'A `callback` field is not supported; sending it yields HTTP 400 with code 2004',
      { callback: 'https://example.com/callback' },
    ],
  ]),
)

const paints = rejections({ endpoint: uploadPaint, json: paint }, [
  ['an upload-paint with an unknown field', 'Unknown properties are rejected', { gatewayCheck: true }],
  ['an upload-paint without remixPrompt', 'All fields below are required', { remixPrompt: undefined }],
  ['an upload-paint with an empty mask', '`mask` needs at least one of `areas` or `url`', { mask: {} }],
  [
    'an upload-paint with two points',
    'areas[].points: array of integers, min 6 items',
    { mask: { areas: [{ width: 128, height: 128, points: [0, 0, 64, 64] }] } },
  ],
  [
    'an upload-paint with a zero-width canvas',
    'canvas: `width`, `height`: integers >= 1',
    { canvas: { width: 0, height: 128 } },
  ],
])

// With a job that exists, because an unknown one is rejected anyway.
const panned = { ...source, direction: 1, scale: 1.5 }
const ranges = rejections({ endpoint: pan, json: panned, spend: 'all' }, [
  ['a pan with a scale of 3.1', 'scale: 1.1..3', { scale: 3.1 }],
  ['a pan of image 4', 'imageNo: index into the source `urls`; 0..3', { imageNo: 4 }],
])

const mayReject = { status: [400], because: 'some model versions do not support the operation' }

export const imageJobsProbes: ProbeSet = {
  group: 'image-jobs',
  model: 'image-job-v7',
  probes: [
    withoutKey('an upload-paint without an API key', uploadPaint, { json: paint }),
    withoutKey('a poll of an image job without an API key', retrieveImageJob, {
      params: { jobId: unknownJob },
    }),
    ...callbacks,
    ...paints,
    ...rejections({ endpoint: pan, json: panned, status: 'rejected' }, [
      ['a pan of an unknown job', 'source job id', { jobId: unknownJob }],
    ]),
    {
      name: 'a poll of an unknown image job',
      endpoint: retrieveImageJob,
      states: 'An error body has an object `error`',
      spend: 'none',
      request: { params: { jobId: unknownJob } },
      expect: { status: 'rejected' },
    },
    ...job(
      'an image job',
      firstJobs[0] as string,
      createImageJob,
      { model: theModel, text: 'a lighthouse at night' },
      {
        mayReject: {
          status: [400, 403, 404, 405, 501],
          because: 'the contract mentions this operation but does not document it',
        },
      },
    ),
    ...job('a retexture job', firstJobs[1] as string, retexture, {
      model: theModel,
      imgUrl: image,
      remixPrompt: 'in oil',
    }),
    {
      name: 'the result of an image job',
      endpoint: readJobImage,
      states: 'urls: result image addresses once succeeded',
      spend: 'all',
      request: { to: from(firstJobs, '/urls/0') },
      expect: { status: [200] },
    },
    ...job('an upload-paint job', 'the upload-paint job, polled to completion', uploadPaint, {
      ...paint,
      imgUrl: image,
    }),
    ...job('a background removal', 'the background removal, polled to completion', removeBackground, {
      model: theModel,
      imgUrl: image,
    }),
    ...ranges,
    ...job('a pan', 'the pan, polled to completion', pan, panned, { mayReject }),
    ...job(
      'a variation',
      'the variation, polled to completion',
      variation,
      { ...source, type: 1 },
      { mayReject },
    ),
  ],
}
