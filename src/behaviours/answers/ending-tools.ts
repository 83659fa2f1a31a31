/** Tools that end a task: they take the final answer, or say that all is done. */
import { verbGroups } from '../prompt/words.ts'
import type { Tool } from './conversation.ts'

// Most descriptions have none of these words.
const anyEnd = /final|structured|done|finish|complete|ready|end|terminate|always|respon|repl|answer/i
const ends = new RegExp(
  [
    String.raw`\b(?:final|structured) (?:\w+ )?(?:answer|response|result|output|reply|report|` +
      String.raw`summary)\b|\bfinal tool\b`,
    String.raw`\b(?:when|once|after|that) (?:(?:you|your|the|all|everything|this|it) ?)(?:\S+ ){0,` +
      String.raw`4}?(?:done|finished|completed?|ready)\b`,
    String.raw`\b(?:ends?|finish(?:es)?|completes?|terminates?) (?:this|the) (?:conversation|task|run|` +
      String.raw`loop|work)\b`,
    String.raw`\balways (?:respond|reply|answer|use this|call this)\b`,
    String.raw`\b(?:respond|reply|answer)s?(?: to)?(?: the)?(?: user| question)? (?:with|using|by|in) ` +
      String.raw`(?:\S+ ){0,3}?(?:tool|json|format|schema|function|object)`,
  ].join('|'),
  'i',
)

/** Whether a description says that the tool gives the final answer. */
export const saysItEnds = ({ description }: Tool): boolean =>
  anyEnd.test(description) && ends.test(description)

const endingName = new RegExp(
  '^(?:done|finish(?:ed)?|final.*|.*final[_-]?(?:answer|result|response|output|report)|json|' +
    String.raw`answer|respond|response|structured.*|extract(?:-\d+)?|(?:task_?)?complet(?:e|ed|ion)|` +
    'attempt_?completion|(?:complete|finish|end)_?(?:task|work|run|conversation)|' +
    '(?:submit|return|provide|give)_?(?:the_?)?(?:answer|results?|response|output))$',
  'i',
)
const endingVerb =
  /^(?:submit|extract|respond|return|report|complete|finish|answer|output|record|emit|format)(?!\p{Ll})/iu

/**
 * How likely a tool is the one that ends a task, by its description or name; 0 for one that does something
 * else. A name without a verb is that of a shape ("ContactInfo").
 */
export function endsAs(tool: Tool): 0 | 1 | 2 | 3 | 4 {
  const { name } = tool
  if (saysItEnds(tool)) return 4
  if (endingName.test(name)) return 3
  if (endingVerb.test(name)) return 2
  const [first = ''] = name.split(/[_-]|(?<=\p{Ll})(?=\p{Lu})/u)
  return /^\p{Lu}\p{Ll}/u.test(name) && verbGroups(first).length === 0 ? 1 : 0
}
