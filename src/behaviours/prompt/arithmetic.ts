/** The calculations that a text asks for, in signs or in words: "15% of 80", "subtract 4 from 10". */
import { numberOf, numberPattern } from './words.ts'

export interface Calculation {
  /** As most calculators read it: `17 * 23`, `sqrt(144)`, `2 ** 8`. */
  readonly expression: string
  /** What is done last, when it is plain: `+`, `-`, `*`, `/`, `%`, `**`, `average`, `sqrt`. */
  readonly operator: string
  readonly operands: readonly number[]
}

const n = String.raw`-?\d+(?:\.\d+)?`
const list = `((?:${n}(?:, ?and |, ?| and | & )){1,40}${n})`
const term = String.raw`((?:sqrt|cbrt)\(${n}\)|${n})`
const numbersIn = (text: string): string[] => text.match(new RegExp(n, 'g')) ?? []
const decimal = (share: string): string => String(Number((Number(share) / 100).toPrecision(12)))

type Rewrite = readonly [string, (found: readonly string[]) => string]
/** Words to signs, in this order. What is in brackets here is one term from then on. */
const rewrites: readonly Rewrite[] = [
  [`(?:the )?square root of ${term}`, ([, a = '']) => `sqrt(${a})`],
  [`(?:the )?cube root of ${term}`, ([, a = '']) => `cbrt(${a})`],
  [`${term} squared`, ([, a]) => `${a} ** 2`],
  [`${term} cubed`, ([, a]) => `${a} ** 3`],
  [
    `(?:raise )?${term} (?:raised )?to the (?:power(?: of)? )?(?:of )?${term}(?:st|nd|rd|` +
      'th)?(?: power)?',
    ([, a, b]) => `${a} ** ${b}`,
  ],
  [String.raw`${term}\^${term}`, ([, a, b]) => `${a} ** ${b}`],
  [`(${n}) ?% of ${term}`, ([, a = '', b]) => `${decimal(a)} * ${b}`],
  [`(${n}) ?% off ${term}`, ([, a = '', b]) => `${b} * (1 - ${decimal(a)})`],
  [
    `(?:average|mean) (?:of |for )?(?:the )?(?:numbers )?${list}`,
    ([, all = '']) => `(${numbersIn(all).join(' + ')}) / ${numbersIn(all).length}`,
  ],
  [
    `(?:sum(?: up)?|total|add(?: up)?)(?: of)?(?: the)?(?: numbers)? ${list}`,
    ([, all = '']) => numbersIn(all).join(' + '),
  ],
  [`adding ${list}`, ([, all = '']) => numbersIn(all).join(' + ')],
  [`add(?:ing)? ${term} to ${term}`, ([, a, b]) => `${b} + ${a}`],
  [`(?:product of|multiply) ${list}`, ([, all = '']) => numbersIn(all).join(' * ')],
  [`multiply(?:ing)? ${term} (?:by|with) ${term}`, ([, a, b]) => `${a} * ${b}`],
  [`divid(?:e|ing) ${term} (?:by|through) ${term}`, ([, a, b]) => `${a} / ${b}`],
  [`(?:divide )?${term} into ${term}`, ([, a, b]) => `${b} / ${a}`],
  [`(?:quotient|ratio) of ${term} (?:and|to) ${term}`, ([, a, b]) => `${a} / ${b}`],
  [
    `(?:subtract|take|taking|deduct)(?:ing)?(?: away)? ${term}(?: away)? from ${term}`,
    ([, a, b]) => `${b} - ${a}`,
  ],
  [`take ${term},? (?:and )?(?:subtract|take away|minus) ${term}`, ([, a, b]) => `${a} - ${b}`],
  [`${term} less than ${term}`, ([, a, b]) => `${b} - ${a}`],
  [`difference (?:between|of) ${term} and ${term}`, ([, a, b]) => `${a} - ${b}`],
  [`(?:remainder|rest) (?:when|of|if) ${term} (?:is )?(?:divided by|/) ${term}`, ([, a, b]) => `${a} % ${b}`],
  [String.raw`(?<=\d\)?) ?(?:plus|added to) ?(?=[\d(s-])`, () => ' + '],
  [String.raw`(?<=\d\)?) ?(?:minus|take away|−) ?(?=[\d(s-])`, () => ' - '],
  [String.raw`(?<=\d\)?) ?(?:times|multiplied (?:by|with)|×|x) ?(?=[\d(s-])`, () => ' * '],
  [String.raw`(?<=\d\)?) ?(?:divided by|over|÷) ?(?=[\d(s-])`, () => ' / '],
  [String.raw`(?<=\d\)?) ?(?:mod(?:ulo)?) ?(?=[\d(s-])`, () => ' % '],
]
const compiled = rewrites.map(([source, write]) => [new RegExp(source, 'g'), write] as const)

