/** What the contract says about decisions beyond their schemas. */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { pointerPart } from '../../engine/pointer.ts'
import {
  at,
  breaking,
  type Counterexample,
  doubtful,
  firstCounterexample,
  type GroupRules,
  type Invariant,
  type JudgedAnswer,
  shown,
} from '../../protocol/invariant.ts'

/** The answers of a decision, each with its question. */
function decided(
  { response: { answers }, request: { questions } }: JudgedAnswer,
  find: (answer: Fields, question: Fields, pointer: string) => Counterexample | false | undefined,
): Counterexample | undefined {
  if (!isFields(questions) || !isFields(answers)) return undefined
  return firstCounterexample(Object.entries(questions), ([id, question]) => {
    const answer = answers[id]
    return isFields(answer) && isFields(question) && find(answer, question, `/answers${pointerPart(id)}`)
  })
}

function labelsOf({ type, criteria }: Fields): readonly string[] {
  if (type === 'score') return listOf(criteria).map((_, at) => `${at}`)
  return isFields(criteria) ? Object.keys(criteria) : []
}

const decisionLaws: readonly Invariant<JudgedAnswer>[] = [
  breaking('missing-value', 'an answer to each question', ({ response, request }) => {
    const { questions } = request
    const { answers } = response
    if (!isFields(questions) || !isFields(answers)) return undefined
    const missing = Object.keys(questions).filter((id) => !isFields(answers[id]))
    return missing.length > 0 && { pointer: '/answers', got: `none to ${missing.join(', ')}` }
  }),
  breaking('missing-value', 'in each answer, a field named after the question type', (answer) =>
    decided(answer, (one, { type }, pointer) => {
      const isMissing = typeof type === 'string' && one[type] === undefined
      return isMissing && { pointer: `${pointer}/${type}`, got: shown(one) }
    }),
  ),
  breaking('wrong-value', 'a choice from the options', (answer) =>
    decided(answer, ({ choice }, question, pointer) => {
      const isChosen = question['type'] === 'choice' && typeof choice === 'string'
      return isChosen && !labelsOf(question).includes(choice) && at(`${pointer}/choice`, choice)
    }),
  ),
  doubtful('wrong-value', 'a score between the first and the last level', (answer) =>
    decided(answer, ({ score }, question, pointer) => {
      if (question['type'] !== 'score' || typeof score !== 'number') return undefined
      return (score < 0 || score > labelsOf(question).length - 1) && at(`${pointer}/score`, score)
    }),
  ),
  doubtful('wrong-value', 'a probability for each option or level, with a sum of 1', (answer) =>
    decided(answer, ({ probabilities }, question, pointer) => {
      if (!isFields(probabilities)) return undefined
      const labels = labelsOf(question)
      const sum = Object.values(probabilities).reduce<number>((all, one) => all + Number(one), 0)
      // Each is rounded to two decimals.
      const fits = Math.abs(sum - 1) <= 0.01 + 0.005 * labels.length
      const strange = Object.keys(probabilities).filter((name) => !labels.includes(name))
      const got = strange.length > 0 ? `a probability for ${strange.join(', ')}` : `a sum of ${sum}`
      return (!fits || strange.length > 0) && { pointer: `${pointer}/probabilities`, got }
    }),
  ),
]

export const systemoneRules: GroupRules = {
  group: 'systemone',
  answers: decisionLaws,
}
