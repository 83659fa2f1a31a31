/** The clocks of a program in fast time: all are ahead of the real ones by `ahead()` milliseconds. */
import { performance } from 'node:perf_hooks'

export function replaceClocks(ahead: () => number): void {
  const now = performance.now.bind(performance)
  performance.now = () => now() + ahead()

  const RealDate = Date
  const dateNow = (): number => Math.floor(RealDate.now() + ahead())
  const ProgramDate = new Proxy(RealDate, {
    construct: (target, args, made) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + ahead()] : args, made) as object,
    apply: (target) => new target(target.now() + ahead()).toString(),
    get: (target, key, receiver) => (key === 'now' ? dateNow : Reflect.get(target, key, receiver)),
  })
  Object.defineProperty(RealDate.prototype, 'constructor', { value: ProgramDate, writable: true })
  globalThis.Date = ProgramDate

  const bigint = process.hrtime.bigint.bind(process.hrtime)
  const current = (): bigint => bigint() + BigInt(Math.round(ahead() * 1e6))
  const hrtime = ([seconds, rest] = [0, 0]): [number, number] => {
    const passed = current() - BigInt(seconds) * billion - BigInt(rest)
    return [Number(passed / billion), Number(passed % billion)]
  }
  process.hrtime = Object.assign(hrtime, { bigint: current })
}

const billion = 1_000_000_000n
