/** Finds the reserved value of a call, and its plan. */

import { nearestWord } from '../../protocol/nearest-word.ts'
import type { Decision, Plan } from '../../protocol/plan.ts'
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
    for (const { contains, plan } of reservedKeys)
      if (key.includes(contains)) return { ...plan, decidedBy: { kind: 'reserved-key-word', name: contains } }
  return (
    (model === reservedMissingModel || model?.startsWith('sim-') === true
      ? modelPlan(model, facts, ignored)
      : undefined) ??
    (prompt?.includes('[sim:') === true ? promptPlan(prompt, facts, ignored) : undefined) ??
    (path?.includes('sim-') === true ? pathPlan(path, facts) : undefined)
  )
}

function missingModelPlan({ route: { group } }: CallFacts): Plan {
  const {
    type = 'not_found_error',
    message = `The model \`${reservedMissingModel}\` does not exist or you do not have access to it.`,
  } = group.unknownModel?.(reservedMissingModel) ?? {}
  return { reject: { type, message, before: 'act' } }
}

type Ignored = (word: IgnoredWord) => void

function modelPlan(model: string, facts: CallFacts, ignored: Ignored): Plan | undefined {
  const word = model.slice(4)
  const plan = model === reservedMissingModel ? missingModelPlan(facts) : wordPlan(word, facts)
  if (plan !== undefined)
    return { ...plan, decidedBy: { kind: 'reserved-model', name: model }, reservedModel: model }
  ignored({ written: model, word, in: 'model', operation: facts.route.endpoint.operation })
  return undefined
}

function promptPlan(prompt: string, facts: CallFacts, ignored: Ignored): Plan | undefined {
  const { operation } = facts.route.endpoint
  for (const [, word = ''] of prompt.matchAll(/\[sim:([^\]\s]{1,40})\]/g)) {
    const plan = wordPlan(word, facts)
    if (plan !== undefined) return { ...plan, decidedBy: { kind: 'reserved-prompt', name: `[sim:${word}]` } }
    ignored({ written: `[sim:${word}]`, word, in: 'prompt', operation })
  }
  return undefined
}

function pathPlan(path: string, facts: CallFacts): Plan | undefined {
  for (const [, word = ''] of path.matchAll(/(?<![A-Za-z0-9-])sim-([a-z0-9-]{1,40})(?![A-Za-z0-9-])/g)) {
    const plan = wordPlan(word, facts)
    if (plan !== undefined) return { ...plan, decidedBy: { kind: 'reserved-path', name: `sim-${word}` } }
  }
  return undefined
}

function wordPlan(written: string, facts: CallFacts): Plan | undefined {
  for (const reserved of reservedWords) {
    const n = numberIn(reserved, written)
    if (n !== undefined && reserved.on(facts.route)) return reserved.plan(n, facts)
  }
  return undefined
}

/** Whether the value is reserved for any operation. */
export function isReserved(written: string): boolean {
  return reservedWords.some((reserved) => numberIn(reserved, written) !== undefined)
}

/** The effect of the reserved value that decided a response; undefined if none did. */
export function effectOf({ kind, name }: Decision): string | undefined {
  if (!kind.startsWith('reserved-') || name === undefined) return undefined
  if (name === reservedMissingModel) return reservedMissingModelResult
  if (kind === 'reserved-key-word') return reservedKeys.find(({ contains }) => contains === name)?.reaches
  const written = name.replace(/^sim-|^\[sim:|\]$/g, '')
  for (const reserved of reservedWords) {
    const n = numberIn(reserved, written)
    if (n !== undefined) return reserved.reaches.replace(/\bN\b/, String(n))
  }
  return undefined
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

/**
 * Warns once about each value; beyond the maximum it calls `onDrop`. A model that resembles no value is
 * ignored.
 */
export function warnOfIgnoredWords(warn: (message: string) => void): (word: IgnoredWord) => void {
  const warned = new Set<string>()
  return ({ written, word, in: place, operation }) => {
    const about = `${operation} ${written}`
    if (warned.has(about)) return
    if (warned.size >= maxWarnings) return
    warned.add(about)
    if (isReserved(word))
      return warn(
        `${written} has no effect on ${operation}: ` +
          '`gateway-sim reserved` lists the operations that each value affects',
      )
    const bound = reservedWords.find(
      ({ word: known, max }) =>
        max !== undefined &&
        word.startsWith(known.slice(0, -1)) &&
        /^\d+$/.test(word.slice(known.length - 1)),
    )
    if (bound !== undefined)
      return warn(`${written} has no effect: expected a number from 0 to ${bound.max} for N in ${bound.word}`)
    const meant = nearestWord(
      word,
      reservedWords.map((reserved) => reserved.word),
    )
    if (meant !== undefined)
      warn(`${written} is not a reserved value and has no effect: did you mean ${meant}?`)
    else if (place === 'prompt')
      warn(`${written} is not a reserved value and has no effect: run \`gateway-sim reserved\` for a list`)
  }
}
