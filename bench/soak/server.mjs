/** `gateway-sim serve` as a separate process, and its resource usage. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Small stores: each is full after a tenth of the run, and must stay so. */
const config = {
  limits: { activeImageJobs: 500 },
  memory: {
    sessions: 300,
    items: 5000,
    bytes: 2 ** 25,
  },
}

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function startServer(folder, scenario) {
  const [configFile, readyFile] = [join(folder, 'config.json'), join(folder, 'ready.json')]
  await writeFile(configFile, JSON.stringify(config))
  const flags = ['--port', '0', '--config', configFile, '--scenario', scenario, '--ready-file', readyFile]
  const child = spawn(
    process.execPath,
    [
      ...['--expose-gc', '--import', new URL('./inside.mjs', import.meta.url).href],
      ...[
        join(root, 'bin/gateway-sim.js'),
        'serve',
        ...flags,
        '--watch',
        '--speed',
        '30',
        '--format',
        'json',
      ],
    ],
    { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], cwd: folder },
  )
  // A stopped run leaves no server running.
  process.once('exit', () => child.kill('SIGKILL'))
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const log = readLog(child.stderr)
  for (let tries = 0; !existsSync(readyFile); tries++) {
    if (child.exitCode !== null || tries > 600) throw new Error(`the server does not start:\n${log.rest()}`)
    await after(100)
  }
  const { url } = JSON.parse(await readFile(readyFile, 'utf8'))
  return {
    url,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    /** Memory, descriptors, timers and the delay of the event loop since the last sample. */
    async sample(collect) {
      child.send({ collect })
      const [inside] = await once(child, 'message', { signal: AbortSignal.timeout(60_000) })
      return { ...inside, ...outside(child.pid) }
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await Promise.race([once(child, 'exit'), after(20_000, undefined, { ref: false })])
      }
      return child.exitCode ?? child.signalCode ?? 'does not stop'
    },
    warnings: () => Object.fromEntries(log.warnings),
    /** Unexpected lines on stderr: a crash, a bug, a line that is not JSON. */
    troubles: () => log.strange,
  }
}

/** Counts the lines of the log, and keeps what is not a plain call. */
function readLog(stream) {
  const warnings = new Map()
  const strange = []
  let rest = ''
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) if (!line.startsWith('{"event":"call"')) keep(line)
  })
  const keep = (line) => {
    let entry
    try {
      entry = JSON.parse(line)
    } catch {
      if (strange.length < 20) strange.push(`stderr: ${line}`)
      return
    }
    const { event, message = '' } = entry
    if (/simulator_bug|bug in/i.test(message) && strange.length < 20) strange.push(`warning: ${message}`)
    // One kind of warning, whatever it names.
    const kind = `${event}: ${message
      .split('\n')[0]
      .replaceAll(/"[^"]*"|\d+/g, '…')
      .slice(0, 150)}`
    if (warnings.has(kind) || warnings.size < 100) warnings.set(kind, (warnings.get(kind) ?? 0) + 1)
  }
  return { warnings, strange, rest: () => [...strange, rest].join('\n') }
}

/** Facts about the process from /proc; empty without /proc. */
function outside(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const number = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
    return {
      rss: number('VmRSS') * 1024,
      threads: number('Threads'),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
    }
  } catch {
    return {}
  }
}
