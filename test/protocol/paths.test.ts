/** Which paths there are (contract sections 1 and 9). */
import { describe, expect, it } from 'vitest'
import { simulator } from '../_setup.ts'
import { operationsOf } from './_operations.ts'

const operations = operationsOf(simulator())

describe('the service offers', () => {
  it.each([
    ['POST', '/v1/chat/completions'],
    ['POST', '/v1/messages'],
    ['POST', '/v1/images/generations'],
    ['POST', '/v1/images/edits'],
    ['POST', '/v1/tob/upload-paint'],
    ['POST', '/v1/tob/retexture'],
    ['POST', '/v1/tob/pan'],
    ['POST', '/v1/tob/remove-background'],
    ['POST', '/v1/tob/variation'],
    ['GET', '/v1/tob/job/{jobId}'],
    ['POST', '/v1/videos'],
    ['GET', '/v1/videos/{video_id}'],
    ['GET', '/v1/videos/{video_id}/content'],
    ['POST', '/v1/videos/{video_id}/remix'],
    ['POST', '/v1beta/models/{model}:predictLongRunning'],
    [
      'GET',
      '/v1beta/projects/{project_id}/locations/{location}/publishers/{publisher}/models/{model}/operations/{operation_id}',
    ],
    ['POST', '/v1/files/upload_url'],
    ['POST', '/v1/systemone'],
  ])('%s %s', (method, path) => {
    expect(
      operations.filter(({ endpoint }) => endpoint.method === method && endpoint.path === path),
    ).toHaveLength(1)
  })
})

it('long-running video operations carry /v1beta, everything else /v1', () => {
  const files = operations.filter(({ endpoint }) => endpoint.open === true)
  // Google clients look for films under `/v1beta/files`.
  expect(files.map(({ endpoint }) => endpoint.path.split('/')[1])).toEqual(
    files.map(({ endpoint }) => (endpoint.path.startsWith('/v1beta/files/') ? 'v1beta' : 'media')),
  )
  for (const { endpoint, group } of operations)
    if (!files.some((file) => file.endpoint === endpoint))
      expect([endpoint.operation, endpoint.path.split('/')[1]]).toEqual([
        endpoint.operation,
        group.name === 'video-operations' ? 'v1beta' : 'v1',
      ])
})
