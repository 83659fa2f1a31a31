/** `gateway-sim explain-call` against a server. */
import { describe, expect, it } from 'vitest'
import { jsonCall } from '../_setup.ts'
import { directoryWith, run, serve } from './_io.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const ask = (url: string, prefix = ''): Promise<Response> =>
  fetch(`${url}${prefix}/v1/chat/completions`, jsonCall(hello))
const story =
  'title: Rome\nrules:\n  - id: rome\n    when: { operation: chat.create, model: o1 }\n    then: { text: Sunny. }\n'

describe('explain-call', () => {
  it('prints why a request got its response, by request id and by seq', async () => {
    const { url } = await serve(['--scenario', 'rome.yaml'], { cwd: directoryWith({ 'rome.yaml': story }) })
    const id = (await ask(url, '/s/blue')).headers.get('x-request-id') as string
    const byId = await run(['explain-call', id, '--base-url', url])
    expect(byId).toMatchObject({ code: 0, stderr: '' })
    expect(byId.stdout).toContain('  - rule rome: `model`: expected "o1", got "gpt-4o".\n')
    expect(
      (await run(['explain-call', '0', '--session', 'blue'], { env: { GATEWAY_SIM_URL: url } })).stdout,
    ).toBe(byId.stdout)
    expect(
      JSON.parse((await run(['explain-call', id, '--base-url', url, '--format', 'json'])).stdout),
    ).toMatchObject({
      requestId: id,
      session: 'blue',
    })
  })

  it('ends with 1 and lists the journal if there is no such request', async () => {
    const { url } = await serve()
    expect(await run(['explain-call', '7', '--base-url', url])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'There is no request "7" in the journal of the session "default": it has received none since its start',
      ),
    })
  })

  it('creates no session: an unknown one is rejected', async () => {
    const { url } = await serve()
    expect(await run(['explain-call', '1', '--base-url', url, '--session', 'nosuch'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no session "nosuch"') as string,
    })
    const { sessions } = (await (await fetch(`${url}/__sim/sessions`)).json()) as {
      sessions: { name: string }[]
    }
    expect(sessions.map(({ name }) => name)).not.toContain('nosuch')
  })
})

describe('serve --strict', () => {
  it('rejects unmatched requests, and the log says why', async () => {
    const { url, stderr } = await serve(['--strict', '--scenario', 'rome.yaml'], {
      cwd: directoryWith({ 'rome.yaml': story }),
    })
    expect((await ask(url)).status).toBe(422)
    await stderr.until(
      /→ strict: no rule matches this request\. Closest: rule rome: `model`: expected "o1", got "gpt-4o"\. Session "default"\.\n/,
    )
  })
})

describe('the log of serve', () => {
  it('says why the contract rejects a request', async () => {
    const [pretty, json] = [await serve(), await serve(['--format', 'json'])]
    for (const { url } of [pretty, json])
      await fetch(`${url}/v1/chat/completions`, jsonCall({ model: 'gpt-4o', messages: 7 }))
    const reason = 'invalid_request_error: `messages`: expected an array, got 7'
    await pretty.stderr.until(/ 400 POST .* req_\w+ → .*\n/)
    expect(pretty.stderr.text).toContain(` → ${reason}\n`)
    expect(JSON.parse((await json.stderr.until(/\{"event":"call".*\}\n/))[0])).toMatchObject({ reason })
  })

  it('quotes the message if no field is at fault, but not for reserved values and rules', async () => {
    const { url, stderr } = await serve()
    await fetch(`${url}/v1/models`)
    await stderr.until(/ 401 GET .* → authentication_error: .*API key.*\n/)
    await fetch(`${url}/v1/chat/completions`, jsonCall({ ...hello, model: 'sim-rate-limit' }))
    await stderr.until(/ 429 POST .*\(reserved model sim-rate-limit\) req_\w+\n/)
  })
})

describe('serve --explain', () => {
  it('explains each response in the log and in the header', async () => {
    const { url, stderr } = await serve(['--explain', '--format', 'json'])
    expect((await ask(url)).headers.get('x-sim-explain')).toBe(
      'No rule for this operation. Default response sent. Session "default".',
    )
    expect(JSON.parse((await stderr.until(/\{"event":"call".*\}\n/))[0])).toMatchObject({
      explain: 'No rule for this operation. Default response sent. Session "default".',
    })
  })
})
