/**
 * Runs a transcript: text at the margin is prose, each `# heading` begins with an empty folder and the files
 * from above the first heading, and indented lines are commands (`$`), their input (`>`) and their output.
 * Standard error is marked, and an exit code other than 0 stands at the end. `gateway-sim` runs in this
 * process, `npx gateway-sim` as a process of the build; a line that ends with `&` goes on in the background.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'vitest'
import { parse as yaml } from 'yaml'
import { manifest, root } from '../_built.ts'
import { jsonCall } from '../_setup.ts'
import { execLine } from './_exec.ts'
import { emptyDirectory, type Run, run, serve, start } from './_io.ts'
import { callTool, connected } from './_mcp.ts'

interface Written {
  readonly stdout: string
  readonly stderr?: string
  readonly code?: number | null
}

const nowhere = 'http://127.0.0.1:1'

class Shell {
  readonly cwd = emptyDirectory()
  readonly files: (readonly [name: string, text: string])[] = []
  readonly env: Record<string, string> = { URL: nowhere, ROOT: root }
  /** Commands in the background, and how much of their output the transcript has shown. */
  readonly jobs = new Map<string, Run & { shown: { stdout: number; stderr: number } }>()
  #client: Client | undefined

  constructor(first?: Shell) {
    Object.assign(this.env, first?.env)
    for (const [name, text] of first?.files ?? []) this.write(name, text)
  }

  write(name: string, text: string): void {
    this.files.push([name, text])
    mkdirSync(dirname(join(this.cwd, name)), { recursive: true })
    writeFileSync(join(this.cwd, name), text)
  }

  /** A line without a filter: a request, a tool, something about the background, ours, or any other command. */
  async run(line: string): Promise<Written> {
    const text = line.replace(/\$([A-Z]+)\b/g, (whole, name) => this.env[name] ?? whole)
    const [, name = '', ...rest] = /^(\S+) ?(\S*) ?(.*)$/.exec(text) ?? []
    if (/^[A-Z]+=[^ ]*$|^[A-Z]+='[^']*'$/.test(text)) return this.#set(name.split('=')[0] as string, text)
    if (/^(?:GET|POST|DELETE)$/.test(name)) return this.#send(name, ...(rest as [string, string]))
    if (name === 'tool') return this.#tool(...(rest as [string, string]))
    if (name === 'log') return this.#log(...(rest as [string, string]))
    if (name === 'stop') return this.#stop(rest[0] as string)
    if (/^(?:[A-Z_]+=\S* )*gateway-sim(?: |$)/.test(text)) return this.#gatewaySim(text)
    const bin = `${process.execPath} ${join(root, manifest.bin['gateway-sim'] as string)}`
    const argv = ['-c', text.replace(/^npx gateway-sim/, bin)]
    const { stdout, stderr, status } = spawnSync('bash', argv, { cwd: this.cwd, encoding: 'utf8' })
    return { stdout, stderr, code: status }
  }

  async close(): Promise<void> {
    for (const name of this.jobs.keys()) await this.#stop(name)
  }

  #set(name: string, text: string): Written {
    this.env[name] = text.slice(name.length + 1).replace(/^'|'$/g, '')
    return { stdout: '' }
  }

  #at(url: string): void {
    Object.assign(this.env, { URL: url, PORT: new URL(url).port })
  }

  async #gatewaySim(text: string): Promise<Written> {
    const [, command = '', stdin] = /^(.*?)(?: < (\S+))?(?: &)?$/.exec(text) ?? []
    const words = [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
      word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
    )
    const at = words.indexOf('gateway-sim')
    const { TTY, ...env } = Object.fromEntries(words.slice(0, at).map((word) => word.split(/=(.*)/)))
    const around = { cwd: this.cwd, env, terminal: TTY !== undefined }
    const given = stdin === undefined ? {} : { stdin: readFileSync(join(this.cwd, stdin)) }
    const [name = '', ...flags] = words.slice(at + 1)
    if (!text.endsWith(' &'))
      return (/^(?:exec|trial)$/.test(name) ? execLine : run)(words.slice(at + 1), { ...around, ...given })
    const job = name === 'serve' ? await serve(flags, around) : start([name, ...flags], around)
    if ('url' in job) this.#at(job.url as string)
    this.jobs.set(name, { ...job, shown: { stdout: job.stdout.text.length, stderr: 0 } })
    // What it says on stderr may come later: `log` shows it.
    return { stdout: job.stdout.text }
  }

  /** `METHOD /path header:value {body}`: the status and the body, whose id is `$ID` in later requests. */
  async #send(method: string, path: string, more: string): Promise<Written> {
    const [, given = '', body] = /^(.*?) ?(\{.*\})?(?:&)?$/.exec(more) ?? []
    const headers = [...given.matchAll(/([a-z-]+):(?:'([^']*)'|(\S+))/g)]
    const pairs = headers.map(([, name, quoted, word]) => [name, quoted ?? word])
    const call = jsonCall(body && yaml(body), Object.fromEntries(pairs))
    const sent = fetch(`${this.env['URL']}${path}`, { ...call, method }).catch(() => undefined)
    if (more.endsWith('&')) return { stdout: '' }
    const response = await sent
    if (response === undefined) return { stdout: 'no response' }
    const text = await response.text().catch(() => 'a broken body')
    const [, id] = /^\{"(?:id|name)":"([^"]*)"/.exec(text) ?? []
    if (id !== undefined && !`${path} ${more}`.includes(this.env['ID'] ?? '\n')) this.env['ID'] = id
    return { stdout: `${response.status}\n${text}` }
  }

  /** `tool NAME {arguments}` calls a tool of `gateway-sim mcp`. */
  async #tool(name: string, given: string): Promise<Written> {
    this.#client ??= await connected(this.env['URL'] as string, this.cwd)
    return { stdout: await callTool(this.#client, name, yaml(given || '{}')) }
  }

  /** `log NAME PATTERN` waits for a line of a command in the background, and shows what is new. */
  async #log(name: string, quoted: string): Promise<Written> {
    const pattern = quoted.replace(/^'|'$/g, '')
    const { stdout, stderr, shown } = this.jobs.get(name) ?? expect.fail(`nothing runs ${name}`)
    const wanted = (from: number): RegExp => new RegExp(`^[^]{${from},}?${pattern}.*\\n`)
    await Promise.race([stdout.until(wanted(shown.stdout)), stderr.until(wanted(shown.stderr))])
    const written = { stdout: stdout.text.slice(shown.stdout), stderr: stderr.text.slice(shown.stderr) }
    Object.assign(shown, { stdout: stdout.text.length, stderr: stderr.text.length })
    return written
  }

  async #stop(name: string): Promise<Written> {
    const { stop, code } = this.jobs.get(name) ?? expect.fail(`nothing runs ${name}`)
    this.jobs.delete(name)
    stop()
    return { stdout: '', code: await code }
  }

  /** Without what differs from run to run. */
  shown(text: string): string {
    const { URL: url = '', PORT: port } = this.env
    return text
      .replaceAll(this.cwd, '$PWD')
      .replaceAll(root, '$ROOT')
      .replaceAll(url === nowhere ? '$URL' : url, '$URL')
      .replace(new RegExp(`(?<=Port )${port}\\b|(?<=127\\.0\\.0\\.1:)(?!4010)\\d{4,}`, 'g'), '$PORT')
      .replace(/\bafter \d+(?:\.\d+)?(ms|s)\b/g, 'after N$1')
      .replace(/(?<="(?:durationMs|port)": ?)[\d.]+/g, 'N')
      .replace(/(?<="(?:real\w*|version)": ?)"[^"]*"/g, '"…"')
      .replace(/[\u001b\r]/g, (control) => (control === '\r' ? '\\r' : '\\e'))
  }
}

