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
  humidity umbrella celsius fahrenheit climate 天气 天氣 气温 下雨
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
restaurant: restaurant restaurants dinner lunch menu hungry 餐厅
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

const readLength = 8000

/** The significant words of a text as subjects or stems, each with its first position. */
export function wordsOf(text: string): ReadonlyMap<string, number> {
  const words = new Map<string, number>()
  const add = (word: string, at: number): void => {
    if (!words.has(word)) words.set(word, at)
  }
  const from = Math.max(0, text.length - readLength)
  const read = text.slice(from)
  for (const { 0: written, index } of read.matchAll(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu)) {
    let at = from + index
    for (const part of written.split(/(?<=[\p{Ll}\d])(?=\p{Lu})/u)) {
      addWord(part.toLowerCase(), at, add)
      at += part.length
    }
  }
  // "17 * 23" asks for arithmetic without a word of it.
  const sum = /\d\s*[-+*/×÷^]\s*\d|\d\s?%\s?of\b|\d\s?x\s?\d/.exec(read)
  if (sum !== null) add('math', from + sum.index)
  // "config.json" and "/etc/hosts" are files without the word.
  const path = /(?<![\w/:.])(?:[~.]{0,2}\/[\w.-]+|[\w-]+(?:\/[\w.-]+)*\.[a-z]{1,4}\b(?!\.\w|@))/.exec(read)
  if (path !== null) add(stemOf('file'), from + path.index)
  return words
}

function addWord(word: string, at: number, add: (word: string, at: number) => void): void {
  if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(word)) {
    // In scripts without spaces, any two characters may be a word.
    for (let index = 0; index + 1 < word.length; index++) {
      const pair = word.slice(index, index + 2)
      if (subjectOf.has(pair)) add(subjectOf.get(pair) as string, at + index)
      else if (!commonPairs.has(pair)) add(pair, at + index)
    }
  } else if (!commonWords.has(word)) {
    const plain = word.replaceAll('’', "'")
    // "bookings" and "booking" are one word.
    const stem = stemOf(plain.endsWith('ings') ? plain.slice(0, -1) : plain)
    add(subjectOf.get(plain) ?? subjectOf.get(stem) ?? stem, at)
  }
}

const commonPairs = new Set([
  ...'查询 获取 一个 一下 什么 怎么 今天 明天 现在'.split(' '),
  ...'可以 帮我 请问 返回 指定 当前 信息 工具 用户'.split(' '),
])
