/** Finds as files: the smallest steps that show one. */
import { readFileSync } from 'node:fs'
import type { Mode } from './batch.ts'
import type { Find } from './check.ts'
import type { Step } from './steps.ts'
import { Supervised } from './supervised.ts'

export interface Kept {
  readonly name: string
  readonly mode: Mode
  readonly what: Find['what']
  readonly detail: string
  /** Whether two fresh simulators are compared. */
  readonly twice: boolean
  /** False where a fresh simulator did not show it: the steps are what came before, not a reproduction. */
  readonly reproduced: boolean
  readonly seed: string
  readonly steps: readonly Step[]
}

export const readKept = (path: string): Kept => JSON.parse(readFileSync(path, 'utf8')) as Kept

/** Does it once more; 1 when it is still there. */
export async function replayed(root: string, { mode, twice, steps, seed }: Kept): Promise<number> {
  const worker = new Supervised({ root, mode, seed })
  const heard = await worker.ask({ kind: 'steps', steps, twice })
  worker.end()
  const finds =
    heard.kind === 'result'
      ? heard.result.finds.map(({ find }) => `${find.what}: ${find.detail}`)
      : [`${heard.kind}: ${heard.detail}`]
  process.stdout.write(finds.length === 0 ? 'nothing is wrong any more\n' : `${finds.join('\n')}\n`)
  return finds.length === 0 ? 0 : 1
}
