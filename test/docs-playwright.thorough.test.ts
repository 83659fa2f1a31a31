/** The samples of docs/test/playwright.md run as they are, with Playwright and Chromium, against an app. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Ended, requireBuild, root, runProgram } from './_built.ts'
import { samplesOf } from './_samples.ts'
import { chromiumPath } from './browser/_chromium.ts'

const samples = new Map(
  samplesOf('docs/test/playwright.md').map(({ text }) => [/^\/\/ (\S+)\n/.exec(text)?.[1], text]),
)

beforeAll(requireBuild)

/** The server of the app; the page at `/image` asks for its job every two seconds. */
const server = (sample: string): string => `import { createServer } from 'node:http'
import OpenAI from 'openai'

const script = async () => {
  const job = await (await fetch('/jobs', { method: 'POST' })).json()
  const poll = async () => {
    const { urls } = await (await fetch('/jobs/' + job.id)).json()
    if (urls?.[0] === undefined) return setTimeout(poll, 2000)
    document.body.append(Object.assign(new Image(), { src: urls[0] }))
  }
  setTimeout(poll, 2000)
}
const models = async () => {
  const url = new URLSearchParams(location.search).get('gateway') + '/v1/models'
  const response = await fetch(url, { headers: { authorization: 'Bearer sk-page' } })
  document.body.append(await response.text())
}
createServer(async (request, response) => {
  const { method, url } = request
${sample.replaceAll(/^(?=.)/gm, '  ')}
  const page = (run) => '<!doctype html><link rel=icon href="data:,"><body><script>(' + run + ')()</script>'
  response.setHeader('content-type', 'text/html')
  if (url.startsWith('/?')) return response.end(page(models))
  if (url === '/image') return response.end(page(script))
  if (url.startsWith('/jobs')) {
    const answer =
      method === 'POST'
        ? await client.post('/tob/diffusion', { body: { model: 'image-job-v7', text: 'a lighthouse' } })
        : await client.get('/tob/job/' + url.split('/').at(-1))
    return response.end(JSON.stringify(answer))
  }
  // A browser asks for an icon as well.
  if (url !== '/') return response.writeHead(404).end()
  const messages = [{ role: 'user', content: 'Reply with exactly: pong' }]
  const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages })
  response.end(choices[0].message.content)
}).listen(PORT, '127.0.0.1')
`

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** A project with the samples, in which packages are found as if they were installed. */
async function project(): Promise<string> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-sim-playwright-')))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  for (const name of ['gateway-sim', '@playwright/test', 'openai']) {
    const at = join(directory, 'node_modules', name)
    mkdirSync(dirname(at), { recursive: true })
    symlinkSync(name === 'gateway-sim' ? root : join(root, 'node_modules', name), at, 'junction')
  }
  const port = await freePort()
  const write = (name: string, text: string): void =>
    writeFileSync(join(directory, name), text.replaceAll(/\b3000\b/g, String(port)))
  write('package.json', '{ "type": "module", "scripts": { "start": "node server.js" } }')
  for (const [name, text] of samples)
    if (name !== undefined) write(name, name === 'server.js' ? server(text).replace('PORT', '3000') : text)
  const launchOptions = JSON.stringify({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  // Playwright's own limits, 30 and 5 seconds, are for a machine that does nothing else.
  const patience = 'timeout: 120_000, expect: { timeout: 60_000 }'
  write(
    'playwright.config.js',
    `${samples.get('playwright.config.js')?.replace('default {', `default { ${patience}, use: { launchOptions: ${launchOptions} },`)}`,
  )
  return directory
}

/** Runs Playwright in a project, under `exec`. */
const playwright = (cwd: string, ...words: string[]): Promise<Ended> => {
  const cli = join(root, 'node_modules/@playwright/test/cli.js')
  const exec = [join(root, 'bin/gateway-sim.js'), 'exec', '--', process.execPath]
  return runProgram(process.execPath, [...exec, cli, 'test', '--reporter=line', ...words], { cwd })
}

it('all tests pass, each in its session', { timeout: 300_000 }, async () => {
  const cwd = await project()
  const { code, stdout, stderr } = await playwright(cwd)
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringContaining('3 passed'),
    stderr: expect.stringMatching(/requests in 3 sessions[^]*imageJobs\.create/),
  })
})
