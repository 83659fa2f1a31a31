/**
 * Every field of every request, as its schema describes it (fields.txt, to be read beside the contract): what
 * lies one step beyond is rejected in words that name the field, what was expected and what came; what lies at
 * the bounds is answered, and allowed by the OpenAPI document.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { judge, operation } from '../openapi/_document.ts'
import { absent, bodyWith, fieldsOf, kindOf } from './_fields.ts'
import { isStrict, lineOf, type Rejection, rejectionsOf, takenBy } from './_rejections.ts'
import { fileOf, png, undrawn } from './images/_images.ts'

type Body = Readonly<Record<string, unknown>>

const [jobId, videoId] = ['job-1', 'video_1']
const [model, imgUrl] = ['image-job-v7', 'https://pictures.example/cat.png']
const messages = [{ role: 'user', content: 'Say "hi"' }]

/** A request of each operation that is answered. */
const requests: Readonly<Record<string, Body>> = {
  'chat.create': { model: 'gpt-4o', messages },
  'messages.create': { model: 'claude-4', max_tokens: 99, messages },
  'images.generate': { prompt: 'a fox' },
  'images.edit': { prompt: 'a fox', image: fileOf(png()) },
  'imageJobs.create': { model, text: 'a fox' },
  'imageJobs.uploadPaint': {
    model,
    imgUrl,
    mask: { url: imgUrl },
    canvas: { width: 8, height: 8 },
    imgPos: { width: 4, height: 4, x: 0, y: 0 },
    remixPrompt: 'a fox',
  },
  'imageJobs.retexture': { model, imgUrl, remixPrompt: 'a fox' },
  'imageJobs.removeBackground': { model, imgUrl },
  'imageJobs.pan': { jobId, imageNo: 0, direction: 0, scale: 2 },
  'imageJobs.variation': { jobId, imageNo: 0, type: 0 },
  'videos.create': { prompt: 'a fox' },
  'videos.remix': { prompt: 'a fox' },
  'videoOperations.submit': { instances: [{ prompt: 'a fox' }] },
  'videoOperations.submitForPublisher': { instances: [{ prompt: 'a fox' }] },
  'videoOperations.fetch': {
    operationName:
      'projects/p/locations/l/publishers/google/models/veo-3/operations/00000000-0000-4000-8000-000000000000',
  },
  'files.createUploadUrl': { path: 'images/cat.png' },
  'systemone.evaluate': { model: 'jev-1', state: 'angry', questions: { q: { type: 'noul' } } },
}

const tool = { type: 'function', function: { name: 'Paris' } }

/** What a field, and what is inside it, needs beside it: rules between fields are proved elsewhere. */
const companions: Readonly<Record<string, Body>> = {
  'chat.create audio': { modalities: ['audio'] },
  'chat.create function_call': { functions: [tool.function] },
  'chat.create parallel_tool_calls': { tools: [tool] },
  'chat.create tool_choice': { tools: [tool] },
  'chat.create top_logprobs': { logprobs: true },
  'chat.create stream_options': { stream: true },
  'messages.create thinking': { max_tokens: 2000 },
  'messages.create tool_choice': { tools: [{ name: 'Paris', input_schema: { type: 'object' } }] },
  'imageJobs.create prompt': { text: undefined },
}

/** Fields of which other fields or settings decide what they take: the tests of their operations show it. */
const ruled = new RegExp(
  [
    'chat.create (functions|tools|audio|modalities\\[\\]|function_call.name|tool_choice.*)$',
    'chat.create (.*:(assistant|tool)\\b.*|messages\\[\\]|.*parameters|.*schema)$',
    'messages.create (tool_choice:tool.name|.*:assistant\\b.*|.*:tool_result\\b.*|messages\\[\\](:user\\.content\\[\\])?)$',
    'images.* (size|quality|output_compression|partial_images|style|mask|image.*)$',
    'imageJobs.* (jobId|callback)$',
    'videos.create input_reference(.image_url)?$',
    'videoOperations.* (instances(\\[\\])?|operationName)$',
    'files.createUploadUrl storage_provider$',
  ]
    .map((line) => `^${line}`)
    .join('|'),
)

const sim = simulator({
  clock: 'auto',
  scenarios: [{ title: 'given', given: { imageJobs: [{ id: jobId }], videos: [{ id: videoId }] } }],
  settings: { limits: { activeImageJobs: 10_000 } },
})
undrawn(sim)

const tables = sim.routes
  .filter(
    ({ group, endpoint }) => group.name !== 'control' && endpoint.body && !endpoint.accepts.includes('bytes'),
  )
  .map(({ endpoint, group }) => ({ endpoint, group, fields: fieldsOf(endpoint.body?.() as never) }))
const rows = tables.flatMap(({ endpoint, group, fields }) =>
  fields.map((field) => ({ title: `${endpoint.operation} ${field.name}`, endpoint, group, field })),
)
type Row = (typeof rows)[number]

