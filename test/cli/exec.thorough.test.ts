/**
 * `gateway-sim exec`: the environment of the command, its end, and what is said about it. Signals go to a
 * process, which needs `npm run build`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { requireBuild, root } from '../_built.ts'
import { begin, exec, real, reported, script } from './_exec.ts'
import { emptyDirectory } from './_io.ts'

beforeAll(requireBuild)

describe('the environment of the command', () => {
  // In one process: each block asks one SDK, and says its name.
  const sdks = [
    {
      name: 'openai',
      code: `const { default: OpenAI } = await import('openai'); console.log((await new OpenAI().chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Reply with exactly: pong' }] })).choices[0].message.content)`,
    },
    {
      name: '@ai-sdk/openai',
      code: `const { openai } = await import('@ai-sdk/openai'); const { generateText } = await import('ai'); console.log((await generateText({ model: openai.chat('gpt-4o'), prompt: 'Reply with exactly: pong' })).text)`,
    },
    {
      name: '@ai-sdk/anthropic',
      code: `const { createAnthropic } = await import('@ai-sdk/anthropic'); const { generateText } = await import('ai'); console.log((await generateText({ model: createAnthropic({ baseURL: process.env.ANTHROPIC_BASE_URL + '/v1' })('claude-sonnet-4-5'), maxOutputTokens: 100, prompt: 'Reply with exactly: pong' })).text)`,
    },
    {
      name: '@langchain/openai',
      code: `const { ChatOpenAI } = await import('@langchain/openai'); console.log((await new ChatOpenAI({ model: 'gpt-4o' }).invoke('Reply with exactly: pong')).content)`,
    },
    {
      name: '@anthropic-ai/sdk',
      code: `const { default: Anthropic } = await import('@anthropic-ai/sdk'); console.log((await new Anthropic().messages.create({ model: 'claude-sonnet-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Reply with exactly: pong' }] })).content[0].text)`,
    },
    {
      name: '@langchain/anthropic',
      code: `const { ChatAnthropic } = await import('@langchain/anthropic'); console.log((await new ChatAnthropic({ model: 'claude-sonnet-4-5', maxTokens: 100 }).invoke('Reply with exactly: pong')).content)`,
    },
    {
      name: '@google/genai',
      code: `const { GoogleGenAI } = await import('@google/genai'); const { name } = await new GoogleGenAI({}).models.generateVideos({ model: 'veo-3', prompt: 'a sunset' }); console.log(name ? 'pong' : 'no name')`,
    },
    {
      name: '@typesafe-ai/sdk',
      code: `const { noul, TypeSafeClient } = await import('@typesafe-ai/sdk'); const client = new TypeSafeClient(); const response = await client.systemOne({ state: { document: 'The sky is blue.' }, questions: { blue: noul('Is the sky blue?') } }); console.log(response ? 'pong' : 'nothing')`,
    },
  ]

  it('points every SDK to the simulator, whatever was set before', async () => {
    const blocks = sdks.map(({ name, code }) => `{ console.log('${name}'); ${code} }`)
    const { stdout, stderr, report } = await reported([], script(blocks.join('\n')), { cwd: root, env: real })
    expect(stdout, stderr).toBe(sdks.map(({ name }) => `${name}\npong\n`).join(''))
    expect(
      Object.fromEntries(report.operations.map(({ operation, statuses }) => [operation, statuses])),
    ).toEqual({
      'chat.create': { 200: 3 },
      'messages.create': { 200: 3 },
      'videoOperations.submit': { 200: 1 },
      'systemone.evaluate': { 200: 1 },
    })
  })
})

describe('the command', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('receives %s and decides how to end', async (signal) => {
    const { child, stdout, ended } = begin(
      [],
      script(
        `process.on('${signal}', async () => { console.log((await call('/v1/models')).status); process.exit(5) }); setInterval(() => {}, 60_000); console.log('up')`,
      ),
    )
    await stdout.until(/up/)
    child.kill(signal)
    expect(await ended).toMatchObject({ code: 5, stdout: 'up\n200\n' })
  })

  // There are no signals on Windows.
  describe.skipIf(process.platform === 'win32')('ended by a signal', () => {
    it.each([
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const)('%s is forwarded, awaited, in the report, and gives exit code %i', async (signal, code) => {
      const file = join(emptyDirectory(), 'report.json')
      const { child, stdout, ended } = begin(
        ['--report', `json=${file}`],
        script(
          `setInterval(() => {}, 60_000); console.log((await call('/v1/models')).status, process.pid, process.env.GATEWAY_SIM_URL)`,
        ),
      )
      const [, pid, url] = (await stdout.until(/^200 (\d+) (\S+)\n/)).slice() as [string, string, string]
      child.kill(signal)
      const { code: said, stderr } = await ended
      expect({ said, signalled: child.signalCode }).toEqual({ said: code, signalled: null })
      expect(stderr).toMatch(/^gateway-sim exec: .*\n\n1 request in 1 session:\n/)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        ok: false,
        exitCode: code,
        requests: 1,
        command: { exitCode: code, signal, started: true },
      })
      // Neither an orphan nor a server is left.
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
      await expect(fetch(url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
    })

    it('can take its time: exec keeps running and answers its last requests', async () => {
      const { child, stdout, ended } = begin(
        [],
        script(
          `process.on('SIGTERM', async () => { console.log('leaving'); process.stdin.resume(); process.stdin.on('end', async () => { console.log((await call('/v1/models')).status); process.exit(0) }) }); setInterval(() => {}, 60_000); console.log('up')`,
        ),
      )
      await stdout.until(/up\n/)
      child.kill('SIGTERM')
      const { code, stdout: said, stderr } = await ended
      expect({ code, said }).toEqual({ code: 0, said: 'up\nleaving\n200\n' })
      expect(stderr).toMatch(/^gateway-sim exec: .*\n\n1 request in 1 session:\n/)
    })
  })

  it('leaves no listening socket', async () => {
    const { stdout } = await exec([], script('console.log(process.env.GATEWAY_SIM_URL)'))
    await expect(fetch(stdout.trim())).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })
})