const mayCalculate = new RegExp(
  String.raw`[-+*/×÷^%=]|\b(?:plus|minus|times|divid|multipl|squared?|cubed?|root|power|percent|` +
    'average|mean|sum|total|add|subtract|deduct|take|product|less|difference|remainder|' +
    'quotient|into|mod)',
  'i',
)
const said = new RegExp(
  String.raw`\b(?:the |its )?(?:result|sum|product|outcome|total|difference|answer|output|it|that|what ` +
    String.raw`(?:you get|is left|you have)|whatever comes out|previous result)\b(?! (?:of|between)\b)`,
  'g',
)
const run = /(?<![\p{L}\d_.,-])(?:(?:sqrt|cbrt)\(|[-(]*\d)[\d. ()*+/%-]{0,400}(?<=[\d)])/gu
const tail = /[ ](?:[-+*/%]|\()?$/

/** The calculations in a text, in order; "it" and "the result" are the number `known` before. */
export function calculationsIn(text: string, known?: number): readonly Calculation[] {
  const asked = text.slice(-1000)
  if (
    !/\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b/i.test(asked) ||
    !mayCalculate.test(asked)
  )
    return []
  let plain = asked
    .toLowerCase()
    .replace(/\b\d{4}-\d\d-\d\d\b|[$€£]/g, ' ')
    .replace(new RegExp(String.raw`(?<![\w.])${numberPattern}(?![\w.]*\w@)`, 'gi'), (written) =>
      String(numberOf(written) ?? written),
    )
    .replace(/ ?percent\b/g, '%')
  if (known !== undefined)
    plain = plain.replace(said, String(known)).replace(/\b(multiply|divide) by (\S+)/, `$1 ${known} by $2`)
  plain = plain.replace(/\b(?:it|that|the result|this) (?:by|from|to)\b/g, ' ')
  for (const [pattern, write] of compiled)
    plain = plain.replace(pattern, (...found: unknown[]) => write(found as string[]))
  const calculations: Calculation[] = []
  for (const [written] of plain.matchAll(run)) {
    const expression = balanced(written.trim().replace(tail, ''))
    const found = expression === undefined ? undefined : calculationOf(expression)
    if (found !== undefined && calculations.length < 8) calculations.push(found)
  }
  return calculations
}

function balanced(expression: string): string | undefined {
  let depth = 0
  for (const sign of expression) {
    if (sign === '(') depth++
    if (sign === ')' && --depth < 0) return undefined
  }
  return depth === 0 ? expression.replace(/\s*(\*\*|[*/%+]|(?<=[\d)]\s*)-)\s*/g, ' $1 ') : undefined
}

function calculationOf(expression: string): Calculation | undefined {
  const operands = numbersIn(
    expression.replace(/(?<=[\d)] )- /g, '- ').replace(/(?<=\d )-(?=\d)/g, '- '),
  ).map(Number)
  const mean = /^\((.+)\) \/ (\d+)$/.exec(expression)
  if (
    mean !== null &&
    Number(mean[2]) === operands.length - 1 &&
    operands.length > 2 &&
    !/[*/-]/.test(mean[1] ?? '')
  )
    return { expression, operator: 'average', operands: operands.slice(0, -1) }
  const root = /^(sqrt|cbrt)\(/.exec(expression)?.[1]
  const signs = [...expression.matchAll(/ (\*\*|[*/%+-]) /g)].map(([, sign = '']) => sign)
  if (root === undefined && signs.length === 0) return undefined
  return { expression, operator: root ?? (signs.at(-1) as string), operands }
}
