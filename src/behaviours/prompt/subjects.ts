/** What a text is about: its significant words, those of one subject as one. */

import { stemOf } from '../decisions/terms.ts'

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
weather: weather forecast temperature warm cold hot cool warmer colder hotter cooler sun storm wind
  rain rainy raining snow snowing sunny cloudy windy humid
  humidity umbrella degree celsius fahrenheit climate 天气 天氣 气温 下雨
mail: email mail emails inbox gmail 邮件
search: search find google lookup web internet browse 搜索
math: calculate calculator calculation compute math maths mathematics mathematical arithmetic evaluate
  expression equation percent percentage squared sqrt 计算
time: time clock timezone o'clock 时间
calendar: calendar meeting schedule appointment event events agenda reminder remind
stock: stock stocks share shares ticker nasdaq trading traded 股票 股价
translation: translate translation translator 翻译
flight: flight flights fly airline airport 航班 机票
hotel: hotel hotels room accommodation 酒店
restaurant: restaurant restaurants dinner lunch menu hungry table 餐厅
news: news headline headlines 新闻
music: music song songs play playlist
order: order orders purchase shipment package delivery 订单
picture: image picture photo draw drawing illustration 图片
code: code python javascript script execute
database: database sql
currency: currency exchange convert dollars euros usd eur 汇率
route: directions route distance navigate navigation map far kilometres kilometers miles driving
customer: customer customers client
`
const subjectOf: ReadonlyMap<string, string> = (() => {
  const bySubject = subjectWords
    .trim()
    .split(/\n(?! )/)
    .map((line) => line.split(': '))
    .map(([subject = '', words = '']): [string, string[]] => [subject, words.split(/\s+/)])
  // A word counts before a stem: "times" is arithmetic, "time" is not.
  return new Map([
    ...bySubject.flatMap(([subject, words]) =>
      words.map((word): [string, string] => [stemOf(word), subject]),
    ),
    ...bySubject.flatMap(([subject, words]) => words.map((word): [string, string] => [word, subject])),
  ])
})()
export const subjects: ReadonlySet<string> = new Set(subjectOf.values())

const ideographs = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/

/** The subject or the stem of a word in lower case; undefined for one that stands in texts of any kind. */
export function conceptOf(word: string): string | undefined {
  if (commonWords.has(word)) return undefined
  const subject = subjectOf.get(word)
  if (subject !== undefined) return subject
  // "bookings" and "booking" are one word.
  const stem = stemOf(word.endsWith('ings') ? word.slice(0, -1) : word)
  return subjectOf.get(stem) ?? stem
}

/** In scripts without spaces, any two characters may be a word; undefined for words of other scripts. */
export function pairsIn(word: string): readonly string[] | undefined {
  if (!ideographs.test(word)) return undefined
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2)).flatMap((pair) =>
    commonPairs.has(pair) ? [] : [subjectOf.get(pair) ?? pair],
  )
}

/** The significant words of a name or a description, as subjects or stems. */
export function conceptsIn(text: string): readonly string[] {
  const concepts = new Set<string>()
  const spread = /[\p{Ll}\d]\p{Lu}/u.test(text) ? text.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2') : text
  const low = spread.toLowerCase()
  const isPlain = !/[^\0-\x7f]/.test(low)
  for (const word of low.match(isPlain ? /[a-z\d]+/g : /[\p{L}\p{N}]+/gu) ?? []) {
    const concept = conceptOf(word)
    if (concept === undefined) continue
    const pairs = isPlain ? undefined : pairsIn(word)
    if (pairs === undefined) concepts.add(concept)
    else for (const pair of pairs) concepts.add(pair)
  }
  return [...concepts]
}

const commonPairs = new Set([
  ...'查询 获取 一个 一下 什么 怎么 今天 明天 现在'.split(' '),
  ...'可以 帮我 请问 返回 指定 当前 信息 工具 用户'.split(' '),
])
