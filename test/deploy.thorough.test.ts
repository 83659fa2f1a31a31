/**
 * The files in deploy/. There is no Docker here: the steps of the Dockerfile run in a clean, read-only
 * folder, under another user if the tests run as root. Needs haproxy, nginx and `npm run build`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { afterAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { manifest, packedProject, root } from './_built.ts'
import { eventually } from './_eventually.ts'
import { emptyDirectory, startProcess } from './cli/_io.ts'

const read = (name: string): string => readFileSync(join(root, 'deploy', name), 'utf8')

/** The instructions of the Dockerfile, each on one line. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
const argumentsOf = (name: string): string[] =>
  instructions.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))
const wordsOf = (text = ''): string[] => JSON.parse(text.slice(text.indexOf('['))) as string[]
const entryPoint = wordsOf(argumentsOf('ENTRYPOINT')[0])
const healthCheck = wordsOf(argumentsOf('HEALTHCHECK')[0])

/** What the image contains: the package as npm installs it globally, and the working folder. */
const image = mkdtempSync(join(tmpdir(), 'gateway-sim-image-'))
afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', image])
  rmSync(image, { recursive: true, force: true })
})
const workingFolder = join(image, argumentsOf('WORKDIR')[0] ?? '')
const bin = join(image, 'bin/gateway-sim')

const packed = packedProject()

/** The packages of these names, and those that they need. */
const packages = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const file = join(root, 'node_modules', name, 'package.json')
    const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8'))
    return [name, ...packages(Object.keys(dependencies))]
  })

function install(): void {
  const installed = join(image, 'lib/node_modules/gateway-sim')
  cpSync(join(packed.directory, 'node_modules/gateway-sim'), installed, { recursive: true })
  for (const name of packages(Object.keys(manifest.dependencies)))
    cpSync(join(root, 'node_modules', name), join(installed, 'node_modules', name), { recursive: true })
  const target = join('../lib/node_modules/gateway-sim', manifest.bin['gateway-sim'] ?? '')
  mkdirSync(dirname(bin))
  symlinkSync(target, bin)
  mkdirSync(join(workingFolder, 'scenarios'), { recursive: true })
  cpSync(join(root, 'scenarios/upstream-outage.yaml'), join(workingFolder, 'scenarios/outage.yaml'))
  execFileSync('chmod', ['-R', 'a+rX,a-w', image])
  execFileSync('chmod', ['a+x', join(dirname(bin), target)])
}
install()

const token = 'deploy-token'
const user =
  process.getuid?.() === 0
    ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--no-new-privs']
    : []

/** Runs words of the image, where nothing can be written. */
function inImage(words: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const [program = '', ...args] = [...user, ...words]
  const PATH = `${dirname(bin)}:${dirname(process.execPath)}:/usr/bin:/bin`
  const env = { PATH, NODE_ENV: 'production', GATEWAY_SIM_CONTROL_TOKEN: token, TMPDIR: image, HOME: image }
  return startProcess(program, args, { cwd: workingFolder, env: { ...env, ...more } })
}

async function serving(command: readonly string[]) {
  const running = inImage([...entryPoint, ...command, '--port', '0'])
  const ended = running.ended.then(({ stderr }) => Promise.reject(new Error(stderr)))
  ended.catch(() => {})
  const [, port = ''] = await Promise.race([running.stdout.until(/http:\/\/\S+:(\d+)\n/), ended])
  return { ...running, url: `http://127.0.0.1:${port}` }
}

const json = { 'content-type': 'application/json', authorization: 'Bearer sk-test' }
const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) })
const statusOf = async (url: string, headers = {}): Promise<number> => (await fetch(url, { headers })).status

describe('deploy/Dockerfile', () => {
  it('has no mistake that the linter knows', () => {
    expect(validate(read('Dockerfile')).map(({ message }) => message)).toEqual([])
  })

  it('installs the package without scripts, for a user without rights', () => {
    expect(argumentsOf('RUN').join()).toMatch(/npm install --global --ignore-scripts [^&]*"\$PACKAGE"/)
    expect([argumentsOf('ARG'), argumentsOf('USER')]).toEqual([[`PACKAGE=gateway-sim@latest`], ['node']])
  })

  it('serves, passes its health check and ends on the stop signal', async () => {
    const server = await serving(wordsOf(argumentsOf('CMD')[0]))
    const check = inImage(healthCheck, { GATEWAY_SIM_URL: server.url })
    expect((await check.ended).code).toBe(0)
    expect(await statusOf(`${server.url}/__sim/journal`)).toBe(401)
    expect(await statusOf(`${server.url}/__sim/journal`, { 'x-sim-token': token })).toBe(200)
    const images = await post(`${server.url}/v1/images/generations`, {
      model: 'gpt-image-1',
      prompt: 'a boat',
    })
    const [{ b64_json: base64 }] = ((await images.json()) as { data: [{ b64_json: string }] }).data
    expect(Buffer.from(base64, 'base64').length).toBeGreaterThan(1000)
    const messages = [{ role: 'user', content: 'Hi' }]
    const stream = await post(`${server.url}/v1/chat/completions`, {
      model: 'gpt-4o',
      stream: true,
      messages,
    })
    expect(await stream.text()).toContain('[DONE]')
    server.child.kill(argumentsOf('STOPSIGNAL')[0] as NodeJS.Signals)
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect((await inImage(healthCheck, { GATEWAY_SIM_URL: server.url }).ended).code).toBe(1)
  })
})

