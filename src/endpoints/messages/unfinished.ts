/** The continuation of a prefill: the start of the answer, which the request has written. */

const shortestOverlap = 3
const longestOverlap = 2000

/** The text after a prefill: the answer without the part that the prefill has already. */
export function continued(prefill: string, answer: string): string {
  if (answer.startsWith(prefill)) return answer.slice(prefill.length)
  for (
    let length = Math.min(prefill.length, answer.length, longestOverlap);
    length >= shortestOverlap;
    length--
  )
    if (prefill.endsWith(answer.slice(0, length))) return answer.slice(length)
  return ` ${answer}`
}
