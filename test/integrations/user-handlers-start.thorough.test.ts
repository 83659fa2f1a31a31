/** What user handlers need before anything is served: valid handlers, and msw. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
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

describe('invalid handlers are rejected at the start', () => {
  const { core } = simulator()
  const one = http.get('/v1/models', () => HttpResponse.text('x'))
  const wanted = "expected an msw request handler such as http.post('/v1/chat/completions', …), got"
  const socket = ws.link('ws://a.test').addEventListener('connection', () => {})
  it.each<[string, unknown, string]>([
    ['only a resolver', [one, () => HttpResponse.text('x')], `handlers[1]: ${wanted} a function`],
    ['a nested list', [[one]], `handlers[0]: ${wanted} an array of 1 item`],
    ['a promise', [Promise.resolve(one)], `handlers[0]: ${wanted} a Promise`],
    ['nothing', [one, undefined], `handlers[1]: ${wanted} nothing`],
    ['a plain object', [{ path: '/v1', method: 'GET' }], `handlers[0]: ${wanted} an object`],
    ['a string', ['./handlers.js'], `handlers[0]: ${wanted} "./handlers.js"`],
    ['a WebSocket handler', [socket], `handlers[0]: ${wanted} a`],
    ['a value that is not a list', one, 'handlers: expected an array of msw handlers, got a'],
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

  it.each(['msw', 'msw3'])('handlers of %s respond', async (version) => {
    // Inside node_modules, so that the dependencies of msw are found.
    const folder = mkdtempSync(join(resolve('node_modules'), '.gateway-sim-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(resolve('node_modules', version), join(folder, 'node_modules/msw'))
    const { http, HttpResponse } = (await import(version)) as typeof import('msw')
    const mine = http.get('/v1/models', () => HttpResponse.text('mine'))
    const from = pathToFileURL(join(folder, 'x.js')).href
    const handlers = await createUserHandlers([mine], core, { from })
    const server = createServer((request, response) =>
      handlers(request, response, () => response.writeHead(204).end()),
    )
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    expect(await (await fetch(`${url}/v1/models`)).text()).toBe('mine')
    expect((await fetch(`${url}/v1/other`)).status).toBe(204)
  })

  it('no msw: an error that names what to install', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
    onTestFinished(() => rmSync(empty, { recursive: true }))
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(empty)
    onTestFinished(() => cwd.mockRestore())
    await expect(
      createUserHandlers([one], core, { from: pathToFileURL(join(empty, 'x.js')).href }),
    ).rejects.toThrow('the package msw 2.7 or later: npm install --save-dev msw')
  })

  it('packages in the working directory are found if the simulator is installed elsewhere (npx)', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'gateway-sim-'))
    onTestFinished(() => rmSync(empty, { recursive: true }))
    await expect(
      createUserHandlers([one], core, { from: pathToFileURL(join(empty, 'x.js')).href }),
    ).resolves.toBeTypeOf('function')
  })
})

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
