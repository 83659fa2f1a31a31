/** docs/gateway/record.md: what it shows is what happens. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { samplesOf } from '../_samples.ts'
import { emptyDirectory, start } from '../cli/_io.ts'
import { bodyOf, gateway } from './_proxy.ts'

const ours = samplesOf('docs/gateway/record.md')
const sample = (language: string, begin: string): string =>
  ours.find((one) => one.language === language && one.text.startsWith(begin))?.text ?? ''
const key = { authorization: 'Bearer sk-test-key', 'content-type': 'application/json' }

/** The command of a sample, against a gateway of the test's own. */
async function record(command: string, upstream: string) {
  const words = [...command.trim().matchAll(/'([^']*)'|\S+/g)]
    .map(([word, quoted]) => quoted ?? word)
    .slice(2)
  const cwd = emptyDirectory()
  const running = start(
    words.map((word) => word.replace('https://gw.example', upstream)),
    { cwd },
  )
  const [, url = ''] = await running.stdout.until(/ at (http:\S+)\n/)
  return { ...running, cwd, url }
}

it('the lines of calls, and an entry', async () => {
  const bucket = await gateway((_request, response) => response.end())
  const { host } = new URL(bucket.url)
  const { url } = await gateway(async (request, response) => {
    await bodyOf(request)
    response.statusCode = request.url?.startsWith('/v1/videos') ? 401 : 200
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ upload_url: `${bucket.url}/in.png?X-Amz-Signature=0a1b`, method: 'PUT' }))
  })
  const recording = await record(sample('sh', 'npx gateway-sim record'), url)
  const post = { method: 'POST', headers: key, body: '{}' }
  await fetch(`${recording.url}/v1/chat/completions`, post)
  const response = await fetch(`${recording.url}/v1/files/upload_url`, post)
  const { upload_url } = (await response.json()) as { upload_url: string }
  expect(upload_url).toBe(`${recording.url}/__record/http/${host}/in.png?X-Amz-Signature=0a1b`)
  await fetch(upload_url, { method: 'PUT', body: 'PNG' })
  await fetch(`${recording.url}/v1/videos/video_1`)
  await recording.stderr.until(/no-key\.har\n/)
  recording.stop()
  expect(await recording.code).toBe(0)
  const plain = (text: string): string => text.replace(/\d+ ms \d+ bytes/g, 'N ms N bytes').trim()
  const lines = recording.stderr.text.replaceAll(bucket.url, 'https://bucket.example').split('\n').slice(1, 4)
  expect(plain(lines.join('\n'))).toBe(plain(sample('text', '200 POST')))

  const shown = JSON.parse(sample('json', '{')) as { response: { content: { _chunks: [number, number][] } } }
  const har = readFileSync(join(recording.cwd, 'recordings/key-1.har'), 'utf8')
  const entry = JSON.parse(har).log.entries[1]
  expect(entry.response.content.text).toContain('/in.png?X-Amz-Signature=redacted"')
  expect(entry._redacted).toContain('header:authorization')
  expect(shown.response.content._chunks).toEqual([[expect.any(Number), expect.any(Number)]])
  entry.response.content._chunks = shown.response.content._chunks
  expect(entry).toMatchObject(shown)
})

it('what --redact takes', async () => {
  const { url } = await gateway(async (request, response) => response.end(await bodyOf(request)))
  const command = sample('sh', 'npx gateway-sim record --base-url https://gw.example --output rec --redact')
  const recording = await record(command, url)
  const body = JSON.stringify({ email: 'a@b.c', prompt: 'Ada Lovelace and friends' })
  expect(await (await fetch(recording.url, { method: 'POST', headers: key, body })).text()).toBe(body)
  recording.stop()
  expect(await recording.code).toBe(0)
  const [entry] = JSON.parse(readFileSync(join(recording.cwd, 'rec/key-1.har'), 'utf8')).log.entries
  const redacted = '{"email":"redacted","prompt":"redacted and friends"}'
  expect([entry.request.postData.text, entry.response.content.text]).toEqual([redacted, redacted])
})
