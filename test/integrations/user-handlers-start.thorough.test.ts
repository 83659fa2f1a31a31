/**
 * What user handlers need before anything is served: handlers that are some, and packages of the right
 * generation.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HttpResponse, http, ws } from 'msw'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createUserHandlers } from '../../src/http/handlers/user-handlers.ts'
import { listen } from '../../src/node.ts'
import { requireBuild, root, runNode } from '../_built.ts'
import { simulator } from '../_setup.ts'
import { exchange } from './_socket.ts'

describe('invalid handlers are rejected at the start', () => {
  const { core } = simulator()
  const one = http.get('/v1/models', () => HttpResponse.text('x'))
  const wanted = "expected an msw request handler such as http.post('/v1/chat/completions', …), got"
  const socket = ws.link('ws://a.test').addEventListener('connection', () => {})
  it.each<[string, unknown, string]>([
    [
      'only a resolver',
      [one, () => HttpResponse.text('x')],
      `handlers[1]: ${wanted} a function, a resolver without a path: write http.post(path, resolver)`,
    ],
    ['a nested list', [[one]], `handlers[0]: ${wanted} an array of 1 item: spread it (...list)`],
    ['a promise', [Promise.resolve(one)], 'got a promise: await it first'],
    ['nothing', [one, undefined], `handlers[1]: ${wanted} undefined`],
    ['a plain object', [{ path: '/v1', method: 'GET' }], 'got an object with path, method'],
    ['a string', ['./handlers.js'], 'got "./handlers.js" (a string)'],
    ['a WebSocket handler', [socket], 'got a WebSocket handler: the gateway has no WebSockets'],
    ['a value that is not a list', one, 'handlers: expected an array of msw handlers, got an object with'],
  ])('%s: a TypeError with the place and the value', async (_, given, message) => {
    const error = await createUserHandlers(given as never, core).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toContain(message)
  })

  it('listen() rejects with it', async () => {
    await expect(listen(simulator(), { handlers: [1] })).rejects.toThrow(
      'handlers[0]: expected an msw request handler',
    )
    await expect(listen(simulator(), { handlers: one as never })).rejects.toThrow(
      'handlers: expected an array of msw handlers',
    )
  })

  it('msw 3: an error that names the version and the fix', async () => {
    const from = project({ msw: 'msw3' })
    await expect(createUserHandlers([one], core, { from })).rejects.toThrow(
      /which needs msw 2; found msw 3\.\d+\.\d+: npm install --save-dev msw@2/,
    )
  })

  it('no middleware: an error that names what to install', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
    onTestFinished(() => rmSync(empty, { recursive: true }))
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(empty)
    onTestFinished(() => cwd.mockRestore())
    await expect(
      createUserHandlers([one], core, { from: pathToFileURL(join(empty, 'x.js')).href }),
    ).rejects.toThrow(
      '@mswjs/http-middleware, which is not installed: npm install --save-dev @mswjs/http-middleware msw@2',
    )
  })

  it('packages in the working directory are found if the simulator is installed elsewhere (npx)', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
    onTestFinished(() => rmSync(empty, { recursive: true }))
    await expect(
      createUserHandlers([one], core, { from: pathToFileURL(join(empty, 'x.js')).href }),
    ).resolves.toBeTypeOf('function')
  })
})

describe('the Express version of the middleware', () => {
  for (const [version, folder] of [
    ['5', 'express'],
    ['4', '@mswjs/http-middleware/node_modules/express'],
  ] as const) {
    it(`can be ${version}`, async () => {
      const from = project({ msw: 'msw', express: folder })
      expect(JSON.parse(readFileSync(resolve('node_modules', folder, 'package.json'), 'utf8'))).toMatchObject(
        { version: expect.stringMatching(new RegExp(`^${version}\\.`)) },
      )
      const mine = http.get('/v1/models', () => HttpResponse.text('mine'))
      const handlers = await createUserHandlers([mine], simulator().core, { from })
      const server = createServer((request, response) =>
        handlers(request, response, () => response.writeHead(204).end()),
      )
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
      onTestFinished(() => void server.close())
      const { port } = server.address() as AddressInfo
      const call = (line: string) =>
        exchange(port, `${line} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      expect(await call('GET /v1/models')).toContain('mine')
      expect(await call('GET /v1/other')).toMatch(/^HTTP\/1\.1 204 /)
      expect(await call('TRACE /v1/models')).toMatch(/^HTTP\/1\.1 204 /)
    })
  }
})

/**
 * A project with a middleware and an msw of its own, inside node_modules so that their dependencies are
 * found.
 */
function project(packages: { readonly msw: string; readonly express?: string }): string {
  const root = mkdtempSync(join(resolve('node_modules'), '.gateway-sim-test-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(resolve('node_modules', packages.msw), join(root, 'node_modules/msw'))
  if (packages.express !== undefined)
    symlinkSync(resolve('node_modules', packages.express), join(root, 'node_modules/express'))
  cpSync(resolve('node_modules/@mswjs/http-middleware'), join(root, 'node_modules/@mswjs/http-middleware'), {
    recursive: true,
  })
  return pathToFileURL(join(root, 'x.js')).href
}

it('without user handlers, listen() works and loads none of their dependencies', async () => {
  requireBuild()
  const reject = `export async function resolve(name, context, next) {
    if (/user-handlers|msw|express/.test(name)) throw new Error('loaded for user handlers')
    return next(name, context)
  }`
  const script = `import { register } from 'node:module'
register('data:text/javascript,${encodeURIComponent(reject).replaceAll("'", '%27')}')
const { createSimulator } = await import('./dist/index.js')
const { listen } = await import('./dist/node.js')
const { url, close } = await listen(createSimulator())
console.log((await fetch(url + '/v1/models', { headers: { authorization: 'Bearer sk-test' } })).status)
await close()
await listen(createSimulator(), { handlers: [1] }).catch(({ message }) => console.log(message))`
  expect(await runNode(['--input-type=module', '--eval', script], root)).toEqual({
    code: 0,
    stdout: '200\nloaded for user handlers\n',
    stderr: '',
  })
})
