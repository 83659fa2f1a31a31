/**
 * Servers behind HAProxy and nginx, with the configurations in deploy/: sessions stay whole while one of
 * three servers drains and another one dies, and commands find the server of a session. Needs haproxy, nginx
 * and `npm run build`.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { manifest, requireBuild, root } from '../_built.ts'
import { eventually } from '../_eventually.ts'
import { directoryWith, emptyDirectory, run, startProcess } from './_io.ts'

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

/** HAProxy in front of servers with these numbers and URLs, and the state of each as it sees it. */
async function balanced(servers: readonly (readonly [number: number, url: string])[]) {
  const [port, directory] = [await freePort(), emptyDirectory()]
  const [config, socket] = [join(directory, 'haproxy.cfg'), join(directory, 'admin')]
  const written = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')
  // The test reads the states of the servers from the statistics.
  writeFileSync(config, written.replace('maxconn 4096', `maxconn 4096\n  stats socket ${socket}`))
  const env = Object.fromEntries(servers.map(([number, url]) => [`SIM${number}`, new URL(url).host]))
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

/** nginx in front of two servers. */
async function behindNginx(urls: readonly string[]): Promise<string> {
  const port = await freePort()
  const config = urls
    .reduce(
      (text, url, index) => text.replaceAll(`server sim${index}:4010`, `server ${new URL(url).host}`),
      nginxConf,
    )
    .replace('listen 4010', `listen 127.0.0.1:${port}`)
    .replace('http {', 'http {\n  access_log off;')
  const directory = directoryWith({
    'nginx.conf': `daemon off;\nmaster_process off;\npid nginx.pid;\nerror_log stderr;\n${config}`,
  })
  startProcess('nginx', ['-p', directory, '-c', join(directory, 'nginx.conf')])
  return `http://127.0.0.1:${port}`
}

const nginxConf = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8')

const json = { 'content-type': 'application/json' }

/** One client, which names its session in every path. */
class Client {
  readonly #base: string
  readonly name: string
  readonly statuses: number[] = []
  lastError = ''
  #video = ''
  #job = ''
  #visit = ''

  constructor(base: string, name: string) {
    this.#base = `${base}/s/${name}`
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

  readonly #post = (path: string, body: object) =>
    this.#send(path, { method: 'POST', body: JSON.stringify(body), headers: json })

  async begin(): Promise<void> {
    const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }
    await this.#post('/v1/chat/completions', chat)
    this.#video = String((await this.#post('/v1/videos', { model: 'sora-2', prompt: 'a boat' }))['id'])
    const job = await this.#post('/v1/tob/diffusion', { model: 'image-job-v7', text: 'a boat' })
    this.#job = String(job['id'])
    const upload = await this.#post('/v1/files/upload_url', { path: 'a.txt', storage_provider: 'COS' })
    this.#visit = this.#pathOf(upload['visit_url'])
    const headers = { authorization: '' }
    await this.#send(this.#pathOf(upload['upload_url']), { method: 'PUT', body: 'text', headers })
  }

  async end(): Promise<void> {
    for (let polls = 0; polls < 20; polls++)
      if ((await this.#send(`/v1/videos/${this.#video}`))['status'] === 'completed') break
    if (this.statuses.at(-1) !== 200) return
    await this.#send(`/v1/videos/${this.#video}/content`)
    for (let polls = 0; polls < 20; polls++)
      if (Number((await this.#send(`/v1/tob/job/${this.#job}`))['status']) >= 2) break
    await this.#post('/v1/tob/variation', { jobId: this.#job, imageNo: 0, type: 0 })
    await this.#send(this.#visit)
  }

  /** What the server recorded, without what differs between servers: signatures and real times. */
  async journal(): Promise<readonly string[]> {
    const headers = { 'x-sim-token': 'pool-token' }
    const response = await fetch(`${this.#base}/__sim/journal`, { headers })
    const text = (await response.text()).replaceAll(/q-signature=[0-9a-f]+/g, '')
    const { entries } = JSON.parse(text) as { entries: Record<string, unknown>[] }
    return entries.map((entry) =>
      JSON.stringify(entry, (name, value: unknown) => {
        const isIn = (field: string): boolean =>
          !differing.test(field) && !(/^(?:x-request-id|requestId)$/.test(field) && isUpload(entry))
        if (name === 'headers') return (value as [string, string][]).filter(([header]) => isIn(header))
        return isIn(name) ? value : undefined
      }),
    )
  }

  /** Links in responses have the prefix of the session. */
  #pathOf(url: unknown): string {
    return String(url).replace(`${publicUrl}/s/${this.name}`, '')
  }
}

const differing = /^(?:real[A-Z]\w*|durationMs|host|connection)$/
// The id of a request to a signed URL follows from the signature.
const isUpload = ({ operation }: Record<string, unknown>): boolean => String(operation).startsWith('uploads.')
/** Every other name could be an id. */
const nameOf = (index: number): string => `${index % 2 === 0 ? 'p' : '1'}${String(index).padStart(9, '0')}`

/** The names of the sessions on a server. */
async function sessionsOf(url: string): Promise<ReadonlySet<string>> {
  const response = await fetch(`${url}/__sim/sessions?limit=1000`, {
    headers: { 'x-sim-token': 'pool-token' },
  })
  const { sessions } = (await response.json()) as { sessions: { name: string }[] }
  return new Set(sessions.map(({ name }) => name))
}

async function inBatches(clients: readonly Client[], work: (client: Client) => Promise<void>): Promise<void> {
  for (let from = 0; from < clients.length; from += 20)
    await Promise.all(clients.slice(from, from + 20).map(work))
}

const token = ['--control-token', 'pool-token']

it('keeps two hundred sessions whole while one of three servers dies', async () => {
  const servers = await Promise.all([0, 1, 2].map(() => served(token)))
  const { url, statesOf } = await balanced(servers.map((server, number) => [number, server.url]))
  await eventually(async () => expect(await statesOf()).toEqual(['UP', 'UP', 'UP']))
  const clients = Array.from({ length: 200 }, (_, index) => new Client(url, nameOf(index)))
  const begin = (client: Client): Promise<void> => client.begin()
  const end = (client: Client): Promise<void> => client.end()
  const whole = async (client: Client): Promise<void> => client.begin().then(() => client.end())

  await inBatches(clients.slice(0, 120), begin)
  await inBatches(clients.slice(0, 40), end)
  expect(clients.map(({ lastError }) => lastError).filter((text) => text !== '')).toEqual([])
  for (const server of servers) expect((await sessionsOf(server.url)).size).toBeGreaterThan(10)

  await inBatches(clients.slice(40, 80), end)
  await inBatches(clients.slice(120, 160), whole)

  const lost = await sessionsOf(servers[2]?.url ?? '')
  servers[2]?.child.kill('SIGKILL')
  await eventually(async () => expect((await statesOf())[2]).toMatch(/^DOWN/))
  await inBatches(clients.slice(80, 120), end)
  await inBatches(clients.slice(160), whole)

  for (const client of clients.slice(80, 120).filter(({ name }) => lost.has(name)))
    expect(client.lastError).toContain('Unknown video')
  const kept = clients.filter(({ name }) => !lost.has(name))
  expect(kept.length).toBeGreaterThan(100)
  for (const { statuses, name } of kept) expect([name, ...new Set(statuses)]).toEqual([name, 200])

  const single = await served(token)
  await inBatches(kept, async (client) => {
    const alone = new Client(single.url, client.name)
    await whole(alone)
    expect(await client.journal()).toEqual(await alone.journal())
  })
  for (const { stderr } of servers) expect(stderr.text).not.toContain('/__sim/ready')
}, 300_000)

/** Two servers without a change to the configuration. */
const pools = [
  ['HAProxy', [0, 15]],
  ['nginx', [0, 1]],
] as const

it.each(pools)(
  'finds the sessions of two servers behind %s',
  async (name, numbers) => {
    const [one, other] = await Promise.all([served(token), served(token)])
    const urls = [one.url, other.url] as const
    const url = name === 'nginx' ? await behindNginx(urls) : (await haproxyOf(urls, numbers)).url
    await eventually(async () => expect((await fetch(`${url}/__sim/ready`)).status).toBe(200))
    const clients = Array.from({ length: 12 }, (_, index) => new Client(url, nameOf(index)))
    await inBatches(clients, async (client) => {
      await client.begin()
      await client.end()
    })
    expect(clients.map(({ lastError }) => lastError).filter((text) => text !== '')).toEqual([])
    const command = (...words: readonly string[]) => run([...words, '--base-url', url, ...token])
    for (const server of urls) {
      const [session = ''] = [...(await sessionsOf(server))].filter((known) => known !== 'default')
      expect((await command('journal', '--session', session)).stdout).toContain(`[session ${session}]`)
    }
  },
  120_000,
)

async function haproxyOf(urls: readonly [string, string], [one, other]: readonly [number, number]) {
  const pool = await balanced([
    [one, urls[0]],
    [other, urls[1]],
  ])
  await eventually(async () => expect(await pool.statesOf()).toEqual(['UP', 'UP']))
  return pool
}
