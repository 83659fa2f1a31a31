/** The messages between a program and its trial: JSON values, one in each line. */

export type Message =
  /** It starts another program or a worker. It may wait for that one, which nobody sees: its time is real. */
  | { readonly kind: 'starts another' }
  /** It did not jump, since something happened meanwhile. */
  | { readonly kind: 'not jumped'; readonly ahead: number }
  /** It only waits, and asks to jump. */
  | {
      readonly kind: 'waits'
      /** How far its time is ahead of real time. All times are in milliseconds. */
      readonly ahead: number
      /** Until its next timer; undefined without one. */
      readonly next: number | undefined
      /** Its next timer that keeps it alive. */
      readonly sleep: Sleep | undefined
    }

export interface Sleep {
  /** Until the timer is due. */
  readonly wait: number
  /** How long the program has been quiet in real time, since it set the timer. */
  readonly quiet: number
}

/** The milliseconds to jump; 0: not now. */
export interface Answer {
  readonly jump: number
}

export function messageReader<Value>(read: (value: Value) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) read(JSON.parse(line) as Value)
  }
}
