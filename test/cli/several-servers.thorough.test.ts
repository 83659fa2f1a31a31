/**
 * Three servers behind HAProxy, with the configuration in deploy/: sessions stay whole while one server
 * drains and another one dies. Needs haproxy and `npm run build`.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { manifest, requireBuild, root } from '../_built.ts'
import { eventually } from '../_eventually.ts'
import { emptyDirectory, startProcess } from './_io.ts'

beforeAll(requireBuild)

const bin = join(root, manifest.bin['gateway-sim'] as string)
const publicUrl = 'http://gateway.example'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function served(flags: readonly string[]) {
  const always = [
    '--port',
    '0',
    '--clock',
    'auto',
    '--seed',
    'pool',
    '--public-url',
    publicUrl,
    '--format',
    'json',
  ]
  const running = startProcess(process.execPath, [bin, 'serve', ...always, ...flags])
  const [url] = await running.stdout.until(/http:\/\/[^"]+/)
  return { ...running, url }
}

/** HAProxy in front of these servers, and the state of each as it sees it. */
async function balanced(urls: readonly string[]) {
  const [port, directory] = [await freePort(), emptyDirectory()]
  const [config, socket] = [join(directory, 'haproxy.cfg'), join(directory, 'admin')]
  const written = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')
  // The test reads the states of the servers from the statistics.
  writeFileSync(config, written.replace('maxconn 4096', `maxconn 4096\n  stats socket ${socket}`))
  const env = Object.fromEntries(urls.map((url, index) => [`SIM${index}`, new URL(url).host]))
  execFileSync('haproxy', ['-c', '-q', '-f', config], {
    env: { ...process.env, ...env, GATEWAY_BIND: `127.0.0.1:${port}` },
  })
  startProcess('haproxy', ['-db', '-f', config], { env: { ...env, GATEWAY_BIND: `127.0.0.1:${port}` } })
  const statesOf = async (): Promise<string[]> => {
    const connection = createConnection(socket)
    connection.end('show stat\n')
    let text = ''
    for await (const chunk of connection) text += String(chunk)
    return text
      .split('\n')
      .filter((line) => /^pool,sim/.test(line))
      .map((line) => line.split(',')[17] as string)
  }
  return { url: `http://127.0.0.1:${port}`, statesOf }
}

const json = { 'content-type': 'application/json' }

/** One client, whose jobs are polled, downloaded and continued without the name of its session. */
class Client {
  readonly #base: string
  readonly name: string
  readonly statuses: number[] = []
  lastError = ''
  #video = ''
  #job = ''
  #visit = ''

  constructor(base: string, name: string) {
    this.#base = base
    this.name = name
  }

