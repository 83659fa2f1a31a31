/** Lists of requests for the filter `seq` of the journal. */

/** The longest list of numbers in one URL, in characters. */
const maxList = 4000

/** `1,4,7-9`, in parts that fit into a URL. */
export function listsOf(numbers: readonly number[]): string[] {
  const ranges: [from: number, to: number][] = []
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  const lists: string[] = []
  for (const [from, to] of ranges) {
    const text = from === to ? String(from) : `${from}-${to}`
    const last = lists.at(-1)
    if (last === undefined || last.length + text.length > maxList) lists.push(text)
    else lists[lists.length - 1] = `${last},${text}`
  }
  return lists
}
