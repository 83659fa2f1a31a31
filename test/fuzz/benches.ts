/** Simulators to put steps through: one in this process, and a server in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Library from '../../src/index.ts'
import type { SettingsInput, SimulatorOptions } from '../../src/index.ts'
import type { Find } from './check.ts'
import type { Bench } from './run-steps.ts'
import type { FileStep, SettingsStep, Step } from './steps.ts'
import { inProcess, type Outcome, overHttp } from './targets.ts'

type Create = typeof Library.createSimulator

const settings = { limits: { activeImageJobs: 1_000_000 } } satisfies SettingsInput
/** A wall clock that stands still: what it writes would differ from run to run. */
const options: SimulatorOptions = {
  seed: 'fuzz',
  clock: 'auto',
  settings,
  wallClock: () => 1_767_225_600_000,
}

export interface LocalBench extends Bench {
  /** Back to the beginning, as far as a simulator can go back. */
  reset(): Promise<void>
}

const ownCpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** A simulator of the library. */
export function localBench(createSimulator: Create): LocalBench {
  const complaints: Find[] = []
  const sim = createSimulator({
    ...options,
    selfCheck: true,
    onWarning(message) {
      if (message.startsWith('internal error in gateway-sim'))
        complaints.push({ what: 'bug', detail: message })
    },
  })
  const target = inProcess(sim, ownCpu)
  return {
    send: target.send,
    other: (step) =>
      step.kind === 'settings' ? trySettings(createSimulator, step) : Promise.resolve({ kind: 'left' }),
    cpu: () => loopCpuOf(process.pid),
    complaint: () => complaints.shift(),
    async reset() {
      sim.resetAll()
      const { sessions } = (await (await sim.fetch('http://gateway.test/__sim/sessions')).json()) as Sessions
      for (const { name } of sessions)
        if (name !== 'default')
          await sim.fetch(`http://gateway.test/__sim/sessions/${encodeURIComponent(name)}`, {
            method: 'DELETE',
          })
    },
    close: () => void sim.close(),
  }
}

interface Sessions {
  readonly sessions: readonly { readonly name: string }[]
}

/** Settings are used or rejected with reasons; a simulator that has them answers. */
async function trySettings(createSimulator: Create, { json }: SettingsStep): Promise<Outcome> {
  let given: SettingsInput
  try {
    given = JSON.parse(json) as SettingsInput
  } catch {
    return { kind: 'left' }
  }
  try {
    const sim = createSimulator({ ...options, settings: given, onWarning() {} })
    const response = await sim.fetch('http://gateway.test/v1/videos', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-fuzz', 'content-type': 'application/json' },
      body: '{"model":"video-1","prompt":"a fox"}',
    })
    const body = await response.text()
    await sim.close()
    return {
      kind: 'responses',
      responses: [{ status: response.status, headers: Object.fromEntries(response.headers), body }],
    }
  } catch (error) {
    const { name, message } = error as Error
    return ['ConfigError', 'ScenarioError'].includes(name) && message.length > 20
      ? { kind: 'left' }
      : { kind: 'wrong', reason: `fetch threw ${name}: ${message}` }
  }
}

export interface Server extends Bench {
  readonly port: number
  /** A further client, with a connection of its own. */
  lane(): Bench
  /** Bytes of the heap after a collection, and open descriptors. */
  memory(): Promise<{ readonly heap: number; readonly descriptors: number }>
  reset(): Promise<void>
  kill(): void
}

const serveFlags = [
  'serve',
  '--port',
  '0',
  '--clock',
  'auto',
  '--seed',
  'fuzz',
  '--format',
  'json',
  '--quiet',
]

/** `gateway-sim serve` in a process that can say how large its heap is. */
export async function startServer(root: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-sim-fuzz-'))
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify(settings))
  const probe = join(import.meta.dirname, 'probe.js')
  const cli = join(root, 'bin', 'gateway-sim.js')
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', probe, cli, ...serveFlags, '--config', config],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      cwd: folder,
    },
  )
  const state = watched(child)
  const port = await state.port
  const cpu = (): number | undefined => cpuOf(child.pid ?? 0)
  const target = overHttp(port, cpu)
  // What is loaded by the first calls is no cost of theirs.
  for (const path of ['/v1/chat/completions', '/v1/images/generations'])
    await target.send({
      ...json(path),
      body: '{"model":"m","prompt":"a","messages":[{"role":"user","content":"a"}]}',
    })
  const lane = (client = overHttp(port, cpu)): Bench => ({
    ...client,
    other: (step) => (step.kind === 'file' ? tryFile(root, folder, step) : Promise.resolve({ kind: 'left' })),
    cpu: () => undefined,
    complaint: state.complaint,
  })
  return {
    ...lane(target),
    port,
    cpu: () => loopCpuOf(child.pid ?? 0),
    lane,
    memory() {
      child.send('memory')
      return once(child, 'message').then(([figures]) => figures as { heap: number; descriptors: number })
    },
    reset: () => resetOver(target),
    kill() {
      state.expected()
      target.close()
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
    close: () => target.close(),
  }
}

