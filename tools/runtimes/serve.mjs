// Serves, checks the server, and stops it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const [program, ...words] = process.argv.slice(2)
const server = spawn(program, [...words, 'serve', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
let said = ''
for await (const text of server.stdout.setEncoding('utf8')) {
  said += text
  if (/Try:/.test(said)) break
}
const url = /http:\/\/[\d.:]+/.exec(said)[0]
const args = ['check', '--base-url', url, '--api-key', 'sk-test', '--spend', 'little', '--only', 'chat.*']
const [code] = await once(spawn(program, [...words, ...args], { stdio: 'inherit' }), 'exit')
server.kill('SIGTERM')
console.log('exit', code, 'SIGNAL', ...(await once(server, 'exit')))
