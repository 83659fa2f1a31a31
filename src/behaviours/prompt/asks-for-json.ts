/** Whether a text asks for JSON by that name, read from the sentence around each mention. */

export const answering =
  'return|output|respond|reply|answer|give|provide|produce|generate|print|emit|write|send|' +
  'create|make|show|use|' +
  'speak|deliver|supply|yield|want|need|expect|get'
export const working =
  'extract|convert|turn|transform|translate|put|present|render|express|encode|format|list|describe|' +
  'summari[sz]e|classify|categori[sz]e|identify|find|tell|parse|structure|organi[sz]e|report|display|' +
  'seriali[sz]e|analy[sz]e|evaluate|rate|score|name|suggest|recommend|label|tag|fill|' +
  'invent|imagine|compare|' +
  'state|say|rewrite|represent|calculate|compute|review|grade|assess|plan|draft|compose|' +
  'propose|pick|choose|' +
  'brainstorm|map|rank|sort|group|count|collect|gather|pull|detect|model|build|break|share|design|look|split'
const modifiers =
  String.raw`(?:\s*["'\x60*(<]*(?:an?|the|only|just|valid|strict|strictly|raw|pure|plain|bare|` +
  'well-?formed|single|one|correct|proper|compact|minified|structured|parse?able|your|' +
  'final|flat|nested|simple|' +
  'small|complete|exact|clean|standard|rfc ?8259|following this|' +
  String.raw`application\/)(?=[\s"'\x60]|json|$))*` +
  String.raw`\s*["'\x60*(<]*$`
const relative =
  'that|which|who|how|why|whether|about|code(?! ?-?(?:block|snippet|fence))|functions?|' +
  'script|program|class|method|' +
  'endpoint|route|handler|query|' +
  'parser|server|api|poem|story|essay|article|tutorial|guide|documentation|blog|command|regex|library|' +
  'difference|example of'

const endsIn = (pattern: string): RegExp => new RegExp(pattern + modifiers, 'i')
/** "Return only JSON", "give me the result JSON" */
const direct = endsIn(
  String.raw`\b(?:${answering})s?(?:\s+(?:to\s+)?(?:me|us|back|out|nothing but|everything|it))*`,
)
/** "…, as JSON" */
const inForm = endsIn(String.raw`\b(?:as|in|into|to|using|with|of|via|→|->)(?:\s+the form of)?`)
/** "Nothing but JSON" */
const onlyThis = endsIn(String.raw`\b(?:but|except|besides|other than|outside(?: of)?|beyond|apart from)`)
/** "The output must be JSON" */
const ordered = endsIn(
  String.raw`\b(?:response|answer|output|reply|result|message|it|this|everything|content|text|format)s?\b` +
    String.raw`[^]{0,40}\b(?:must|should|shall|has to|have to|needs? to|will|is to|is|are|be|` +
    String.raw`expected|required)\b[^]{0,60}?`,
)
const denied = endsIn(
  String.raw`\b(?:no|not|never|without|instead of|rather than|avoid|don['’]t|doesn['’]t|` +
    String.raw`isn['’]t)(?:\s+(?:in|as|use|return|write|give|` +
    'output|reply|respond|answer|with|me|be|using|any|to)){0,3}',
)
/** "Format: JSON" */
const headed = endsIn(String.raw`\b(?:format|output|response|answer|reply|result|return|type|in|as)s?\s*[:=]`)
const onlyModifiers = new RegExp(`^${modifiers}`, 'i')
const owned = new RegExp(
  String.raw`\b(?:this|these|those|that|my|our|following|given|above|below|attached|provided|` +
    String.raw`input|incoming|some|his|her|its|their|two|both|any|more|what)\s+(?:valid |raw |` +
    String.raw`pure )?["'\x60(]*$`,
  'i',
)
/** The clause belongs to somebody else: "My server returns JSON". */
const others = new RegExp(
  String.raw`\b(?:i|we|my|our|they|he|she|the (?:api|server|endpoint|service|client|function|` +
    String.raw`code|app|library|page|site|tool|file|browser|backend))\b(?![^]*\byou\b)`,
  'i',
)
const wishes = new RegExp(
  String.raw`\b(?:i|we)(?:['’]d|['’]ll| would)?(?: (?:only|just|really|also))? (?:need|want|like|` +
    String.raw`expect|prefer|require)\b`,
  'i',
)
const imperative = new RegExp(
  String.raw`(?:^|[,;:—–()*>"”•]|(?:^|\s)-\s|\b(?:then|and|please|always|only|must|should|shall|` +
    'just|now|instead|also|finally|' +
    "you|to|will|could|can|kindly|simply|let['’]s|when|is to|assistant|model|it|strictly|or|" +
    'either|but|that|which|who))' +
    String.raw`[\s*_]*(?:only\s+|always\s+|just\s+|strictly\s+|simply\s+|ever\s+)?(?:${answering}|` +
    String.raw`${working})(?:s|es)?\b`,
  'i',
)
/** Things with JSON in their name that no answer is. */
const otherThings = new RegExp(
  '^[ -]*(?:pars(?:er|ing|e)|validat|viewer|editor|web tokens?|lint|path|patch|rpc|' +
    'decod|encoder|seriali[sz]er|module|package|librar|tutorial|server|column|' +
    'feature|spec)',
  'i',
)

