/** Finds whether a prompt affirms or negates a flag. */
import type { PromptFacts } from '../../prompt/facts.ts'
import type { Naming } from '../property-naming.ts'

const AGAINST: ReadonlySet<string> = new Set(
  `
  no not dont doesnt without never isnt arent wont cant exclude excluding skip disable disabled omit avoid
  except neither nor non
  `
    .trim()
    .split(/\s+/),
)
const FLAG: ReadonlySet<string> = new Set(
  `
  is has have should do does include included with enable enabled allow allowed want need can use flag
  require required a an the to of and or all any only
  `
    .trim()
    .split(/\s+/),
)

/**
 * Whether the prompt affirms (true) or negates (false) the name of a flag; undefined when it does not
 * mention it.
 */
export function flagFromPrompt({ words }: Naming, facts: PromptFacts): boolean | undefined {
  const telling = words.filter((word) => !FLAG.has(word))
  const label = facts.labels.find(
    (one) =>
      one.words.length > 0 &&
      one.words.join(' ').endsWith(words.join(' ')) &&
      /^(?:true|false|yes|no|on|off)\b/iu.test(one.value),
  )
  if (label !== undefined) return /^(?:true|yes|on)\b/iu.test(label.value)
  if (words.some((word) => isSaidOtherwise(word, facts.words))) return false
  if (telling.length === 0 || !facts.words.some((word) => telling.some((one) => isAkin(one, word))))
    return undefined
  return !isDenied(telling, facts)
}

/** Whether two words have one stem: "recursive", "recursively". */
function isAkin(one: string, other: string): boolean {
  const shared = Math.max(4, Math.min(one.length, other.length) - 2)
  return (
    one === other || (one.length > 4 && other.length > 4 && one.slice(0, shared) === other.slice(0, shared))
  )
}

/** Words that deny a flag by themselves, beside `unlock` and `deactivate`. */
const OPPOSITES: Readonly<Record<string, string>> = {
  on: 'off',
  enabled: 'off disable disabled',
  active: 'inactive',
  open: 'close closed shut',
  visible: 'hide hidden invisible',
  public: 'private',
  private: 'public',
  outdoor: 'indoor indoors inside',
  outside: 'indoor indoors inside',
  indoor: 'outdoor outdoors outside terrace patio',
  inside: 'outdoor outdoors outside terrace patio',
  return: 'oneway',
  sorted: 'unsorted',
  loud: 'quiet silent',
  silent: 'loud',
  urgent: 'whenever',
}

/** Whether the prompt has the opposite of a flag: "turn off" for `on`, "unlock" for `locked`. */
function isSaidOtherwise(word: string, said: readonly string[]): boolean {
  if (said.includes(word) && word !== 'on') return false
  const opposites = Object.hasOwn(OPPOSITES, word) ? (OPPOSITES[word] as string).split(' ') : []
  const stem = word.replace(/(?:ed|e)$/u, '')
  if (word === 'trip' || word === 'return')
    return said.some((one, at) => one === 'way' && said[at - 1] === 'one') && !said.includes('round')
  return said.some(
    (one) =>
      opposites.includes(one) ||
      (stem.length > 3 && (one.startsWith(`un${stem}`) || one.startsWith(`de${stem}`))),
  )
}

/** Whether one of `words` stands within a few words behind a negation. */
function isDenied(words: readonly string[], facts: PromptFacts): boolean {
  for (const [at, word] of facts.words.entries()) {
    if (!words.some((one) => isAkin(one, word))) continue
    for (let before = at - 1; before >= 0 && before >= at - 4 && facts.words[before] !== 'but'; before--)
      if (AGAINST.has(facts.words[before] as string)) return true
  }
  return false
}
