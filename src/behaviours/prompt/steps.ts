/** The order of steps in a prompt: "first …, then …", "…. Add 5 to the result", numbered lists. */

/** Only so much of a prompt is read for steps, and only so many are taken. */
const readLength = 4000
const maxSteps = 12

const before = String.raw`(?:[.!?;:,]?\s+(?:and\s+|but\s+)?|\n+)`
const pause = String.raw`[.!?;,\n]\s*(?:and\s+)?`
const verbLater = String.raw`(?=\p{L})`
const sequels = [
  String.raw`${before}(?<!\b(?:now|back|until|since|by) (?:and )?)then\b,?\s*(?:also\s+)?`,
  `${before}(?:after that|after this|afterwards?|thereafter|subsequently|followed by|` +
    '(?:once|when|as soon as) ' +
    `(?:you(?: are|['’]re) |that(?: is|['’]s) |this is |it(?: is|['’]s) )?` +
    String.raw`(?:done|finished|ready|complete))\b,?\s*`,
  // "and once you have found the message, archive it"
  String.raw`${before}(?:once|when|as soon as|after) you(?:['’]ve| have) (?:found|got|made|\p{L}+ed)\b` +
    String.raw`[^,.!?\n]{0,80},\s+`,
  String.raw`${pause}(?:finally|lastly|next|second|secondly|third|thirdly|last),?\s+${verbLater}`,
]

const back =
  '(?:it|its|them|their|her|his|those|that (?:number|result|value|answer)|' +
  'that (?:times|plus|minus|divided|multiplied|squared|by|to|from|with|into)|' +
  'what (?:you|we) (?:get|got|have)|' +
  '(?:by|to|from|of|with|on|for) (?:that|this)|' +
  'the (?:result|answer|sum|product|output|total|difference|quotient|outcome)s?)'
// A sentence, or what follows "and", that builds on what came before.
const building =
  String.raw`(?:[.!?;]\s+|,?\s+and\s+)(?=(?:[^\s.!?;,]+\s+){1,6}?${back}\b)|` +
  String.raw`,\s+(?=\p{L}+ ${back}\b)`
const again =
  String.raw`${pause}(?=(?:(?:do|try|repeat|run) )?(?:it |that |the same )?again\b|(?:do )?the same\b)|` +
  String.raw`\s+and\s+(?=again\b|(?:do )?the same\b)`

const sequel = new RegExp(`${sequels.join('|')}|${building}|${again}`, 'giu')
const opener =
  /^(?:first(?:ly)?|to begin(?: with)?|start by|second(?:ly)?|next|then|finally|also|and)\b[,:]?\s*/iu
// Most prompts have one step; to see that is quicker than to look for all of them.
const anyOrder = new RegExp(
  String.raw`\b(?:then|after|afterwards?|thereafter|subsequently|followed|once|when|finally|lastly|next|` +
    'second|secondly|third|thirdly|last|again|same|it|its|them|their|her|his|those|that|this|' +
    'what (?:you|we)|before|the (?:result|' +
    String.raw`answer|sum|product|output|total|difference|quotient|outcome)s?)\b`,
  'i',
)
const numbered = /(?:^|\n)\s*(?:step\s+)?\d{1,2}[.):]\s+/giu
// "1) find Ken 2) notify him", all in one line.
const inline = /(?:^|\s)\(?(\d)[.)]\s+(?=\p{L})/gu
const introduces = new RegExp(
  String.raw`^\s*$|\b(?:steps?|following|tasks?|order|do|things|plan|requests?|questions?)\b` +
    String.raw`(?: \p{L}+){0,3}\s*[:.]?\s*$`,
  'iu',
)
// "Email Ada after checking the weather", "After looking up the customer, list the orders".
const later = new RegExp(
  `^(.{3,200}?),? (?:after|once you have|once you['’]ve) ` +
    String.raw`((?:\p{L}+(?:ing|ed)|found|got|made)\b[^,\n]{2,200})$`,
  'iu',
)
const earlier = new RegExp(
  `^(?:after|once you have|once you['’]ve|when you have) ` +
    String.raw`((?:\p{L}+(?:ing|ed)|found|got|made)\b[^,\n]{2,200}), (.{3,400})$`,
  'iu',
)

// "Before you close TCK-7, have a look at it."
const beforehand =
  /^(?:please )?before (?:(?:you|we|i) )?(\p{L}+(?: (?:the|my|our))?) ([^,\n]{1,100}), ([^\n]{3,300})$/iu

/** The items of a list in one line, which count up from one. */
function inlineItems(said: string): readonly string[] {
  const starts = [...said.matchAll(inline)].filter(({ 1: number }, at) => Number(number) === at + 1)
  const [first] = starts
  if (first === undefined || !introduces.test(said.slice(0, first.index))) return []
  return starts.map(({ 0: mark, index }, at) =>
    said.slice(index + mark.length, starts[at + 1]?.index ?? said.length).trim(),
  )
}

/** The steps of a prompt in order, each in its own words; one for a prompt without an order. */
export function stepsOf(prompt: string): readonly string[] {
  const said = prompt.slice(-readLength).trim()
  const items = /\d/.test(said) ? said.split(numbered) : []
  if (items.length > 2 && introduces.test(items[0] as string))
    return items
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .slice(0, maxSteps)
  const listed = /\d[.)]\s/.test(said) ? inlineItems(said) : []
  if (listed.length > 1) return listed
  if (!anyOrder.test(said)) return [said.replace(opener, '')]
  const swapped = later.exec(said)
  if (swapped !== null && !/[.!?]\s/.test(said)) return [swapped[2] as string, swapped[1] as string]
  const reversed = beforehand.exec(said)
  if (reversed !== null) {
    const [, end = '', object = '', start = ''] = reversed
    return [start.replace(/\b(?:it|them|that|this)\b(?! \p{L})/iu, () => object), `${end} ${object}`]
  }
  const ordered = earlier.exec(said)
  if (ordered !== null) return [ordered[1] as string, ...stepsOf(ordered[2] as string)]
  return said
    .split(sequel)
    .map((step) => step.trim().replace(opener, ''))
    .filter((step) => /[\p{L}\p{N}]/u.test(step))
    .slice(0, maxSteps)
}
