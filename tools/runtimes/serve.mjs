// Serves, checks the server, and stops it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const [program, ...words] = process.argv.slice(2)
const server = spawn(program, [...words, 'serve', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
let said = ''
const url = await new Promise((done) => {
  server.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
    if (said.includes('Try:')) done(/http:\/\/[\d.:]+/.exec(said)[0])
  })
})
const args = ['check', '--base-url', url, '--api-key', 'sk-test', '--only', 'models.*']
const [code] = await once(spawn(program, [...words, ...args], { stdio: 'inherit' }), 'exit')
server.kill('SIGTERM')
const [stopped] = await once(server, 'exit')
console.log(`checked ${code}, stopped ${stopped}`)