describe('deploy/compose.yaml', () => {
  it('has a command that finds the scenarios', async () => {
    const { gateway } = parse(read('compose.yaml')).services
    expect(gateway.volumes).toEqual([`./scenarios:${argumentsOf('WORKDIR')[0]}/scenarios:ro`])
    expect(gateway.ports).toEqual([`127.0.0.1:4010:${argumentsOf('EXPOSE')[0]}`])
    const { url } = await serving(gateway.command)
    const response = await fetch(`${url}/__sim/scenarios`, { headers: { 'x-sim-token': token } })
    expect(await response.text()).toContain('outage')
  })
})

const objects = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS())
const named = (kind: string, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name)
const pods = named('StatefulSet', 'gateway-sim').spec.template.spec
const [container] = pods.containers

describe('deploy/kubernetes.yaml', () => {
  it('has servers with probes', async () => {
    const server = await serving((container as { args: string[] }).args)
    for (const { httpGet } of [container.readinessProbe, container.livenessProbe])
      expect(await statusOf(server.url + httpGet.path)).toBe(200)
  })

  it('has a balancer that finds the servers by name', () => {
    const { replicas } = named('StatefulSet', 'gateway-sim').spec
    const { serviceName } = named('StatefulSet', 'gateway-sim').spec
    expect(named('Service', serviceName).spec).toMatchObject({
      clusterIP: 'None',
      selector: named('StatefulSet', 'gateway-sim').spec.template.metadata.labels,
    })
    const [balancer] = named('Deployment', 'gateway').spec.template.spec.containers
    const env = new Map(balancer.env.map(({ name, value }: Record<string, string>) => [name, value]))
    const used = new Set([...read('haproxy.cfg').matchAll(/ "\$\{(\w+)\}"/g)].map(([, name]) => name))
    expect([...env.keys()].filter((name) => !used.has(String(name)))).toEqual([])
    for (let index = 0; index < replicas; index++)
      expect(env.get(`SIM${index}`)).toBe(
        `gateway-sim-${index}.${serviceName}.default.svc.cluster.local:4010`,
      )
    expect(named('Service', 'gateway').spec.selector).toEqual(
      named('Deployment', 'gateway').spec.template.metadata.labels,
    )
  })
})

describe('deploy/envoy.yaml', () => {
  it('sends every request to the pool, by its session', () => {
    const { listeners, clusters } = parse(read('envoy.yaml')).static_resources
    const { routes } = listeners[0].filter_chains[0].filters[0].typed_config.route_config.virtual_hosts[0]
    const used = (routes as { route: { cluster: string; hash_policy: unknown[] } }[]).map(
      ({ route }) => route,
    )
    expect(used.map(({ cluster, hash_policy }) => `${cluster} ${hash_policy.length}`)).toEqual(
      used.map(() => 'pool 1'),
    )
    expect(clusters.map(({ name }: { name: string }) => name)).toEqual(['pool'])
    expect(clusters[0].health_checks[0].http_health_check.path).toBe(container.readinessProbe.httpGet.path)
  })
})

describe('deploy/haproxy.cfg', () => {
  it.each([1, 2, 5, 16])('is valid for %i servers', (count) => {
    const servers = Array.from({ length: count }, (_, index) => [`SIM${index}`, `127.0.0.1:${4011 + index}`])
    const env = { PATH: process.env['PATH'], ...Object.fromEntries(servers) }
    const args = ['-c', '-q', '-f', join(root, 'deploy/haproxy.cfg')]
    expect(spawnSync('haproxy', args, { env, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })
})

describe('docs/ci/shared-server.md', () => {
  it('has settings for nginx that pass on large bodies, and streams at once', async () => {
    const page = readFileSync(join(root, 'docs/ci/shared-server.md'), 'utf8')
    const location = /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
    const { url } = await serving(['serve', '--clock', 'auto'])
    const directory = emptyDirectory()
    const socket = join(directory, 'socket')
    const config = `daemon off; master_process off; pid nginx.pid; error_log stderr; events {}
      http { access_log off; server { listen unix:${socket};
        ${location.replace('http://127.0.0.1:4010', url)} } }`
    writeFileSync(join(directory, 'nginx.conf'), config)
    startProcess('nginx', ['-p', directory, '-c', join(directory, 'nginx.conf')])
    await eventually(() => expect(existsSync(socket)).toBe(true))
    const ask = (content: string, stream = false): ClientRequest => {
      const sent = request({
        socketPath: socket,
        path: '/v1/chat/completions',
        method: 'POST',
        headers: json,
      })
      return sent.end(JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content }] }))
    }
    const [large] = (await once(ask('x'.repeat(2 ** 21)), 'response')) as [IncomingMessage]
    expect(large.statusCode).toBe(200)
    large.resume()
    await fetch(`${url}/__sim/overrides`, {
      method: 'POST',
      headers: { ...json, 'x-sim-token': token },
      body: JSON.stringify({ fault: { kind: 'stall', afterEvents: 1 } }),
    })
    const [stalled] = (await once(ask('Hi', true), 'response')) as [IncomingMessage]
    expect(String((await once(stalled, 'data'))[0])).toMatch(/^data: /)
    stalled.destroy()
  })
})
