/** Chooses the tools that a model would call for a prompt. */

import { stemOf } from '../decisions/terms.ts'
import type { Tool, ToolChoice } from './conversation.ts'

/** The maximum number of tools that one answer calls. */
const maxCalls = 8
/**
 * The minimum score of a tool that is called unasked: a word of its name, a subject of its description, or
 * two ordinary words.
 */
const minScore = 2
const nameScore = 3
const requestedScore = 1000

/**
 * The tools to call, in the order in which the prompt mentions them; empty for an answer in text. `again`
 * is true when tool results have just come back.
 */
export function chooseTools(
  tools: readonly Tool[],
  choice: ToolChoice,
  prompt: string,
  options: { readonly parallel: boolean; readonly again: boolean },
): readonly Tool[] {
  if (tools.length === 0 || choice.mode === 'none') return []
  if (choice.mode === 'named') return tools.filter((tool) => tool.name === choice.name)
  if (choice.mode === 'auto' && (options.again || declined.test(prompt))) return []
  const promptWords = wordsOf(prompt)
  const ranked = tools.map((tool) => scoreTool(tool, prompt, promptWords)).sort((a, b) => b.score - a.score)
  const best = ranked[0] as ScoredTool
  if (best.score < minScore) return choice.mode === 'required' ? [best.tool] : []
  if (!options.parallel) return [best.tool]
  // Several tools are called together only when each is mentioned by a word of its own, or all by name.
  const called = [best]
  const taken = new Set(best.named)
  for (const other of ranked.slice(1)) {
    const own = other.named.filter((word) => !taken.has(word))
    if (
      own.length === 0 ||
      called.length === maxCalls ||
      (best.score >= requestedScore && other.score < requestedScore)
    )
      continue
    for (const word of own) taken.add(word)
    called.push(other)
  }
  return called.sort((a, b) => a.at - b.at).map(({ tool }) => tool)
}

const declined = /\b(?:do not|don['’]t|without|never)\b[^.!?\n]{0,30}\b(?:tools?|functions?)\b/i

interface ScoredTool {
  readonly tool: Tool
  readonly score: number
  /** The words of the tool's name that the prompt has. */
  readonly named: readonly string[]
  /** The position of the first mention. */
  readonly at: number
}

/**
 * How well a prompt fits a tool: words of its name count most, then those of its description and
 * parameters.
 */
function scoreTool(tool: Tool, prompt: string, said: ReadonlyMap<string, number>): ScoredTool {
  // A name such as get_weather is no ordinary word: a prompt that has it asks for the tool.
  const at = /[_-]|\p{Ll}\p{Lu}/u.test(tool.name) ? prompt.indexOf(tool.name) : -1
  if (at >= 0) return { tool, score: requestedScore, named: [tool.name], at }
  const named = [...wordsOf(tool.name).keys()].filter((word) => said.has(word))
  let score = named.length * nameScore
  for (const word of wordsOf(`${tool.description}\n${parameterNames(tool)}`).keys())
    if (said.has(word)) score += subjects.has(word) ? 2 : 1
  return { tool, score, named, at: Math.min(...named.map((word) => said.get(word) as number)) }
}

function parameterNames({ parameters }: Tool): string {
  if (parameters === null || typeof parameters !== 'object') return ''
  const { properties } = parameters as { properties?: unknown }
  return properties !== null && typeof properties === 'object' ? Object.keys(properties).join(' ') : ''
}

// Words of prompts and tools of any kind.
const commonWords = new Set(
  `
  a an the of for to in on at by and or is are be been was were get set do does did what which who how
  when where why you your yours it its this that these those with from as can could would should will use
  uses used using user tool tools function functions call calls given current currently returns return
  data value values please me my i we our us provide provides information info about some any all one two
  into if not no so new please tell show give make want need help like just only also specific specified
  optional required name names id input output result results string text number list item items object
  type based such via e g eg etc example
  `
    .trim()
    .split(/\s+/),
)

// Words of one subject: a prompt says "How warm is it", the tool is called get_weather.
const subjectWords = `
weather: weather forecast temperature warm cold hot rain rainy raining snow snowing sunny cloudy windy humid
  humidity umbrella celsius fahrenheit climate 天气 天氣 气温 下雨
mail: email mail emails inbox gmail 邮件
search: search find google lookup web internet browse 搜索
math: calculate calculator calculation compute math mathematics arithmetic plus minus times multiply
  multiplied divide divided subtract sum add addition product 计算
time: time clock timezone o'clock 时间
calendar: calendar meeting schedule appointment event events agenda reminder remind
stock: stock stocks share shares ticker nasdaq 股票 股价
translation: translate translation translator 翻译
flight: flight flights fly airline airport 航班 机票
hotel: hotel hotels room accommodation 酒店
restaurant: restaurant restaurants dinner lunch 餐厅
news: news headline headlines 新闻
music: music song songs play playlist
order: order orders purchase shipment package delivery 订单
picture: image picture photo draw drawing illustration 图片
code: code python javascript script execute
database: database sql
currency: currency exchange convert dollars euros usd eur 汇率
route: directions route distance navigate navigation map
customer: customer customers client
`
const subjectOf: ReadonlyMap<string, string> = new Map(
  subjectWords
    .trim()
    .split(/\n(?! )/)
    .flatMap((line) => {
      const [subject = '', words = ''] = line.split(': ')
      return words.split(/\s+/).map((word): [string, string] => [stemOf(word), subject])
    }),
)
const subjects: ReadonlySet<string> = new Set(subjectOf.values())

/** The significant words of a text as subjects or stems, each with its first position. */
function wordsOf(text: string): ReadonlyMap<string, number> {
  const words = new Map<string, number>()
  const add = (word: string, at: number): void => {
    if (!words.has(word)) words.set(word, at)
  }
  const spread = text
    .slice(-8000)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
  for (const { 0: word, index } of spread.matchAll(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu)) {
    if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(word)) {
      // In scripts without spaces, any two characters may be a word.
      for (let at = 0; at + 1 < word.length; at++) {
        const pair = word.slice(at, at + 2)
        if (subjectOf.has(pair)) add(subjectOf.get(pair) as string, index + at)
        else if (!commonPairs.has(pair)) add(pair, index + at)
      }
    } else if (!commonWords.has(word)) {
      const stem = stemOf(word.replaceAll('’', "'"))
      add(subjectOf.get(stem) ?? stem, index)
    }
  }
  // "17 * 23" asks for arithmetic without a word of it.
  const sum = /\d\s*[-+*/×÷^]\s*\d/.exec(spread)
  if (sum !== null) add('math', sum.index)
  return words
}

const commonPairs = new Set([
  ...'查询 获取 一个 一下 什么 怎么 今天 明天 现在'.split(' '),
  ...'可以 帮我 请问 返回 指定 当前 信息 工具 用户'.split(' '),
])