/** What a server said when it was ready, and why it went. */
function watched(child: ChildProcess) {
  let said = ''
  let gone: string | undefined
  let isExpected = false
  let ready: (port: number) => void = () => {}
  let failed: (error: Error) => void = () => {}
  const port = new Promise<number>((resolve, reject) => {
    ready = resolve
    failed = reject
  })
  const hear = (chunk: Buffer): void => {
    said = (said + String(chunk)).slice(-4000)
    const found = /"event":"ready".*?"port":(\d+)/.exec(said)
    if (found !== null) ready(Number(found[1]))
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  child.on('exit', (code, signal) => {
    if (!isExpected) gone = `the server ended (${code ?? signal}): ${said.slice(-1500)}`
    failed(new Error(`the server did not start: ${said}`))
  })
  return {
    port,
    expected: () => void (isExpected = true),
    complaint(): Find | undefined {
      if (gone === undefined) {
        const bug = /internal error in gateway-sim[^\n]*/.exec(said)?.[0]
        said = bug === undefined ? said : ''
        return bug === undefined ? undefined : { what: 'bug', detail: bug }
      }
      return { what: 'crash', detail: gone }
    },
  }
}

const json = (path: string) =>
  ({
    kind: 'call',
    operation: 'warm-up',
    method: 'POST',
    path,
    headers: { authorization: 'Bearer sk-warm-up', 'content-type': 'application/json' },
  }) as const

async function resetOver({ send }: Pick<Bench, 'send'>): Promise<void> {
  const ask = async (method: string, path: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const body = method === 'POST' ? { body: '{"all":true}' } : {}
    const outcome = await send({ kind: 'call', operation: 'reset', method, path, headers, ...body })
    return outcome.kind === 'responses' ? (outcome.responses[0]?.body ?? '') : ''
  }
  await ask('POST', '/__sim/reset')
  const { sessions } = JSON.parse((await ask('GET', '/__sim/sessions')) || '{"sessions":[]}') as Sessions
  for (const { name } of sessions)
    if (name !== 'default') await ask('DELETE', `/__sim/sessions/${encodeURIComponent(name)}`)
}

/** A command reads the file, or says what is wrong with it, and ends. */
async function tryFile(root: string, folder: string, { operation, text }: FileStep): Promise<Outcome> {
  const path = join(folder, `${operation}-${Math.random()}.yaml`)
  writeFileSync(path, text)
  const args =
    operation === 'validate'
      ? ['validate', path]
      : ['exec', '--port', '0', '--quiet', '--config', path, '--', 'true']
  const child = spawn(process.execPath, [join(root, 'bin', 'gateway-sim.js'), ...args], { cwd: folder })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => void (said += String(chunk)))
  child.stderr.on('data', (chunk: Buffer) => void (said += String(chunk)))
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(timer)
  rmSync(path, { force: true })
  if (code === null) return { kind: 'wrong', reason: `${operation} did not end (${signal})` }
  if (/^ {4}at .*:\d+:\d+|node:internal|is a bug/m.test(said))
    return { kind: 'wrong', reason: `${operation} ended with ${code}: ${said.slice(0, 1000)}` }
  return { kind: 'left' }
}

/** Seconds of CPU of a process so far, the threads that draw included; Linux says so. */
const cpuOf = (pid: number): number | undefined => cpuIn(`/proc/${pid}/stat`)

/** Those of its event loop alone: while an image is drawn, others are answered. */
export const loopCpuOf = (pid: number): number | undefined => cpuIn(`/proc/${pid}/task/${pid}/stat`)

function cpuIn(path: string): number | undefined {
  try {
    const stat = readFileSync(path, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return undefined
  }
}

export const isKnownTo = (step: Step, bench: 'local' | 'server'): boolean =>
  bench === 'local' ? step.kind !== 'bytes' && step.kind !== 'file' : step.kind !== 'settings'
