/** The capitalised names and handles in a text. */
import { verbGroups } from './words.ts'

type Found = readonly [number, number, { readonly text: string }]

const names = new RegExp(
  String.raw`(?<![\p{L}\p{N}'’-])(?:\p{Lu}[\p{L}\p{N}&'’-]*(?:(?: (?:of|de|la|el|the|van|von|di|` +
    'da|du|&) ' +
    String.raw`(?=\p{Lu})| d['’](?=\p{Lu})| )\p{Lu}[\p{L}\p{N}&'’-]*)*|@[\w.-]+)`,
  'gu',
)
const notNames = new RegExp(
  String.raw`^(?:I|I['’]\p{L}+|The|A|An|My|Our|Your|It|This|That|These|Those|He|She|They|We|You|` +
    'And|Or|But|If|In|' +
    'On|At|For|From|With|To|Of|By|As|So|Is|Are|Do|Does|Did|Can|Could|Would|Will|Should|What|Which|' +
    'Who|Whom|Whose|' +
    'When|Where|Why|How|Please|Also|Then|First|Next|Finally|Ok|Okay|Hi|Hello|Hey|Thanks|Thank|No|Yes|' +
    'Not|There|' +
    'Here|Any|All|Some|Every|After|Before|Once|While|Now|Just|Only|Let|Need|Want)$',
  'u',
)

/** Capitalised names. At the beginning of a sentence one word counts only where it cannot begin another. */
export function namesIn(rest: string, text: string): readonly Found[] {
  return [...rest.matchAll(names)].flatMap(({ index, 0: written }): Found[] => {
    if (written.startsWith('@')) return [[index, index + written.length, { text: written.slice(1) }]]
    let [at, name] = [index, written.replace(/['’]s$/u, '').replace(/['’-]+$/u, '')]
    const isStart = /(?:^|[.!?:;\n]\s*|["“(]\s*)$/u.test(text.slice(Math.max(0, at - 4), at))
    for (;;) {
      const [first = ''] = name.split(' ')
      if (
        first === '' ||
        !(notNames.test(first) || (isStart && at === index && isOpening(first, name, text, at)))
      )
        break
      at += first.length + 1
      name = name.slice(first.length + 1)
    }
    name = name.replace(/ (?:I|The|A)$/u, '')
    return name === '' || /^\d/.test(name) ? [] : [[at, at + name.length, { text: name }]]
  })
}

/** Whether the first word of a sentence is a verb or a plain word rather than part of a name. */
function isOpening(first: string, name: string, text: string, at: number): boolean {
  if (/^[A-Z\d]{3,}$/.test(first)) return false
  if (verbGroups(first).length > 0 && !/^(?:Mark|Bill|Grant|Will|Rob|Pat|Drew)$/.test(first)) return true
  if (name.includes(' ')) return false
  return !/^(?:['’]s\b|,? (?:is|was|has|lives|works|and|wants|needs|said|says|or)\b|\s*$)/.test(
    text.slice(at + name.length, at + name.length + 12),
  )
}
