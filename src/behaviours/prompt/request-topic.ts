/** What a prompt is about, without "please write" and the like. */

/** The opening words of a request. */
const OPENING = new RegExp(
  [
    '^(?:please|kindly|pls|plz|come up with|can you|could you|would you|will you|',
    'i want you to|i would like(?: you)? to|',
    'id like(?: you)? to|i need(?: you)? to|i need|i want to|i want|help me(?: to)?|',
    'tell me(?: about)?|give me|show me|remind me(?: to)?|write(?: me)?|create|generate|',
    'make(?: me)?|find(?: me)?|google|search(?: the web)?(?: for)?|look(?: up)?(?: for)?|get(?: me)?|',
    'list|describe|explain|summari[sz]e|extract|analy[sz]e|classify|translate|compare|plan|book|',
    "schedule|send|set(?: up)?|add|draft|compose|recommend|suggest|whats?|what(?:'s| is| are|",
    " was)|who(?:'s| is| was)|where(?: is|'s)|how (?:is|are)|how (?:can|do|should|would) (?:i|we|",
    String.raw`you) \p{L}+)(?=[\s,:]|$)[ ,:]*`,
  ].join(''),
  'iu',
)

/** The first sentence of the last line without its opening, and the opening's last words (or `''`). */
function withoutOpening(prompt: string): { rest: string; opening: string } {
  const line =
    prompt
      .split('\n')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .at(-1) ?? ''
  let rest = line.split(/[.!?](?:\s|$)/u)[0]?.trim() ?? ''
  let opening = ''
  for (let i = 0; i < 4; i++) {
    const match = OPENING.exec(rest)?.[0] ?? ''
    if (match === '' || match.length === rest.length) break
    opening = match
    rest = rest.slice(match.length)
  }
  return { rest, opening }
}

const clauseStart = new RegExp(
  [
    '^(?:i|we|he|she|they|it|you|me|to|this|that|these|those|there|if|call|text|ask|go|do|be|buy|',
    String.raw`pay|pick|take)\b`,
  ].join(''),
  'iu',
)

export function subjectOf(prompt: string): string {
  const { rest, opening } = withoutOpening(prompt)
  // Behind "I need to" comes a verb, behind "Summarize:" a text.
  if (opening === '' || /(?:\b(?:to|you|please)|:)\s*$/iu.test(opening)) return ''
  const short =
    (/ about (.+)$/iu.exec(rest)?.[1] ?? rest)
      .split(/[,:;"“(]| (?:with|using|that|which|titled|named|called|without|so that|tomorrow|today) /iu)[0]
      ?.trim() ?? ''
  return short === '' || short.length > 48 || clauseStart.test(short) ? '' : short
}