  async #send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
    const headers = { authorization: 'Bearer sk-test', ...init.headers }
    const response = await fetch(this.#base + path, { ...init, headers })
    this.statuses.push(response.status)
    const text = await response.text()
    if (!response.ok) this.lastError = text
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, never>) : {}
  }

  readonly #post = (path: string, body: object, headers: Record<string, string>) =>
    this.#send(path, { method: 'POST', body: JSON.stringify(body), headers: { ...json, ...headers } })

  /** The number of the server that has its session. */
  get instance(): string {
    return /_([0-9a-f])/.exec(this.#video)?.[1] ?? 'none'
  }

  /** By header, by path and by key: each starts something. */
  async begin(): Promise<void> {
    const named = { 'x-sim-session': this.name }
    const key = { authorization: `Bearer sk-sim-${this.name}-test` }
    await this.#post(
      '/v1/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] },
      key,
    )
    const video = await this.#post(`/s/${this.name}/v1/videos`, { model: 'sora-2', prompt: 'a boat' }, {})
    this.#video = String(video['id'])
    const job = await this.#post('/v1/tob/diffusion', { model: 'image-job-v7', text: 'a boat' }, named)
    this.#job = String(job['id'])
    const upload = await this.#post('/v1/files/upload_url', { path: 'a.txt', storage_provider: 'COS' }, named)
    this.#visit = pathOf(upload['visit_url'])
    await this.#send(pathOf(upload['upload_url']), {
      method: 'PUT',
      body: 'text',
      headers: { authorization: '' },
    })
  }

  /** With nothing but the ids and links that `begin` received. */
  async end(): Promise<void> {
    for (let polls = 0; polls < 20; polls++)
      if ((await this.#send(`/v1/videos/${this.#video}`))['status'] === 'completed') break
    if (this.statuses.at(-1) !== 200) return
    await this.#send(`/v1/videos/${this.#video}/content`)
    for (let polls = 0; polls < 20; polls++)
      if (Number((await this.#send(`/v1/tob/job/${this.#job}`))['status']) >= 2) break
    await this.#post('/v1/tob/variation', { jobId: this.#job, imageNo: 0, type: 0 }, {})
    await this.#send(this.#visit)
  }

  /** What the server recorded, without what differs between servers: tags, signatures and real times. */
  async journal(): Promise<readonly string[]> {
    const headers = { 'x-sim-token': 'pool-token' }
    const response = await fetch(`${this.#base}/s/${this.name}/__sim/journal`, { headers })
    const tag = /[0-9a-f]{8}/.exec(this.#video)?.[0] ?? 'none'
    const text = (await response.text()).replaceAll(tag, '00000000').replaceAll(/q-signature=[0-9a-f]+/g, '')
    const { entries } = JSON.parse(text) as { entries: Record<string, unknown>[] }
    return entries.map((entry) =>
      JSON.stringify(entry, (name, value: unknown) =>
        differing.test(name) || (name === 'requestId' && isUpload(entry)) ? undefined : value,
      ),
    )
  }
}

const differing = /^(?:real[A-Z]\w*|durationMs|host|connection)$/
// The id of a request to a signed URL follows from the signature.
const isUpload = ({ operation }: Record<string, unknown>): boolean => String(operation).startsWith('uploads.')
const pathOf = (url: unknown): string => String(url).replace(publicUrl, '')

/** Every other name could be the id of a job on server 1. */
const nameOf = (index: number): string => `${index % 2 === 0 ? 'p' : '1'}${String(index).padStart(9, '0')}`

async function inBatches(clients: readonly Client[], work: (client: Client) => Promise<void>): Promise<void> {
  for (let from = 0; from < clients.length; from += 20)
    await Promise.all(clients.slice(from, from + 20).map(work))
}

it('keeps two hundred sessions whole while one of three servers drains and another one dies', async () => {
  const flags = ['--drain', '10m', '--control-token', 'pool-token']
  const servers = await Promise.all(
    [0, 1, 2].map((number) => served(['--instance', String(number), ...flags])),
  )
  const { url, statesOf } = await balanced(servers.map((server) => server.url))
  await eventually(async () => expect(await statesOf()).toEqual(['UP', 'UP', 'UP']))
  const clients = Array.from({ length: 200 }, (_, index) => new Client(url, nameOf(index)))
  const begin = (client: Client): Promise<void> => client.begin()
  const end = (client: Client): Promise<void> => client.end()
  const whole = async (client: Client): Promise<void> => client.begin().then(() => client.end())

  await inBatches(clients.slice(0, 120), begin)
  await inBatches(clients.slice(0, 40), end)
  expect(clients.map(({ lastError }) => lastError).filter((text) => text !== '')).toEqual([])
  expect(new Set(clients.slice(0, 120).map(({ instance }) => instance))).toEqual(new Set(['0', '1', '2']))

  servers[1]?.child.kill('SIGTERM')
  await eventually(async () => expect((await statesOf())[1]).toMatch(/^(?:NOLB|DRAIN)/))
  await inBatches(clients.slice(40, 80), end)
  await inBatches(clients.slice(120, 160), whole)
  expect(new Set(clients.slice(120, 160).map(({ instance }) => instance))).toEqual(new Set(['0', '2']))

  servers[2]?.child.kill('SIGKILL')
  await eventually(async () => expect((await statesOf())[2]).toMatch(/^DOWN/))
  await inBatches(clients.slice(80, 120), end)
  await inBatches(clients.slice(160), whole)
  expect(new Set(clients.slice(160).map(({ instance }) => instance))).toEqual(new Set(['0']))

  const lost = clients.filter(({ name, instance }) => instance === '2' && Number(name.slice(1)) < 160)
  for (const client of lost.filter(({ name }) => Number(name.slice(1)) >= 80 && Number(name.slice(1)) < 120))
    expect(client.lastError).toMatch(/belongs to a session on instance 2, but this is instance [01]/)
  const kept = clients.filter((client) => !lost.includes(client))
  expect(kept.length).toBeGreaterThan(100)
  for (const { statuses, name } of kept) expect([name, ...new Set(statuses)]).toEqual([name, 200])

  const single = await served(['--control-token', 'pool-token'])
  await inBatches(kept, async (client) => {
    const alone = new Client(single.url, client.name)
    await whole(alone)
    expect(await client.journal()).toEqual(await alone.journal())
  })
  for (const { stderr } of servers) expect(stderr.text).not.toContain('/__sim/ready')
}, 300_000)
