/** Starts the servers of a benchmark in their own processes, and queries and stops them. */
import { fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * Starts `simulator`, `rules` or `bare`, all as `gateway-sim serve` starts itself: without the flag chance
 * decides how fast either of them is.
 */
export async function start(kind) {
  const child = fork(new URL('./servers.mjs', import.meta.url), [kind], {
    execArgv: ['--no-allocation-site-pretenuring'],
  })
  const [{ port }] = await once(child, 'message')
  return { child, port }
}

/** The answer to a message. */
export async function ask({ child }, message) {
  child.send(message)
  return (await once(child, 'message'))[0]
}

export const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
