/** Starts actions at a fixed rate, chosen at random from a seed. */
import { setTimeout as after } from 'node:timers/promises'
import { actions } from './actions.mjs'
import { clientsOf } from './clients.mjs'

/** More actions than these are never under way: a server that hangs shows as calls that are not made. */
const most = 256

export async function startTraffic({ url, rate, seed }) {
  const chance = chanceOf(seed)
  const counts = Object.fromEntries(actions.map(({ name }) => [name, { done: 0, failed: 0 }]))
  const troubles = []
  let calls = 0
  let waiting = 0
  let stopped = false
  const context = {
    url,
    chance,
    pick: (list) => list[Math.floor(chance() * list.length)],
    wait: (ms) => after(stopped ? 0 : ms),
    over: () => stopped,
    fetch(input, init) {
      calls++
      return fetch(input, init)
    },
  }
  context.clients = clientsOf(context)
  const total = actions.reduce((sum, { weight }) => sum + weight, 0)
  const draw = () => {
    let at = chance() * total
    return actions.find(({ weight }) => (at -= weight) < 0) ?? actions[0]
  }

  let turn = 0
  const start = ({ name, act }) => {
    waiting++
    // An action that makes no call would be started again and again.
    const before = calls
    const running = act(context, turn++)
      .then(
        () => counts[name].done++,
        (error) => {
          counts[name].failed++
          if (troubles.length < 50) troubles.push(`${name}: ${error?.message ?? error}`.slice(0, 300))
        },
      )
      .finally(() => waiting--)
    if (calls === before) calls++
    return running
  }

  // One of each, in turn: what a server loads when it is first needed is loaded, and every action works.
  for (const action of actions) await start(action)
  let allowed = calls
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    // Actions that a busy machine missed are not made up for.
    allowed = Math.min(allowed + ((now - last) / 1000) * rate, calls + rate / 2)
    last = now
    while (calls < allowed && waiting < most) start(draw())
  }, 20)

  return {
    state: () => ({ calls, waiting }),
    counts: () => counts,
    troubles: () => troubles,
    /** Stops, and resolves to the actions that are still pending after half a minute. */
    async stop() {
      clearInterval(timer)
      stopped = true
      for (let tries = 0; waiting > 0 && tries < 300; tries++) await after(100)
      if (waiting > 0) troubles.push(`${waiting} actions never ended`)
      return waiting
    },
  }
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32 over FNV-1a). */
function chanceOf(seed) {
  let state = 0x811c9dc5
  for (const letter of seed) state = Math.imul(state ^ letter.codePointAt(0), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
