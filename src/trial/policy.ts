/** Which verdicts are acceptable. */
import type { Nature } from './failure.ts'
import type { TrialVerdict, VerdictName } from './judge.ts'

const fine: Readonly<Record<Nature, readonly VerdictName[]>> = {
  harmless: ['recovered'],
  tolerable: ['recovered', 'gave up', 'fell back'],
  temporary: ['recovered', 'gave up', 'fell back'],
  final: ['recovered', 'gave up', 'fell back'],
  damaged: ['recovered', 'gave up', 'fell back'],
}

/** By default: the client copes or gives up, and shows no half of a text beside another one. */
export function isAcceptable({ verdict, half }: TrialVerdict, nature: Nature): boolean {
  return verdict === 'not met' || (fine[nature].includes(verdict) && !half)
}
