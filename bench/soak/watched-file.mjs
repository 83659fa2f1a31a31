/** A scenario file that `serve --watch` follows, saved again and again: whole, broken, in two steps. */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { connect } from '../../dist/client.js'

/** How long an edit may take to arrive on a busy machine. */
const patience = 30_000

function scenario(edition) {
  return `title: Edition ${edition}
rules:
  - id: paced
    when: { model: soak-paced }
    then: { stream: { eventInterval: 3s } }
  - id: said
    when: { model: soak-said }
    then: { text: "Edition ${edition}" }
  - id: overloaded-${edition % 7}
    when: { model: soak-overloaded }
    then: { fault: overloaded }
`
}

export async function startEdits(folder) {
  const file = join(folder, 'soak.yaml')
  const counts = { valid: 0, broken: 0 }
  const troubles = []
  const stop = new AbortController()
  let edition = 0
  await writeFile(file, scenario(edition))

  /** Resolves once the server uses the edition; a trouble if it never does. */
  const arrives = async (sim, wanted) => {
    for (const end = Date.now() + patience; Date.now() < end; await after(200)) {
      const { scenarios } = await sim.health()
      if (scenarios.includes(`Edition ${wanted}`)) return
    }
    troubles.push(`--watch: edition ${wanted} did not arrive in ${patience / 1000} s`)
  }

  const edit = async (sim, turn) => {
    if (turn % 3 === 1) {
      counts.broken++
      // A file that is half written, or wrong: the last valid one stays.
      await writeFile(
        file,
        turn % 2 === 0 ? 'title: Broken\nrules: [{ when: {' : 'title: Wrong\nrules: [{ whem: {} }]\n',
      )
      await after(500)
      return arrives(sim, edition)
    }
    counts.valid++
    edition++
    if (turn % 3 === 2) await writeFile(file, scenario(edition))
    else {
      await writeFile(`${file}.new`, scenario(edition))
      await rename(`${file}.new`, file)
    }
    return arrives(sim, edition)
  }

  let running = Promise.resolve()
  return {
    file,
    follow(url) {
      const sim = connect(url)
      running = (async () => {
        for (let turn = 0; !stop.signal.aborted; turn++) {
          await edit(sim, turn).catch(
            (error) => troubles.length < 20 && troubles.push(`--watch: ${error.message}`),
          )
          await after(2000, undefined, { signal: stop.signal }).catch(() => {})
        }
      })()
    },
    stop() {
      stop.abort()
      return running
    },
    counts: () => counts,
    troubles: () => troubles,
  }
}
