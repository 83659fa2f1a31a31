/** Counts the tokens of a request, and checks their limits (contract section 8). */
import type { Tokens } from '../../behaviours/tokens/tokens.ts'
import { canonicalJson } from '../../protocol/canonical.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { clip } from '../../protocol/wording.ts'
import type { EvaluationRequest } from './schema.ts'

/**
 * How many characters are counted at once, and up to what multiple of the limit: a body of many megabytes is
 * refused without counting all of it.
 */
const sliceLength = 1_000_000
const maxOverrun = 4

/**
 * The input tokens of the state and of each question. A text counts as it is, anything else as canonical
 * JSON, so that the order of keys makes no difference. Throws 400 beyond `systemone.maxTokens` (all
 * together) or `systemone.maxQuestionTokens` (the state plus the longest question).
 */
export function countTokens(
  { state, questions }: EvaluationRequest,
  tokens: Tokens,
  { systemone }: Settings,
): number {
  let all = 0
  let more = ''
  const count = (text: string): number => {
    const before = all
    for (let at = 0; at < text.length; at += sliceLength) {
      if (all > maxOverrun * systemone.maxTokens) {
        more = 'more than '
        break
      }
      all += tokens.count(text.slice(at, at + sliceLength))
    }
    return all - before
  }

  const ofState = count(typeof state === 'string' ? state : canonicalJson(state))
  let longest = { id: '', tokens: 0 }
  for (const [id, { type, instructions, criteria }] of Object.entries(questions)) {
    const own = count(canonicalJson({ type, instructions: instructions ?? null, criteria: criteria ?? null }))
    if (own > longest.tokens) longest = { id, tokens: own }
  }
  const findings: Finding[] = []
  if (all > systemone.maxTokens) {
    findings.push({
      field: 'questions',
      message:
        `and \`state\` hold ${more}${all} tokens together (${ofState} of them in the state), expected at ` +
        `most ${systemone.maxTokens} (setting systemone.maxTokens): shorten the state or ask in several ` +
        'calls',
    })
  }
  const together = ofState + longest.tokens
  if (together > systemone.maxQuestionTokens) {
    findings.push({
      field: 'state',
      message:
        `and the longest question (${JSON.stringify(clip(longest.id, 60))}, ${longest.tokens} tokens) ` +
        `hold ${more}${together} tokens together, expected at most ${systemone.maxQuestionTokens} ` +
        '(setting systemone.maxQuestionTokens): shorten one of them',
    })
  }
  if (findings.length > 0) throw invalid(findings, undefined)
  return all
}
