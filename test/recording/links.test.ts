/** Links that lead past the proxy are followed through it, and nothing else can be reached that way. */
import { describe, expect, it } from 'vitest'
import { createLinks, isOwnMachine } from '../../src/recording/proxy/links.ts'
import { bodyOf, everythingIn, gateway, proxyTo, readFolder } from './_proxy.ts'

const base = 'http://127.0.0.1:4011'

describe('an upload', () => {
  it('goes through the proxy to the storage and back into later requests, with its signature', async () => {
    const stored: string[] = []
    const storage = await gateway(async (request, response) => {
      stored.push(`${request.method} ${request.headers.host} ${request.url} ${await bodyOf(request)}`)
      response.writeHead(request.method === 'GET' ? 302 : 200, {
        location: '/moved?sig=very-secret-signature',
      })
      response.end()
    })
    const signed = `${storage.url}/k%2f1?X-Amz-Signature=0123456789abcdef0123&x=%20`
    let used = ''
    const { url } = await gateway(async (request, response) => {
      const body = String(await bodyOf(request))
      response.setHeader('content-type', 'application/json')
      if (request.url === '/v1/tob/retexture') used = body
      const own = `http://${request.headers.host}/v1/files/x`
      response.end(
        JSON.stringify({ upload_url: signed, method: 'PUT', visit_url: `${storage.url}/k`, url: own }),
      )
    })
    const proxy = await proxyTo(url)
    const call = {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test-key-1', 'content-type': 'application/json' },
    }
    const response = await fetch(`${proxy.url}/v1/files/upload_url`, { ...call, body: '{}' })
    const links = (await response.json()) as Record<string, string>
    const { host } = new URL(storage.url)
    expect(links).toEqual({
      upload_url: `${proxy.url}/__record/http/${host}/k%2f1?X-Amz-Signature=0123456789abcdef0123&x=%20`,
      method: 'PUT',
      visit_url: `${proxy.url}/__record/http/${host}/k`,
      url: `${proxy.url}/v1/files/x`,
    })
    await fetch(links['upload_url'] as string, { method: 'PUT', body: 'PNG' })
    const visit = await fetch(links['visit_url'] as string, { redirect: 'manual' })
    expect(visit.headers.get('location')).toBe(
      `${proxy.url}/__record/http/${host}/moved?sig=very-secret-signature`,
    )
    const body = JSON.stringify({
      imgUrl: links['visit_url'],
      text: `see ${links['url']}`,
      own: links['url'],
    })
    await fetch(`${proxy.url}/v1/tob/retexture`, { ...call, body })
    expect(JSON.parse(used)).toEqual({
      imgUrl: `${storage.url}/k`,
      text: `see ${proxy.url}/v1/files/x`,
      own: `${url}/v1/files/x`,
    })
    expect(stored).toEqual([
      `PUT ${host} /k%2f1?X-Amz-Signature=0123456789abcdef0123&x=%20 PNG`,
      `GET ${host} /k `,
    ])
    // Links have no key, and are as the gateway wrote them.
    await proxy.close()
    const calls = readFolder(proxy.folder)
    expect(calls.map(({ key, request }) => `${key ?? 'no-key'} ${request.method} ${request.url}`)).toEqual([
      `key-1 POST ${url}/v1/files/upload_url`,
      `key-1 POST ${url}/v1/tob/retexture`,
      `no-key PUT ${storage.url}/k%2f1?X-Amz-Signature=redacted&x=%20`,
      `no-key GET ${storage.url}/k`,
    ])
    expect(calls[0]?.redacted).toEqual(['header:authorization', 'response:/upload_url'])
    expect(calls[2]?.redacted).toEqual(['query:X-Amz-Signature', 'response:header:location'])
    expect(everythingIn(proxy.folder)).not.toMatch(/0123456789abcdef|very-secret|sk-test-key-1/)
  })
})

describe('what can be reached', () => {
  it('is the gateway, and origins that it named', async () => {
    const { url } = await gateway((_request, response) => response.end('ok'))
    const proxy = await proxyTo(url)
    for (const path of ['http/127.0.0.1:1/x', 'https/example.com/', 'ftp/x/', '', 'http/a@b/']) {
      const response = await fetch(`${proxy.url}/__record/${path}`)
      expect([path, response.status, (await response.json()) as unknown]).toEqual([
        path,
        403,
        { error: expect.objectContaining({ type: 'permission_error' }) as unknown },
      ])
    }
  })

  it('is never this machine, unless the gateway is on it', () => {
    const urls = ['http://127.0.0.1/x', 'http://169.254.169.254/x', 'http://2130706433/x']
    const text = JSON.stringify({ urls })
    expect(createLinks(new URL('https://gw.test')).rewriteResponse(text, base)).toBe(text)
    const own = '127.8.8.8 [::1] ::ffff:127.0.0.1 [::ffff:7f00:1] 0.0.0.0 fe80::1 a.localhost LOCALHOST.'
    expect(own.split(' ').filter((host) => !isOwnMachine(host))).toEqual([])
    const others = '10.0.0.1 8.8.8.8 2001:db8::1 gw.test localhost.test'
    expect(others.split(' ').filter(isOwnMachine)).toEqual([])
  })
})

describe('links in JSON', () => {
  const links = () => createLinks(new URL('https://gw.test/api/'))

  it('are turned where clients follow them, and not where somebody is quoted', () => {
    const response = {
      data: [{ url: 'https://img.test/1.png' }],
      response: { generatedVideos: [{ uri: 'https://v.test:8443' }] },
      next: { imageUrl: 'https://gw.test/api/v1/x?y#z', other: 'https://gw.test/apiary', url: 'gs://b/k' },
      choices: [
        {
          message: { content: 'https://a.test', annotations: [{ url_citation: { url: 'https://a.test' } }] },
        },
      ],
    }
    expect(JSON.parse(links().rewriteResponse(JSON.stringify(response), base) as string)).toEqual({
      ...response,
      data: [{ url: `${base}/__record/https/img.test/1.png` }],
      response: { generatedVideos: [{ uri: `${base}/__record/https/v.test:8443` }] },
      next: { ...response.next, imageUrl: `${base}/v1/x?y#z` },
    })
  })

  it('keep the rest of the text, byte by byte', () => {
    const text = '{"a":"\\u0068ttp","seed":9223372036854775807,"url":"https://img.test/ü?a\\u0026b","c":1e5}'
    expect(links().rewriteResponse(text, base)).toBe(
      text.replace('https://img.test/ü?a\\u0026b', `${base}/__record/https/img.test/ü?a&b`),
    )
    expect(links().rewriteResponse('{"text":"https://img.test"}', base)).toBeUndefined()
  })
})
