/** A worker, and what becomes of it: an answer, a death, or an end by our hand because it hangs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loopCpuOf } from './benches.ts'
import type { Job, JobResult } from './jobs.ts'
import { allowedCpu } from './run-steps.ts'

export type Heard =
  | { readonly kind: 'result'; readonly result: JobResult }
  /** It died at a step of a batch. */
  | { readonly kind: 'crash' | 'hang'; readonly detail: string; readonly index: number; readonly at: number }

export class Supervised {
  readonly #options: string
  #child: ChildProcess | undefined
  #folder = mkdtempSync(join(tmpdir(), 'gateway-sim-fuzz-'))
  #said = ''

  constructor(options: Readonly<Record<string, unknown>>) {
    this.#options = JSON.stringify(options)
  }

  async ask(job: Job, wallSeconds = 120): Promise<Heard> {
    const child = await this.#started()
    return new Promise((resolve, reject) => {
      let step = ''
      let since = { cpu: loopCpuOf(child.pid ?? 0) ?? 0, at: Date.now() }
      const done = (heard: Heard): void => {
        clearInterval(timer)
        child.off('message', answered)
        child.off('exit', ended)
        if (heard.kind !== 'result') this.close()
        resolve(heard)
      }
      const broken = (kind: 'crash' | 'hang', detail: string): void => {
        const [index = -1, at = 0] = this.#step().trim().split(' ').map(Number)
        done({ kind, detail, index, at })
      }
      const answered = (result: JobResult): void => done({ kind: 'result', result })
      const ended = (code: number | null, signal: string | null): void =>
        code === 9
          ? reject(new Error(`the fuzzer itself failed: ${this.#said}`))
          : broken('crash', `the process ended (${code ?? signal}): ${this.#said.slice(-1500)}`)
      const timer = setInterval(() => {
        const cpu = loopCpuOf(child.pid ?? 0) ?? 0
        const now = this.#step()
        if (now !== step) {
          step = now
          since = { cpu, at: Date.now() }
        } else if (now !== '' && cpu - since.cpu > 10 * allowedCpu)
          broken('hang', `no end after ${10 * allowedCpu} s of CPU`)
        else if (Date.now() - since.at > wallSeconds * 1000) broken('hang', `no end after ${wallSeconds} s`)
      }, 250)
      child.once('message', answered)
      child.once('exit', ended)
      child.send(job)
    })
  }

  close(): void {
    this.#child?.removeAllListeners()
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }

  end(): void {
    const child = this.#child
    this.#child = undefined
    child?.removeAllListeners()
    // It ends the server that it has started, and with it its folder.
    child?.disconnect()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #step(): string {
    return readFileSync(join(this.#folder, 'step'), 'latin1')
  }

  async #started(): Promise<ChildProcess> {
    if (this.#child !== undefined) return this.#child
    const box = openSync(join(this.#folder, 'step'), 'w+')
    const child = spawn(
      process.execPath,
      ['--expose-gc', join(import.meta.dirname, 'worker.js'), this.#options],
      {
        stdio: ['ignore', 'ignore', 'pipe', box, 'ipc'],
      },
    )
    closeSync(box)
    this.#said = ''
    child.stderr?.on('data', (chunk: Buffer) => (this.#said = (this.#said + String(chunk)).slice(-8000)))
    this.#child = child
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve())
      child.once('exit', () => reject(new Error(`the worker did not start: ${this.#said}`)))
    })
    child.removeAllListeners('exit')
    return child
  }
}
