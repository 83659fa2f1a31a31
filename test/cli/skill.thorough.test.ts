/** skills/gateway-sim/SKILL.md: its front matter, and its commands in their order. */
import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { requireBuild, root } from '../_built.ts'
import { samplesOf } from '../_samples.ts'
import { jsonCall } from '../_setup.ts'
import { directoryWith } from './_io.ts'

beforeAll(requireBuild)

const skill = readFileSync(join(root, 'skills/gateway-sim/SKILL.md'), 'utf8')
const blocks = (language: string): string[] =>
  [...skill.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

it('is a skill: a name that is its folder, and a description that says when to use it', () => {
  const [, head = ''] = /^---\n([^]*?)\n---\n/.exec(skill) ?? []
  const { name, description, ...others } = parse(head) as { name: string; description: string }
  expect([name, others]).toEqual(['gateway-sim', {}])
  expect(description.length).toBeLessThanOrEqual(1024)
  expect(description).toContain('Use it to')
  expect(skill.split('\n').length).toBeLessThan(120)
})

describe('its commands', () => {
  const [judge = '', start = '', ask = '', fail = '', stop = '', validate = '', check = ''] = blocks('sh')
  const app = `const url = process.env.OPENAI_BASE_URL
await fetch(url + '/models', { headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY } })
`

  it('work in the order of the page', async () => {
    expect(blocks('sh')).toHaveLength(7)
    const port = await freePort()
    const cwd = directoryWith({
      'app.mjs': app,
      'scenario.yaml': blocks('yaml')[0] as string,
      'node_modules/.bin/.keep': '',
    })
    symlinkSync(join(root, 'bin/gateway-sim.js'), join(cwd, 'node_modules/.bin/gateway-sim'))
    const url = `http://127.0.0.1:${port}`
    const env = {
      ...process.env,
      GATEWAY_SIM_URL: url,
      PATH: `${cwd}/node_modules/.bin:${process.env['PATH']}`,
    }
    // npx takes half a second for each command, and finds the same file.
    const shell = (text: string) =>
      promisify(execFile)(
        'bash',
        ['-e', '-c', text.replaceAll('npx ', '').replaceAll('4010', String(port))],
        {
          cwd,
          env,
        },
      )
    expect((await shell(judge)).stderr).toContain('1 request in 1 session')
    const { stdout: pid } = await shell(`${start.replace('>server.json &', '>server.json 2>log &')}echo $!`)
    try {
      await fetch(
        `${url}/v1/chat/completions`,
        jsonCall({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
      )
      const asked = (await shell(ask)).stdout
      expect(asked).toMatch(/^0 \S+ 429 POST .*chat\.create \(rule limited, fault rate-limit\)/)
      for (const part of ['Rule limited answered', '"ok": ?true', '"count": ?1'])
        expect(asked).toMatch(new RegExp(part, 'i'))
      const failed = (await shell(fail)).stdout
      expect(failed).toMatch(
        /fault reset; operation videos\.create.*1 left[^]*nothing is due[^]*removed 1 override/,
      )
      await shell(stop)
      await expect.poll(() => fetch(url).catch((error: Error) => error.message)).toBe('fetch failed')
    } finally {
      await shell(`kill ${pid.trim().split('\n').at(-1)} || true`)
    }
    expect((await shell(validate)).stdout).toMatch(/1 file valid[^]*sunny/)
    await shell('gateway-sim exec --report har=calls.har -- node app.mjs')
    expect((await shell(check)).stdout).toMatch(/\ncalls\.har: no violations/)
  })

  it('are no others', () => {
    const named = [...skill.matchAll(/npx gateway-sim (\S+)/g)].map(([, name]) => name)
    const tested = [judge, start, ask, fail, stop, validate, check].join('')
    expect(named.filter((name) => !tested.includes(`gateway-sim ${name}`))).toEqual(['<command>'])
  })
})

it('is copied by the command of docs/test/coding-agents.md, and ships with the package', async () => {
  const copy = samplesOf('docs/test/coding-agents.md').find(({ language }) => language === 'bash')
  const cwd = directoryWith({ 'node_modules/.keep': '' })
  symlinkSync(root, join(cwd, 'node_modules/gateway-sim'))
  await promisify(execFile)('bash', ['-e', '-c', copy?.text ?? 'false'], { cwd })
  expect(readFileSync(join(cwd, '.claude/skills/gateway-sim/SKILL.md'), 'utf8')).toBe(skill)
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  expect(files).toEqual(expect.arrayContaining(['skills', 'action.yml']))
})
