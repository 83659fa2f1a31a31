/** What the contract says about uploads beyond their schemas. */
import { at, breaking, type GroupRules, type Invariant, type JudgedAnswer } from '../../protocol/invariant.ts'

const answers: readonly Invariant<JudgedAnswer>[] = [
  breaking(
    'wrong-value',
    'a storage path with cos:// for COS, or with the scheme of another provider',
    ({ response: { path }, request }) => {
      if (typeof path !== 'string' || !path.includes('://')) return undefined
      // Other providers may use any scheme except those of downloads (http, https).
      const isCos = request['storage_provider'] === 'COS'
      const isWrong = isCos ? !/^cos:/i.test(path) : /^(?:https?|file|ftp|data|blob):/i.test(path)
      return isWrong && at('/path', path)
    },
  ),
]

export const filesRules: GroupRules = {
  group: 'files',
  answers,
}
