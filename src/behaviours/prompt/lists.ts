/** Lists of things of one kind in a prompt: "Paris, London and Rome", "AAPL or MSFT", "5 and 7". */

const capitalised =
  String.raw`\p{Lu}[\p{L}\p{M}.'’-]{1,30}` +
  String.raw`(?: (?:(?:de|la|of|del|di|the) )?\p{Lu}[\p{L}\p{M}'’-]{1,30}){0,3}` +
  // A state or country behind a comma belongs to its place.
  String.raw`(?:, [A-Z]{2}(?!\p{L}))?`
/** What may be listed, each kind with its own. Words in small letters count only behind a preposition. */
const kinds = {
  text: [
    String.raw`"[^"\n]{1,100}"|“[^”\n]{1,100}”|'[^'\n]{1,100}'(?!\p{L})`,
    String.raw`[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}`,
    String.raw`https?:\/\/[^\s"'<>(),]{1,300}[^\s"'<>(),.!?]`,
    String.raw`(?:[~.]{0,2}\/)?[\w-]+(?:\/[\w-]+)*(?:\/[\w-]*\.[\w.]*\w|\.[a-z]\w{0,4})(?!\w)`,
    String.raw`#?(?:[A-Za-z]{1,8}-)?\d[\w-]{0,20}|[A-Z]{1,5}\d[\w-]{0,20}`,
    String.raw`[A-Z]{2,6}(?![\p{L}\d])`,
    String.raw`\p{Lu}\w{1,20}\/\p{Lu}\w{1,20}`,
    capitalised,
  ],
  number: [String.raw`-?\d{1,12}(?:\.\d{1,9})?(?![\w%])`],
} as const
const joint =
  String.raw`(?:,? (?:and|or|vs\.?|versus|&|plus|as well as|than)(?: also| then)?` +
  '(?: (?:in|for|of|at|from|on|to|about))? ' +
  '|, (?:in |for |of )?)'
const lowerCase = new RegExp(
  String.raw`(?<=\b(?:in|for|of|at) (?:the )?)\p{Ll}[\p{Ll}-]{2,20}` +
    String.raw`(?:, (?:the )?\p{Ll}[\p{Ll}-]{2,20}){0,8}` +
    String.raw`(?:,? (?:and|or|vs\.?|versus)(?: in| for)?(?: the)? \p{Ll}[\p{Ll}-]{2,20})` +
    String.raw`(?=[?.!,]|$| (?:today|tomorrow|tonight|now|right|this|next)\b)`,
  'u',
)

const patternsOf = (kind: keyof typeof kinds): readonly RegExp[] =>
  kinds[kind].map(
    (item) =>
      new RegExp(
        String.raw`(?<![\p{L}\p{N}_/.-])(?:${item})(?:${joint}(?:${item})){1,8}(?![\p{L}\p{N}_])`,
        'u',
      ),
  )
const patterns = { text: patternsOf('text'), number: patternsOf('number') }
const anyJoint = /,\s| (?:and|or|vs\.?|versus|&|plus|than|as well as) /
const comparison = / (?:with|to|against) (?:(?:that|the one|the \p{L}+) (?:of|in|for) )?(?=[\p{Lu}\d"“])/u
const splitting = new RegExp(joint, 'u')

/** The prompt once for each thing of its list, without the others; empty without a list. */
export function eachListed(prompt: string, kind: keyof typeof kinds): readonly string[] {
  const plain = prompt.slice(0, 4000)
  // "Compare the price of AAPL with that of MSFT"
  const said = /\bcompar/i.test(plain) ? plain.replace(comparison, ' and ') : plain
  if (!anyJoint.test(said)) return []
  let list: string | undefined
  for (const pattern of patterns[kind]) {
    list = pattern.exec(said)?.[0]
    if (list !== undefined) break
  }
  if (kind === 'text') list ??= lowerCase.exec(said)?.[0]
  if (list === undefined) return []
  const whole = list
  // "Paris, France and Rome, Italy" are two.
  const pairs = /^([^,]+, [^,]+?),? and ([^,]+, [^,]+)$/u.exec(whole)
  if (pairs !== null) return pairs.slice(1).map((item) => said.replace(whole, () => item))
  const items = whole.split(splitting)
  // "San Francisco, CA" is one place.
  return items.length < 3 && !/ (?:and|or|vs\.?|versus|&|plus|than|as well as) /.test(whole)
    ? []
    : items.slice(0, 8).map((item) => said.replace(whole, () => item.replace(/^the /, '')))
}
