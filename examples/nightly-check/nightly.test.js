import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { before, test } from 'node:test'
import { startGateway } from './gateway.js'

before(() => rmSync('last', { recursive: true, force: true }))

/** One night: checks a gateway with these deviations. */
async function night(...deviations) {
  const { url, close } = await startGateway(...deviations)
  const result = await check(url)
  await close()
  return result
}

async function check(url) {
  const env = { ...process.env, GATEWAY_API_KEY: 'sk-nightly' }
  const child = spawn('sh', ['nightly.sh', url], { env, stdio: 'ignore' })
  const [code] = await once(child, 'close')
  return { code, summary: readFileSync('summary.md', 'utf8') }
}

test('the first night finds only known violations', async () => {
  const { code, summary } = await night('noFinishReason', 'otherPath')
  assert.equal(code, 0)
  assert.match(summary, /passed/)
  assert.match(summary, /No earlier recording: nothing compared\.\n$/)
  assert.match(summary, /Accepted\n\n- chat\.create .*\n- files\.createUploadUrl /)
})

test('the second night fails because of a new violation, and names it', async () => {
  const { code, summary } = await night('noFinishReason', 'otherPath', 'newStopReason')
  assert.equal(code, 1)
  assert.match(summary, /: 1 violation, /)
  const [, changes] = summary.split('## Since the last run')
  assert.match(changes, /messages\.create:\n {2}✗ values \/stop_reason: end_turn → finished\n/)
  assert.doesNotMatch(changes, /chat\.create/)
})

test('the third night fails because the gateway is down, and keeps the recording', async () => {
  const { code, summary } = await check('http://127.0.0.1:9')
  assert.equal(code, 3)
  assert.match(summary, /^\*\*The check did not run\.\*\*\n[^]*http:\S+ cannot be reached/)
  assert.ok(existsSync('last/check.har'))
})
