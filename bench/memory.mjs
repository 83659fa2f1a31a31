/**
 * The memory of the simulator over a million calls: in-process (`handle`) and over HTTP on connections that
 * are kept alive, in one session and in many. Prints the memory of
 * the process (RSS) ten times on the way, and its growth over the last half, when every store has reached its
 * bound.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { load, requestBytes } from './load.mjs'
import { requestOf } from './memory-requests.mjs'

const million = 1_000_000
const steps = 10
/** The growth over the last half that is tolerated, as a share, because heap sizes fluctuate. */
const wanted = 0.1

export async function memory(print, written = String(million)) {
  const calls = Number(written)
  if (!Number.isInteger(calls) || calls < steps)
    throw new Error(`memory: expected a number of requests from ${steps} up, got ${written}`)
  if (calls < million)
    print(
      `memory: below ${million.toLocaleString('en')} requests the stores may not have reached their ` +
        'limits, which makes the growth meaningless',
    )
  const results = []
  for (const [integration, sessions] of [
    ['handle', false],
    ['HTTP', false],
    ['HTTP', true],
  ]) {
    const perSession = sessions ? ', a session for every hundred requests' : ''
    const name = `${integration}${perSession}`
    results.push({
      name,
      wanted,
      grown: await measure(print, name, { integration, sessions, calls }),
    })
  }
  return results
}

async function measure(print, name, { integration, sessions, calls }) {
  const child = fork(new URL('./memory-server.mjs', import.meta.url), [integration, String(sessions)])
  const [{ port }] = await once(child, 'message')
  const rows = []
  print(`\n${name}\n${row(['calls', 'RSS', 'heap', 'calls/s'])}`)
  for (let step = 0; step < steps; step++) {
    const [from, to] = [step, step + 1].map((at) => Math.round((calls * at) / steps))
    const began = performance.now()
    if (integration === 'HTTP')
      await load({
        port,
        requests: (at) => requestBytes(requestOf(from + at, sessions)),
        calls: to - from,
        rejections: true,
      })
    child.send(integration === 'HTTP' ? { measure: true } : { from, to })
    const [{ rss, heap }] = await once(child, 'message')
    rows.push(rss)
    print(
      row([
        to.toLocaleString('en'),
        megabytes(rss),
        megabytes(heap),
        Math.round((to - from) / ((performance.now() - began) / 1000)).toLocaleString('en'),
      ]),
    )
  }
  child.send({ stop: true })
  await once(child, 'exit')
  const [half, last] = [rows[steps / 2 - 1], rows[steps - 1]]
  const grown = last / half - 1
  print(
    `growth over the last half: ${(grown * 100).toFixed(1)} % (${megabytes(half)} to ${megabytes(last)}; ` +
      `target: at most ${wanted * 100} %)`,
  )
  return grown
}

const row = (cells) => cells.map((cell) => cell.padStart(12)).join('')
const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`