/** Whether a text asks for JSON by that name; false when it asks for anything but JSON. */
export function asksByName(text: string): boolean | undefined {
  let asked: boolean | undefined
  let tries = 0
  for (const { 0: word, index } of text.matchAll(/\bjson(?!l\b|p\b|5\b|_)/gi)) {
    if (++tries > maxMentions) break
    const end = index + word.length
    const sentence = text
      .slice(Math.max(0, index - 240), index)
      .split(/[.!?](?=\s)|\n/)
      .at(-1) as string
    const after = text.slice(end, end + 160)
    const said = isAskedBy(sentence, after)
    if (said === true) return true
    asked ??= said
  }
  return asked
}
const maxMentions = 60

const asks = new RegExp(
  String.raw`^\W*(?:what|which|where|when|who|is|are|does|do|did|has|have|should|was|were|(?:can|` +
    String.raw`could|would|will) (?!you))\b`,
  'i',
)
const explains = /^\W*(?:how|why|explain|(?:please )?explain|define|discuss|teach)\b/i

function isAskedBy(before: string, after: string): boolean | undefined {
  if (otherThings.test(after)) return undefined
  if (onlyThis.test(before)) return true
  if (denied.test(before)) return /\bonly\b/i.test(before) ? undefined : false
  if (owned.test(before)) return undefined
  const ending = /^[^.!?\n]*(?:[.!?](?!\s|$)[^.!?\n]*)*([.!?\n]|$)/.exec(after)?.[1]
  if (explains.test(before)) return undefined
  if (ending === '?' && asks.test(before))
    return /,\s*(?:as|in|using|with)\s[^,]*$/i.test(before) && inForm.test(before) ? true : undefined
  if (headed.test(before)) return true
  if (onlyModifiers.test(before))
    return /\b(?:only|just|valid|strictly|pure|raw)\b/i.test(before) ||
      /^["'`*)]*\s*(?:only|output|please|response|format|array|object)\b/i.test(after)
      ? true
      : undefined
  if (
    /\byou(?:['’]re| are) (?:an? )?[^.]{0,40}$/i.test(before) &&
    !/\b(?:that|which|who)\b/.test(before) &&
    !inForm.test(before)
  )
    return true
  if (wishes.test(before) && (direct.test(before) || inForm.test(before))) return true
  if (others.test(before)) return undefined
  if (ordered.test(before)) return true
  const clause = imperative.exec(before)
  if (clause === null)
    return inForm.test(before) &&
      isShort(before) &&
      /^["'`*)]*(?: (?:format|please|object|array|only|list)){0,2}\s*(?:[.!:\n]|$)/i.test(after)
      ? true
      : undefined
  const between = before.slice(clause.index + clause[0].length)
  const persona = /\byou\b|\bassistant\b|\bmodel\b|\bbot\b/i.test(before)
  if (!persona && new RegExp(String.raw`\b(?:${relative})\b`, 'i').test(before.slice(clause.index)))
    return undefined
  return direct.test(before) ||
    inForm.test(before) ||
    (/^\s*(?:only|exactly|one|me)?\b/i.test(between) && onlyModifiers.test(between))
    ? true
    : undefined
}

const bareRequest = new RegExp(
  String.raw`^\W*(?:(?:please|only|you|must|should|always|now|and|then|can|could|` +
    String.raw`just)\s+)*(?:${answering}|${working})\b` +
    String.raw`(?:\s+(?:it|this|them|that|me|us|back|the|your|result|results|answer|response|output|` +
    String.raw`data|everything|following|list))*[^\p{L}]*$`,
  'iu',
)
const aboutForm = new RegExp(
  String.raw`^["'\x60*)]*(?:[\s:,]+(?:objects?|arrays?|lists?|formats?|output|response|document|` +
    'only|please|with|containing|that|has|having|including|of|using|in|the|this|these|' +
    'following|keys?|fields?|properties|schema|format|structure|shape|strings|file|' +
    String.raw`describing)\b)*[\s:.,]*`,
  'i',
)

/** A text without the words that ask for JSON; what they ask about stays. */
export function withoutWish(text: string): string {
  let rest = ''
  let end = 0
  for (const { 0: word, index } of text.matchAll(/\bjson(?!l\b|p\b|5\b|_)/gi)) {
    if (index < end) continue
    const from = Math.max(end, index - 240)
    const sentence = text
      .slice(from, index)
      .split(/(?<=[.!?]\s)|\n/)
      .at(-1) as string
    const asked = sentence.replace(endOfWish, '')
    const behind = aboutForm.exec(text.slice(index + word.length, index + 400)) as RegExpExecArray
    rest += `${text.slice(end, index - sentence.length)}${bareRequest.test(asked) ? '' : asked} `
    end = index + word.length + behind[0].length
  }
  return (rest + text.slice(end)).trim()
}
const endOfWish = endsIn(String.raw`(?:\s*(?:[,;]|\b(?:as|in|into|to|using|with|of|via)\b))*`)

/** "Three colours as JSON": no clause of its own. */
const isShort = (before: string): boolean =>
  !/\b(?:is|are|was|were|been|has|have|stored?|saved?|returns?|sends?|uses?|works?|comes?)\b/i.test(before)