const takesJson = ({ endpoint }: Row): boolean => endpoint.accepts.includes('json')

function formOf(body: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body))
    form.append(name, value instanceof File ? value : `${value}`)
  return form
}

/** A request with this value at a field. */
function requestWith({ endpoint, field }: Row, value: unknown): object {
  const beside = companions[`${endpoint.operation} ${field.way[0]?.key}`]
  return bodyWith({ ...requests[endpoint.operation], ...beside }, field.way, value)
}

/** The answer to a request with this value at a field. */
async function answerWith(row: Row, value: unknown): Promise<readonly [status: number, text: string]> {
  const { endpoint } = row
  const body = requestWith(row, value)
  const path = endpoint.path.replace('{video_id}', videoId).replace(/\{\w+\}/g, 'veo-3')
  const response = await sim.fetch(`http://gateway.test${path}`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer sk-test',
      'anthropic-version': '2023-06-01',
      ...(takesJson(row) && { 'content-type': 'application/json' }),
    },
    body: takesJson(row) ? JSON.stringify(body) : formOf(body),
  })
  return [response.status, await response.text()]
}

/** Whether a form can say a value: it has only texts. */
function isSayable(row: Row, value: unknown): boolean {
  if (takesJson(row) || value === absent || typeof value === 'string') return true
  return Number.isInteger(value) && row.field.forms.some((form) => kindOf(form) === 'number')
}

/** The whole body of a rejection, in the envelope of its API. */
function envelope({ group, endpoint }: Row, { at, message }: Rejection): unknown {
  const code = group.name === 'image-jobs' ? 2004 : 400
  const error = {
    type: 'invalid_request_error',
    code,
    message: `\`${at}\`: ${message}.`,
    param: at,
    details: [{ code, message: `\`${at}\`: ${message}`, field: at }],
    trace_id: expect.stringMatching(/^trc_[0-9a-f]{32}$/),
    ...(group.name === 'video-operations' && { status: 'INVALID_ARGUMENT' }),
  }
  if (endpoint.operation !== 'messages.create') return { error }
  return { type: 'error', error, request_id: expect.stringMatching(/^req_/) }
}

const headOf = ({ operation, body }: Row['endpoint']): string =>
  isStrict(body?.() as never) ? `${operation}, without other fields` : operation

const titled = (chosen: readonly Row[]) => chosen.map((row) => [row.title, row] as const)

it('the fields of all requests are these', async () => {
  const text = tables.map(({ endpoint, fields }) =>
    [headOf(endpoint), ...fields.map((field) => `  ${lineOf(field)}`)].join('\n'),
  )
  await expect(`${text.join('\n\n')}\n`).toMatchFileSnapshot('fields.txt')
})

// One says by its type and the other by its other fields which of two kinds of tools was meant.
const ambiguous = ['messages.create tools[]:name.type', 'messages.create tools[]:type.type']
const bounded = rows.filter(({ title }) => !ambiguous.includes(title))

it.each(titled(bounded))('rejects beyond its bounds: %s', async (_, row) => {
  for (const rejection of rejectionsOf(row.field).filter(({ value }) => isSayable(row, value))) {
    const [status, text] = await answerWith(row, rejection.value)
    const body: unknown = JSON.parse(text.replaceAll(/ \(setting [\w.]+\)/g, ''))
    expect.soft([status, body], rejection.message).toEqual([400, envelope(row, rejection)])
  }
})

const alone = rows.filter(({ title }) => !ruled.test(title))

it.each(titled(alone))('answers at its bounds: %s', async (_, row) => {
  for (const value of takenBy(row.field).filter((value) => isSayable(row, value))) {
    const [status, text] = await answerWith(row, value)
    expect.soft(`${status} ${status === 200 ? '' : text}`).toBe('200 ')
  }
})

it.each(titled(alone.filter(takesJson)))('the document takes at its bounds: %s', (_, row) => {
  const content = operation(row.endpoint.operation).requestBody?.content
  const holds = judge(content?.['application/json']?.schema ?? {})
  for (const value of takenBy(row.field)) {
    const body: unknown = JSON.parse(JSON.stringify(requestWith(row, value)))
    expect.soft([holds(body), holds.errors]).toEqual([true, null])
  }
})

it('docs/spec-coverage.md names fields that there are', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/spec-coverage.md'), 'utf8')
  const named = [...page.matchAll(/fields\.test\.ts` › "(\w+) \w+ its bounds: ([^"]*)"/g)]
  const known = { rejects: titled(bounded), answers: titled(alone) }
  const unknown = named.filter(
    ([, verb, title]) => !known[verb as keyof typeof known].some(([found]) => found === title),
  )
  expect(unknown.map(([text]) => text)).toEqual([])
  expect(named.length).toBeGreaterThan(100)
})
