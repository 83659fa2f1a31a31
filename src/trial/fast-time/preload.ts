/**
 * Loaded by node into each program of a trial in fast time (`--require`). When the program only waits and the
 * simulator agrees, its time jumps to its next timer.
 */
import { ChildProcess } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import timers from 'node:timers'
import type { Answer, Question } from './client-clock.ts'
import { replaceClocks } from './clocks.ts'
import { lineReader } from './lines.ts'
import { type NodeTimers, type ProgramTimers, replaceTimers } from './timers.ts'

/** What keeps an event loop open while a program waits. Others, such as a read of a file, are work. */
const waiting: ReadonlySet<string> = new Set([
  'TCPSocketWrap',
  'TCPServerWrap',
  'PipeWrap',
  'TTYWrap',
  'Timeout',
  'MessagePort',
  'SignalWrap',
  'FSEventWrap',
])

/** Whether the program only waits. Node's own `fetch` compiles its parser in a thread that node does not show. */
function watchWork(): () => boolean {
  let compiling = 0
  const watched = <Args extends unknown[], Result>(compile: (...args: Args) => Promise<Result>) =>
    async function (this: unknown, ...args: Args): Promise<Result> {
      compiling++
      try {
        return await compile.apply(this, args)
      } finally {
        compiling--
      }
    }
  WebAssembly.compile = watched(WebAssembly.compile)
  WebAssembly.instantiate = watched(WebAssembly.instantiate) as typeof WebAssembly.instantiate
  return () => compiling === 0 && process.getActiveResourcesInfo().every((kind) => waiting.has(kind))
}

/** How long threads are watched, in milliseconds, and how much CPU time this program may use meanwhile. */
const threadWindow = 10
const idleMicroseconds = 2000

/** The turns of the event loop without a change after which a program is quiet. */
const quietTurns = 4

type WhenQuiet = (done: (isQuiet: boolean) => void) => void

/** Calls back when the program was quiet for a while, or as soon as something happens. */
function watchQuiet(node: NodeTimers, program: ProgramTimers): { turns: WhenQuiet; threads: WhenQuiet } {
  const onlyWaits = watchWork()
  const turns = (done: (isQuiet: boolean) => void, turn = 0, from = program.changes()): void => {
    if (program.changes() !== from || !onlyWaits()) return done(false)
    if (turn === quietTurns) return done(true)
    node.setImmediate(turns, done, turn + 1, from)
  }
  // The work of sockets after which threads were seen to rest.
  let settledWork = -1
  // Node does not show the threads that compress, encrypt or compile: they use the CPU.
  const threads = (done: (isQuiet: boolean) => void): void => {
    if (program.work() === settledWork) return turns(done)
    const from = program.changes()
    const before = process.cpuUsage()
    const finish = (): void => {
      const { user, system } = process.cpuUsage(before)
      const isQuiet = program.changes() === from && onlyWaits() && user + system < idleMicroseconds
      if (isQuiet) settledWork = program.work()
      done(isQuiet)
    }
    node.setTimeout(finish, threadWindow).unref()
  }
  return { turns: (done) => turns(done), threads }
}

function start(port: number): void {
  const node = { ...timers }
  const realNow = performance.now.bind(performance)
  let ahead = 0
  let isConnected = false
  let isAsking = false
  let isDue = false

  const later = (): void => {
    if (isDue) return
    isDue = true
    // Without the simulator, timers fire in real time.
    const wait = isConnected ? 1 : (program.nextWait('any') ?? 1)
    node.setTimeout(look, Math.min(wait, longestSleep)).unref()
  }
  const program = replaceTimers(node, () => realNow() + ahead, later)
  replaceClocks(() => ahead)
  const quiet = watchQuiet(node, program)
  const send = (question: Question): void => void simulator.write(`${JSON.stringify(question)}\n`)
  beforeChildren(() => {
    if (isConnected) send({ isParent: true })
    simulator.end()
  })
  syncBuiltinESMExports()

  const look = (): void => {
    isDue = false
    program.fire()
    if (!isConnected && program.nextWait('any') !== undefined) later()
    if (isAsking || !isConnected) return
    isAsking = true
    quiet.threads((isQuiet) => {
      isAsking = isQuiet
      if (isQuiet) send({ ahead, next: program.nextWait('any'), nextAlive: program.nextWait('alive') })
      else later()
    })
  }
  // What arrived before the answer is read first: it may withdraw the jump.
  const answered = ({ jump }: Answer): void =>
    quiet.turns((isQuiet) => {
      isAsking = false
      if (!isQuiet || jump === 0) return later()
      ahead += jump
      look()
    })
  const connected = (is: boolean) => (): void => {
    isConnected = is
    isAsking = false
    later()
  }
  const simulator: Socket = connect({ port, host: '127.0.0.1' })
  simulator.unref()
  program.ignore(simulator)
  simulator.setEncoding('utf8').on('data', lineReader(answered))
  // An error ends the connection: the trial is over, or was stopped.
  simulator.on('error', () => {})
  simulator.on('connect', connected(true))
  simulator.on('close', connected(false))
}

/** A timer that is set meanwhile is seen after so many milliseconds. */
const longestSleep = 20

/** A program that has started others waits for them in ways that nobody sees: its time is real from then on. */
function beforeChildren(leave: () => void): void {
  const prototype = ChildProcess.prototype as unknown as { spawn(options: unknown): number }
  const { spawn } = prototype
  prototype.spawn = function (this: unknown, options) {
    leave()
    return spawn.call(this, options)
  }
}

const port = Number(process.env['GATEWAY_SIM_CLIENT_TIME'])
if (port > 0) start(port)
