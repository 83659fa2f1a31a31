import { describe, expect, it } from 'vitest'
import { defineEndpoint, defineGroup, type Endpoint } from '../../src/protocol/endpoint.ts'
import { json } from '../../src/protocol/response.ts'
import { createRouter } from '../../src/protocol/router.ts'

const endpoint = (
  operation: string,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  more: Partial<Endpoint> = {},
) =>
  defineEndpoint({ operation, method, path, summary: operation, accepts: [], act: () => json({}), ...more })
const group = defineGroup({
  name: 'test',
  credentials: [],
  renderError: () => ({ body: {} }),
  endpoints: [
    endpoint('videos.list', 'GET', '/v1/videos'),
    endpoint('videos.create', 'POST', '/v1/videos'),
    endpoint('videos.retrieve', 'GET', '/v1/videos/{video_id}'),
    endpoint('videos.content', 'GET', '/v1/videos/{video_id}/content'),
    endpoint('videos.latest', 'GET', '/v1/videos/latest'),
    endpoint('videoOperations.submit', 'POST', '/v1beta/models/{model}:predictLongRunning'),
    endpoint('videoOperations.count', 'POST', '/v1beta/models/{model}:count'),
    endpoint('models.read', 'GET', '/v1beta/models/{model}'),
    endpoint('files.read', 'GET', '/files/{bucket}/{key}', { tail: true }),
    endpoint('files.write', 'PUT', '/files/{bucket}/{key}', { tail: true, alsoMethods: ['POST'] }),
    endpoint('files.list', 'GET', '/files/{bucket}/list'),
  ],
})
const router = createRouter([group])

const found = (method: string, path: string): unknown => {
  const match = router.match(method, path)
  return match.kind === 'found'
    ? [match.route.endpoint.operation, match.params]
    : match.kind === 'method'
      ? ['405', match.allowed]
      : '404'
}

describe('the router', () => {
  it.each([
    ['GET', '/v1/videos', ['videos.list', {}]],
    ['POST', '/v1/videos', ['videos.create', {}]],
    ['GET', '/v1/videos/video_1', ['videos.retrieve', { video_id: 'video_1' }]],
    ['GET', '/v1/videos/video_1/content', ['videos.content', { video_id: 'video_1' }]],
    ['HEAD', '/v1/videos/video_1/content', ['videos.content', { video_id: 'video_1' }]],
    ['GET', '/v1/videos/a%20b%2Fc', ['videos.retrieve', { video_id: 'a b/c' }]],
    ['GET', '/v1/%76ideos', ['videos.list', {}]],
    ['GET', '/files/b/a.png', ['files.read', { bucket: 'b', key: 'a.png' }]],
    ['GET', '/files/b/a/%20c/d', ['files.read', { bucket: 'b', key: 'a/ c/d' }]],
    ['GET', '/files/b/a%2Fb//', ['files.read', { bucket: 'b', key: 'a/b//' }]],
    ['GET', '/files/b/', ['files.read', { bucket: 'b', key: '' }]],
    ['GET', '/files/b/list', ['files.list', { bucket: 'b' }]],
    ['GET', '/files/b/list/a', ['files.read', { bucket: 'b', key: 'list/a' }]],
    ['PUT', '/files/b/a', ['files.write', { bucket: 'b', key: 'a' }]],
    ['POST', '/files/b/a', ['files.write', { bucket: 'b', key: 'a' }]],
    ['DELETE', '/files/b/a', ['405', ['GET', 'HEAD', 'PUT', 'POST', 'OPTIONS']]],
    ['GET', '/files/b', '404'],
    ['GET', '/files/b/a/%ff', '404'],
    ['GET', '/v1/videos/latest', ['videos.latest', {}]],
    ['POST', '/v1beta/models/veo-3:predictLongRunning', ['videoOperations.submit', { model: 'veo-3' }]],
    ['POST', '/v1beta/models/veo-3%3ApredictLongRunning', ['videoOperations.submit', { model: 'veo-3' }]],
    ['POST', '/v1beta/models/a:b:count', ['videoOperations.count', { model: 'a:b' }]],
    ['GET', '/v1beta/models/veo-3', ['models.read', { model: 'veo-3' }]],
  ])('%s %s', (method, path, expected) => {
    expect(found(method, path)).toEqual(expected)
  })

  it.each([
    '/',
    '',
    '/v1',
    '/v1/',
    '/v1/videos/',
    '/v1/videos//content',
    '/v1/videos/x/content/y',
    '/v1/videos/%zz',
    '/v1/videos/%ff',
    '/V1/videos',
    '/v1/videos/__proto__/x',
  ])('%j is unknown', (path) => {
    expect(found('GET', path)).toBe('404')
  })

  it('names the methods that a path has', () => {
    expect(found('DELETE', '/v1/videos')).toEqual(['405', ['GET', 'HEAD', 'POST', 'OPTIONS']])
    expect(found('PROPFIND', '/v1/videos/x')).toEqual(['405', ['GET', 'HEAD', 'OPTIONS']])
  })

  it('does not take a parameter named like a property of objects for one', () => {
    expect(found('GET', '/v1/videos/__proto__')).toEqual(['videos.retrieve', { video_id: '__proto__' }])
  })

  it('two endpoints of one method and path are an error of ours', () => {
    expect(() => createRouter([group, group])).toThrow('router: two endpoints for GET /v1/videos')
  })
})
