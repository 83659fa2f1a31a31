/** images.readImage: the addresses in a response, for the 60 minutes that they are valid. */
import { describe, expect, it } from 'vitest'
import { describeIntegrations, jsonCall, simulator } from '../../_setup.ts'
import { form, rejection } from '../_openai-family.ts'
import { fileOf, png, seen, undrawnSession } from './_images.ts'

const prompt = 'a fox in the snow'

describe('images.readImage rejects', () => {
  it('images that nobody has made (404)', async () => {
    const response = await simulator().fetch('http://gateway.test/media/images/nothing/0.png')
    expect([response.status, await response.json()]).toEqual([
      404,
      rejection(
        'not_found_error',
        404,
        'Unknown image id "nothing" in the session "default": expected an image URL from a response in ' +
          'that session.',
        'imageId',
      ),
    ])
  })
})

describeIntegrations('images.readImage answers', (integration) => {
  it('without a key, under the address that the client knows', async () => {
    const sim = simulator()
    const { fetch: call, url } = await integration.open(sim)
    const response = await call(`${url}/s/mine/v1/images/generations`, jsonCall({ prompt, size: '512x512' }))
    const address = ((await response.json()) as { data: { url: string }[] }).data[0]?.url as string
    expect(address.startsWith(`${url}/s/mine/media/images/img_`)).toBe(true)
    const file = await call(address)
    expect([file.status, file.headers.get('content-type'), file.headers.get('accept-ranges')]).toEqual([
      200,
      'image/png',
      'bytes',
    ])
    expect(await seen(new Uint8Array(await file.arrayBuffer()))).toEqual({
      format: 'png',
      width: 512,
      height: 512,
      alpha: false,
    })
    const part = await call(address, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PNG'])
    // The address leads to its session without the prefix too.
    expect((await call(address.replace('/s/mine', ''))).status).toBe(200)
  })
})

describe.each(['a generation', 'an edit'])(
  'images.readImage unfolds: the address of an image',
  (operation) => {
    const readAfter = async (later: number): Promise<Response> => {
      const { sim, generate, edit, read } = undrawnSession()
      const image = ['image', fileOf(png())] as const
      const call = operation === 'an edit' ? edit(form(image, ['prompt', prompt])) : generate({ prompt })
      const { url } = (await call).body.data[0]
      sim.clock.advance(later)
      return read(url)
    }
    const hour = 60 * 60 * 1000

    it(`of ${operation} is read until the last millisecond of its hour`, async () => {
      expect((await readAfter(hour - 1)).status).toBe(200)
    })

    it(`of ${operation} is rejected once its hour is over, as by an object store`, async () => {
      const gone = await readAfter(hour)
      expect([gone.status, gone.headers.get('content-type')]).toEqual([403, 'application/xml'])
      expect(await gone.text()).toBe(
        '<?xml version="1.0" encoding="utf-8"?><Error><Code>AuthenticationFailed</Code><Message>The URL of ' +
          'this image has expired: download it within 1h of the response that contained it.</Message>' +
          '<AuthenticationErrorDetail>Signed expiry time [Thu, 01 Jan 2026 01:00:00 GMT] has to be after ' +
          'the current time [Thu, 01 Jan 2026 01:00:00 GMT]</AuthenticationErrorDetail></Error>',
      )
    })
  },
)
