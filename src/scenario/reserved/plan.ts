/** Finds the reserved value of a call, and its plan. */

import { docsPage } from '../../protocol/docs-page.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Plan, ReservedValue } from '../../protocol/plan.ts'
import { rejecting } from '../rejection.ts'
import {
  type CallFacts,
  type ReservedWord,
  reservedKeys,
  reservedMissingModel,
  reservedMissingModelResult,
  reservedWords,
} from './words.ts'

/** A value that looks reserved but has no effect here; `written` is its form in the call. */
export interface IgnoredWord {
  readonly written: string
  readonly word: string
  readonly in: 'model' | 'prompt'
  readonly operation: string
}

/**
 * The plan of the reserved value of a call, if any. Keys come first, then the model, the prompt and the path.
 * `ignored` gets the values without effect, except those in paths: the request for an upload URL and the
 * upload itself have the same path.
 */
export function reservedPlan(facts: CallFacts, ignored: (word: IgnoredWord) => void): Plan | undefined {
  const { key, model, prompt, path } = facts
  if (key !== undefined)
    for (const { contains, plan, reaches } of reservedKeys)
      if (key.includes(contains)) return decided(plan, { in: 'key', written: contains, effect: reaches })
  if (model === reservedMissingModel) {
    const value = { in: 'model', written: reservedMissingModel, effect: reservedMissingModelResult } as const
    return decided(missingModelPlan(facts), value)
  }
  const { operation } = facts.route.endpoint
  const words: WrittenWord[] = []
  if (model?.startsWith('sim-') === true) words.push({ in: 'model', written: model, word: model.slice(4) })
  if (prompt?.includes('[sim:') === true)
    for (const [written, word = ''] of prompt.matchAll(promptWord))
      words.push({ in: 'prompt', written, word })
  if (path?.includes('sim-') === true)
    for (const [written, word = ''] of path.matchAll(pathWord)) words.push({ in: 'path', written, word })
  for (const found of words) {
    const plan = wordPlan(found.word, found, facts)
    if (plan !== undefined) return plan
    if (found.in !== 'path') ignored({ ...found, in: found.in, operation })
  }
  return undefined
}

function missingModelPlan({ route: { group } }: CallFacts): Plan {
  const {
    type = 'not_found_error',
    message = `The model \`${reservedMissingModel}\` does not exist or you do not have access to it.`,
  } = group.unknownModel?.(reservedMissingModel) ?? {}
  return rejecting(type, { message })
}

interface WrittenWord {
  readonly in: 'model' | 'prompt' | 'path'
  readonly written: string
  readonly word: string
}

const promptWord = /\[sim:([^\]\s]{1,40})\]/g
const pathWord = /(?<![A-Za-z0-9-])sim-([a-z0-9-]{1,40})(?![A-Za-z0-9-])/g

function wordPlan(
  word: string,
  { in: place, written }: Pick<ReservedValue, 'in' | 'written'>,
  facts: CallFacts,
): Plan | undefined {
  for (const reserved of reservedWords) {
    const n = numberIn(reserved, word)
    if (n === undefined || !reserved.on(facts.route)) continue
    const effect = reserved.reaches.replace(/\bN\b/, String(n))
    return decided(reserved.plan(n, facts), { in: place, written, effect })
  }
  return undefined
}

function decided(plan: Plan, reserved: ReservedValue): Plan {
  const kind = reserved.in === 'key' ? 'reserved-key-word' : (`reserved-${reserved.in}` as const)
  return { ...plan, reserved, decidedBy: { kind, name: reserved.written } }
}

/** Whether the value is reserved for any operation. */
function isReserved(word: string): boolean {
  return reservedWords.some((reserved) => numberIn(reserved, word) !== undefined)
}

function numberIn({ word, max = Infinity }: ReservedWord, written: string): number | undefined {
  if (!word.endsWith('-N')) return word === written ? 0 : undefined
  const stem = word.slice(0, -1)
  const digits = written.slice(stem.length)
  return written.startsWith(stem) && /^\d{1,6}$/.test(digits) && Number(digits) <= max
    ? Number(digits)
    : undefined
}

/** The maximum number of values with a warning: prompts can contain any number of them. */
const maxWarnings = 100

/** Warns once about each value that has no effect, up to the maximum. */
export function warnOfIgnoredWords(warn: (message: string) => void): (word: IgnoredWord) => void {
  const warned = new Set<string>()
  return (ignored) => {
    const about = `${ignored.operation} ${ignored.written}`
    if (warned.has(about) || warned.size >= maxWarnings) return
    warned.add(about)
    const reason = reasonOf(ignored)
    if (reason !== undefined) warn(`${ignored.written} ${reason}`)
  }
}

/** Why a value has no effect. A model that resembles no value is a model. */
function reasonOf({ word, in: place, operation }: IgnoredWord): string | undefined {
  const list = `${docsPage('failures-without-setup')} lists the values and their operations`
  if (isReserved(word)) return `has no effect on ${operation}: ${list}`
  const meant = nearestWord(
    word,
    reservedWords.map((reserved) => reserved.word),
  )
  if (meant === undefined && place === 'model') return undefined
  return `is not a reserved value and has no effect: ${meant === undefined ? list : `did you mean ${meant}?`}`
}
