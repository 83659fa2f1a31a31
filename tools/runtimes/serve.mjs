// Serves, checks the server, and stops it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const [program, ...words] = process.argv.slice(2)
const server = spawn(program, [...words, 'serve', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
// Continues to read the log, which the server waits for.
const url = await new Promise((done) => {
  server.stdout.setEncoding('utf8').on('data', (text) => done(/http:\/\/[\d.:]+/.exec(text)?.[0]))
})
const args = ['check', '--base-url', url, '--api-key', 'sk-test', '--only', 'chat.create']
const [code] = await once(spawn(program, [...words, ...args], { stdio: 'inherit' }), 'exit')
server.kill('SIGTERM')
const [stopped] = await once(server, 'exit')
console.log(`checked ${code}, stopped ${stopped}`)
