/**
 * Runs scripts of package.json in parallel, and prints the output of each once it has ended. Fails if one of
 * them fails.
 *
 *   node tools/run-together.mjs typecheck lint
 */
import { spawn } from 'node:child_process'

function run(script) {
  return new Promise((done) => {
    const child = spawn(`npm run ${script}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    let written = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (written += text))
    child.on('close', (code) => {
      console.log(written)
      done(code === 0)
    })
  })
}

const passed = await Promise.all(process.argv.slice(2).map(run))
if (passed.includes(false)) process.exitCode = 1