/** Selects from an output: `grep PATTERN` lines, `show PATH…` values of a JSON document. */
function filtered(text: string, filter: string): string {
  const [, name, words = ''] = /^(\S+) (.*)$/.exec(filter) ?? []
  const lines = text.split('\n')
  if (name === 'grep') return lines.filter((line) => new RegExp(words).test(line)).join('\n')
  const document: unknown = JSON.parse(text.slice(text.search(/[[{]/)))
  const valueAt = (path: string): unknown =>
    path.split('.').reduce<any>((value, key) => value?.[key], document)
  return words
    .split(' ')
    .map((path) => `${path}: ${JSON.stringify(valueAt(path))}`)
    .join('\n')
}

async function outputOf(shell: Shell, text: string): Promise<readonly string[]> {
  const [, line = '', filter, target] =
    /^(.*?)(?: \| ((?:grep|show) .*)|(?<=^gateway-sim .*) > (\S+))?$/.exec(text) ?? []
  const late = sleep(15_000, { stdout: 'the transcript has waited 15 seconds', stderr: '', code: 1 })
  const { stdout, stderr = '', code = 0 } = await Promise.race([late, shell.run(line)])
  if (target !== undefined) writeFileSync(join(shell.cwd, target), stdout)
  const isRequest = /^(?:GET|POST|DELETE) /.test(line)
  const visible =
    target !== undefined ? '' : isRequest && filter === undefined ? (stdout.split('\n')[0] ?? '') : stdout
  const all = `${visible}${stderr.replace(/^(?=.)/gm, 'stderr: ')}`
  const lines = shell
    .shown(filter === undefined ? all : filtered(all, filter))
    .trimEnd()
    .split('\n')
  return [...lines.filter((one) => one !== '' || lines.length > 1), ...(code === 0 ? [] : [`exit ${code}`])]
}

/** A block: a command, its input, the output of an earlier run, and the prose up to the next command. */
async function ran(shell: Shell, block: string): Promise<string> {
  const [, head = '', text = '', given = '', old = '', prose = ''] =
    /^( {2}\$ (.*)\n((?: {2}>.*\n)*))((?:(?: {2}.*)?\n)*)([^]*)$/.exec(block) ?? []
  const [, target] = /^cat > '?([^']+)'?$/.exec(text) ?? []
  if (target !== undefined) shell.write(target, given.replace(/^ {2}> ?/gm, ''))
  const output = target === undefined ? await outputOf(shell, text) : []
  const lines = output.map((line) => (line === '' ? '\n' : `  ${line}\n`))
  return head + lines.join('') + (/(?:^|\n)\n$/.test(old) ? '\n' : '') + prose
}

/** The transcript with the output of now. */
export async function replayed(transcript: string): Promise<string> {
  const first = new Shell()
  let shell = first
  let text = ''
  for (const block of transcript.split(/^(?= {2}\$ |# )/m)) {
    if (block.startsWith('# ')) {
      await shell.close()
      shell = new Shell(first)
    }
    text += block.startsWith('  $ ') ? await ran(shell, block) : block
  }
  await shell.close()
  return text
}
