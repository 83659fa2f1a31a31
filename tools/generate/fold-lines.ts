/** Folds generated TypeScript at 110 columns, like the rest of the source. */

const columns = 110

/** The same source with its long comments on several lines, and its long unions. */
export function foldLines(source: string): string {
  return source
    .split('\n')
    .map((line) => (line.length <= columns ? line : foldLine(line)))
    .join('\n')
}

function foldLine(line: string): string {
  const indent = line.slice(0, line.length - line.trimStart().length)
  const comment = /^\/\*\* (.*) \*\/$/.exec(line.trim())?.[1]
  return comment === undefined
    ? filled(line.split(/ (?=\| )/), `${indent}  `)
    : `${indent}/**\n${indent} * ${filled(comment.split(' '), `${indent} * `)}\n${indent} */`
}

/** The words on as many lines as necessary; `start` begins each line except the first. */
function filled(words: readonly string[], start: string): string {
  const lines: string[] = []
  let last = ''
  for (const word of words) {
    if (last !== '' && `${start}${last} ${word}`.length > columns) {
      lines.push(last)
      last = word
    } else last = last === '' ? word : `${last} ${word}`
  }
  return [...lines, last].join(`\n${start}`)
}
