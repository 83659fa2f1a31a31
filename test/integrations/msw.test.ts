/**
 * The msw integration under msw 2: `setupServer`, which patches the global `fetch`, and `getResponse`, which
 * patches nothing.
 */
import nodeHttp, { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getResponse, HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { handlers, type MswOptions } from '../../src/msw.ts'
import { dataOf, simulator } from '../_setup.ts'
import { type Carrier, call, mswCases, question } from './_msw-cases.ts'

const patched: Carrier = (list) => {
  const server = setupServer(...list)
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  return (url, init) => fetch(url, init)
}

describe('setupServer of msw 2', () => {
  mswCases(patched)

  it('shows a client of node:http the headers of a stream before its first event', async () => {
    const sim = simulator()
    patched(handlers(sim, { origins: ['http://gateway.test'] }))
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const { body, headers } = call({ ...question, stream: true })
      nodeHttp
        .request(
          'http://gateway.test/v1/chat/completions',
          { method: 'POST', headers: headers as Record<string, string> },
          resolve,
        )
        .on('error', reject)
        .end(body)
    })
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    sim.clock.advance('1m')
    let said = ''
    for await (const chunk of response) said += String(chunk)
    expect(dataOf(said).at(-1)).toBe('[DONE]')
  })

  it('works together with other handlers, which respond first if they come first', async () => {
    const sim = simulator()
    const ask = patched([
      http.get('https://gateway.test/v1/models', () => HttpResponse.json({ mine: true })),
      ...handlers(sim, { origins: ['https://gateway.test'] }),
    ])
    expect(await (await ask('https://gateway.test/v1/models'))?.json()).toEqual({ mine: true })
    expect((await ask('https://gateway.test/v1/chat/completions', call(question)))?.status).toBe(200)
  })

  it("leaves unknown paths to the network with unknown: 'passthrough'", async () => {
    const real = createServer((request, response) => response.end(`real ${request.method} ${request.url}`))
    await new Promise<void>((ready) => real.listen(0, '127.0.0.1', ready))
    onTestFinished(() => void real.close())
    const origin = `http://127.0.0.1:${(real.address() as AddressInfo).port}`
    const sim = simulator()
    const ask = patched(handlers(sim, { origins: [origin], unknown: 'passthrough' }))
    expect(await (await ask(`${origin}/elsewhere?q=1`, { method: 'POST', body: 'x' }))?.text()).toBe(
      'real POST /elsewhere?q=1',
    )
    expect((await ask(`${origin}/v1/chat/completions`, call(question)))?.status).toBe(200)
    // A known path with a wrong method is the simulator's.
    expect((await ask(`${origin}/v1/chat/completions`))?.status).toBe(405)
    expect(sim.journal().map(({ request }) => request.url)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions',
    ])
  })
})

describe('getResponse of msw 2', () => {
  mswCases((list) => (url, init) => getResponse(list, new Request(url, init)))

  const origins = { origins: ['https://gateway.test/base'] }
  for (const url of [
    'https://other.test/base/v1/models',
    'http://gateway.test/base/v1/models',
    'https://gateway.test:444/base/v1/models',
    'https://gateway.test/v1/models',
    'https://gateway.test/basement/v1/models',
  ]) {
    it(`does not respond to ${url} for ${origins.origins[0]}`, async () => {
      expect(await getResponse(handlers(simulator(), origins), new Request(url))).toBeUndefined()
    })
  }
})

describe('handlers() throws synchronously', () => {
  const noOrigin = 'handlers(sim, { origins }): expected the base URLs'
  const noAddress = "expected a base URL such as 'https://api.openai.com', got"
  it.each<[string, unknown, string]>([
    ['no options', undefined, noOrigin],
    ['no origin', [], noOrigin],
    [
      'a host without a scheme',
      ['https://gateway.test', 'api.openai.com'],
      `origins[1]: ${noAddress} "api.openai.com"`,
    ],
    ['a host with a port', ['localhost:4010'], `origins[0]: ${noAddress} "localhost:4010"`],
    ['a value that is not a string', [7], 'origins[0]: expected a base URL'],
  ])('%s', (_, origins, message) => {
    const options = origins === undefined ? undefined : { origins }
    expect(() => handlers(simulator(), options as MswOptions)).toThrow(message)
  })
})
