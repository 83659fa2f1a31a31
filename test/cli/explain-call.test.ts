/** Why a request got its response: `journal <id>`, the log of `serve`, `serve --explain`. */
import { describe, expect, it } from 'vitest'
import { jsonCall } from '../_setup.ts'
import { directoryWith, run, serve } from './_io.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }
const ask = (url: string, prefix = ''): Promise<Response> =>
  fetch(`${url}${prefix}/v1/chat/completions`, jsonCall(hello))
const story =
  'title: Rome\nrules:\n  - id: rome\n    when: { operation: chat.create, model: o1 }\n    then: { text: Sunny. }\n'

describe('journal', () => {
  it('prints why a request got its response, by request id and by seq', async () => {
    const { url } = await serve(['--scenario', 'rome.yaml'], { cwd: directoryWith({ 'rome.yaml': story }) })
    const id = (await ask(url, '/s/blue')).headers.get('x-request-id') as string
    const byId = await run(['journal', id, '--base-url', url])
    expect(byId).toMatchObject({ code: 0, stderr: '' })
    expect(byId.stdout).toContain('  - rule rome: `model`: expected "o1", got "gpt-4o".\n')
    const bySeq = await run(['journal', '0', '--session', 'blue'], { env: { GATEWAY_SIM_URL: url } })
    expect(bySeq.stdout).toBe(byId.stdout)
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
