/**
 * Node.js loads this into each program of a run whose time jumps (`--require`). When the program only waits
 * and the trial agrees, its time jumps to its next timer.
 */
import { ChildProcess } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import timers from 'node:timers'
import threads from 'node:worker_threads'
import { replaceClocks } from './clocks.ts'
import { type Answer, type Message, messageReader } from './messages.ts'
import { watchQuiet } from './quiet.ts'
import { ProgramTimers } from './timers.ts'

/** A timer that the program sets while it sleeps is seen after so many milliseconds. */
const longestSleep = 20
/** How long to wait before the program asks again, in milliseconds. */
const soon = 1
const afterNo = 5

function start(port: number): void {
  const node = { ...timers }
  const realNow = performance.now.bind(performance)
  let ahead = 0
  let isConnected = false
  let isAsking = false
  let isDue = false

  const later = (ms = soon): void => {
    if (isDue) return
    isDue = true
    // Without the trial, timers fire in real time.
    const wait = isConnected ? ms : (program.nextWait() ?? soon)
    node.setTimeout(look, Math.min(wait, longestSleep)).unref()
  }
  const program = new ProgramTimers(node, { now: () => realNow() + ahead, realNow }, () => later())
  replaceClocks(() => ahead)
  const quiet = watchQuiet(node, program)
  const send = (message: Message): void => void trial.write(`${JSON.stringify(message)}\n`)
  beforeOthersStart(() => {
    if (isConnected) send({ kind: 'starts another' })
    trial.end()
  })
  syncBuiltinESMExports()

  const look = (): void => {
    isDue = false
    program.fire()
    if (!isConnected && program.nextWait() !== undefined) later()
    if (isAsking || !isConnected) return
    isAsking = true
    quiet.threads((isQuiet) => {
      isAsking = isQuiet
      if (isQuiet) send({ kind: 'waits', ahead, next: program.nextWait(), sleep: program.nextSleep() })
      else later()
    })
  }
  // What arrived before the answer is read first: it may withdraw the jump.
  const answered = ({ jump }: Answer): void =>
    quiet.turns((isQuiet) => {
      isAsking = false
      if (isQuiet && jump > 0) {
        ahead += jump
        return look()
      }
      if (jump > 0) send({ kind: 'not jumped', ahead })
      later(afterNo)
    })
  const connected = (is: boolean) => (): void => {
    isConnected = is
    isAsking = false
    later()
  }
  const trial: Socket = connect({ port, host: '127.0.0.1' })
  trial.unref()
  program.ignore(trial)
  trial.setEncoding('utf8').on('data', messageReader(answered))
  // An error ends the connection: the trial is over, or was stopped.
  trial.on('error', () => {})
  trial.on('connect', connected(true))
  trial.on('close', connected(false))
}

function beforeOthersStart(leave: () => void): void {
  const prototype = ChildProcess.prototype as unknown as { spawn(options: unknown): number }
  const { spawn } = prototype
  prototype.spawn = function (this: unknown, options) {
    leave()
    return spawn.call(this, options)
  }
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      leave()
      super(...args)
    }
  }
}

const port = Number(process.env['GATEWAY_SIM_CLIENT_TIME'])
/** Node.js loads this also into its thread for module hooks, which has no port to its parent. */
const isProgram = threads.isMainThread || threads.parentPort !== null
/** Node.js before version 18, and others that load it, do not show for what they wait. */
const isSupported = typeof process.getActiveResourcesInfo === 'function'
if (port > 0 && isProgram && isSupported) start(port)
