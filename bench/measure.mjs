/** CPU time per request of servers in separate processes, in alternating windows. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { load } from './load.mjs'

/**
 * Starts a server of `servers.mjs`, as `gateway-sim serve` starts itself: without the flag chance decides how
 * fast it is. `root` is another built checkout.
 */
export async function start(kind, root) {
  const child = fork(
    new URL('./servers.mjs', import.meta.url),
    [kind, ...(root === undefined ? [] : [root])],
    {
      execArgv: ['--no-allocation-site-pretenuring'],
    },
  )
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the server "${kind}" ended with ${code} before it listened`)
  })
  const [{ port }] = await Promise.race([once(child, 'message'), failed])
  // Later exits are deliberate.
  failed.catch(() => {})
  return { child, port, stop: () => child.send({ stop: true }) }
}

/** The answer to a message. */
export async function ask({ child }, message) {
  child.send(message)
  return (await once(child, 'message'))[0]
}

export const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]

/** The two load patterns: many connections with constant requests, and two that alternate. */
export const ways = { many: { connections: 32 }, turns: { connections: 2, inTurn: true } }

/** One window: microseconds of the server's CPU for each request. */
export async function cpuWindow({ server, requests }, how) {
  const before = (await ask(server, { cpu: true })).cpu
  const { responses } = await load({ port: server.port, requests, ...how })
  const { user, system } = (await ask(server, { cpu: true })).cpu
  return (user + system - before.user - before.system) / responses
}

/**
 * Windows of each server in turn, so that drift of the machine affects all; each lasts `calls`, but at most
 * `seconds`. Before them comes a longer one that does not count, since V8 takes thousands of calls to compile
 * what they run. `runs` are `{ server, requests }` by name. Resolves to the least of each run, which other
 * work on the machine disturbs least, to its ratio to the first one, and to the noise: how far apart the
 * windows of the first one are.
 */
export async function measure(runs, { rounds = 5, calls = 1000, seconds = 1, warmUp = {}, ...how }) {
  const names = Object.keys(runs)
  const costs = Object.fromEntries(names.map((name) => [name, []]))
  for (const name of names) await cpuWindow(runs[name], { calls: 6000, seconds: 3, ...warmUp, ...how })
  for (let round = 0; round < rounds; round++)
    for (const name of names) costs[name].push(await cpuWindow(runs[name], { ...how, calls, seconds }))
  const least = (name) => Math.min(...costs[name])
  const each = (figure) => Object.fromEntries(names.map((name) => [name, figure(name)]))
  const first = costs[names[0]]
  return {
    cpu: each(least),
    ratio: each((name) => least(name) / least(names[0])),
    noise: (Math.max(...first) - Math.min(...first)) / median(first),
  }
}
