/** What a decision holds about its questions (contract 2.9; wire-formats 9). */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import type { JudgedAnswer } from './answer.ts'
import { type Breach, firstBreach, type Law, shown } from './law.ts'

type AnswerLaw = Law<JudgedAnswer>

/** The answers of a decision, each with its question. */
function decided(
  { reply, request }: JudgedAnswer,
  find: (answer: Fields, question: Fields, pointer: string) => Breach | undefined,
): Breach | undefined {
  const { questions } = request
  const { answers } = reply
  if (!isFields(questions) || !isFields(answers)) return undefined
  return firstBreach(Object.entries(questions), ([id, question]) => {
    const answer = answers[id]
    const pointer = `/answers/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return isFields(answer) && isFields(question) ? find(answer, question, pointer) : undefined
  })
}

const labelsOf = ({ type, criteria }: Fields): readonly string[] =>
  type === 'score'
    ? listOf(criteria).map((_, at) => `${at}`)
    : isFields(criteria)
      ? Object.keys(criteria)
      : []

const allAnswered: AnswerLaw = {
  section: 'contract 2.9',
  states: 'an answer to each question',
  kind: 'missing',
  severity: 'breaking',
  breach({ reply, request }) {
    const { questions } = request
    const { answers } = reply
    if (!isFields(questions) || !isFields(answers)) return undefined
    const missing = Object.keys(questions).filter((id) => !isFields(answers[id]))
    return missing.length === 0 ? undefined : { pointer: '/answers', got: `none to ${missing.join(', ')}` }
  },
}

const answersTheirType: AnswerLaw = {
  section: 'contract 2.9',
  states: 'the field that the type of the question names in each answer',
  kind: 'missing',
  severity: 'breaking',
  breach: (answer) =>
    decided(answer, (one, { type }, pointer) =>
      typeof type !== 'string' || one[type] !== undefined
        ? undefined
        : { pointer: `${pointer}/${type}`, got: shown(one) },
    ),
}

const choosesAnOption: AnswerLaw = {
  section: 'contract 2.9',
  states: 'a choice that is one of the options',
  kind: 'value',
  severity: 'breaking',
  breach: (answer) =>
    decided(answer, (one, question, pointer) =>
      question['type'] !== 'choice' ||
      typeof one['choice'] !== 'string' ||
      labelsOf(question).includes(one['choice'])
        ? undefined
        : { pointer: `${pointer}/choice`, got: shown(one['choice']) },
    ),
}

const scoresInRange: AnswerLaw = {
  section: 'contract 2.9',
  states: 'a score between the first and the last level',
  kind: 'value',
  severity: 'doubtful',
  breach: (answer) =>
    decided(answer, (one, question, pointer) => {
      const { score } = one
      if (question['type'] !== 'score' || typeof score !== 'number') return undefined
      return score >= 0 && score <= labelsOf(question).length - 1
        ? undefined
        : { pointer: `${pointer}/score`, got: shown(score) }
    }),
}

const sumsToOne: AnswerLaw = {
  section: 'wire-formats 9',
  states: 'a probability for each option or level, which sum to 1',
  kind: 'value',
  severity: 'doubtful',
  breach: (answer) =>
    decided(answer, ({ probabilities }, question, pointer) => {
      if (!isFields(probabilities)) return undefined
      const labels = labelsOf(question)
      const sum = Object.values(probabilities).reduce<number>((all, one) => all + Number(one), 0)
      // Each is rounded to two decimals.
      const fits = Math.abs(sum - 1) <= 0.01 + 0.005 * labels.length
      const strange = Object.keys(probabilities).filter((name) => !labels.includes(name))
      if (fits && strange.length === 0) return undefined
      const got = strange.length > 0 ? `one for ${strange.join(', ')}` : `a sum of ${sum}`
      return { pointer: `${pointer}/probabilities`, got }
    }),
}

/** The laws over decisions. */
export const decisionLaws: readonly AnswerLaw[] = [
  allAnswered,
  answersTheirType,
  choosesAnOption,
  scoresInRange,
  sumsToOne,
]
