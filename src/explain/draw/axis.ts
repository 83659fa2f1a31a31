/** Where on a line an instant stands. Long stretches are drawn shorter than they are, so that words fit. */

/** An instant with the columns that what begins there needs, at least. */
export interface Mark {
  readonly at: number
  readonly need: number
}

/** A row of a drawing: instants and their columns, both ascending. */
export interface Axis {
  readonly marks: readonly { readonly at: number; readonly column: number }[]
  readonly width: number
  columnOf(at: number): number
  /** The instant that a column stands for. */
  at(column: number): number
}

/** As many rows as it takes; the marks are in order of time. */
export function axesOf(marks: readonly Mark[], width: number): Axis[] {
  const rows: Mark[][] = []
  let used = Infinity
  for (const mark of marks) {
    const need = Math.min(mark.need, width)
    const row = rows.at(-1)
    if (row === undefined || used + need > width) {
      rows.push([mark])
      used = need
    } else {
      row.push(mark)
      used += need
    }
  }
  // What comes first in the next row is where this one leads to.
  return rows.map((row, index) => axisOf(row, rows[index + 1]?.[0]?.at, width))
}

function axisOf(row: readonly Mark[], next: number | undefined, width: number): Axis {
  const weights = row.map(({ at }, index) => Math.sqrt(Math.max(0, (row[index + 1]?.at ?? next ?? at) - at)))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const free = width - row.reduce((sum, { need }) => sum + Math.min(need, width), 0)
  let column = 0
  const marks = row.map(({ at, need }, index) => {
    const here = { at, column }
    column +=
      Math.min(need, width) + (total === 0 ? 0 : Math.floor((free * (weights[index] as number)) / total))
    return here
  })
  const ends = next === undefined ? marks : [...marks, { at: next, column: Math.min(column, width) }]
  return {
    marks,
    width,
    columnOf(at) {
      const index = Math.max(
        0,
        ends.findLastIndex((end) => end.at <= at),
      )
      const [from, to] = [ends[index], ends[index + 1]] as [
        { at: number; column: number },
        { at: number; column: number } | undefined,
      ]
      if (to === undefined || to.at <= from.at) return from.column
      return (
        from.column +
        Math.min(
          Math.floor(((to.column - from.column) * (at - from.at)) / (to.at - from.at)),
          Math.max(0, to.column - from.column - 1),
        )
      )
    },
    at(column) {
      const index = Math.max(
        0,
        ends.findLastIndex((end) => end.column <= column),
      )
      const [from, to] = [ends[index], ends[index + 1]] as [
        { at: number; column: number },
        { at: number; column: number } | undefined,
      ]
      if (to === undefined || to.column <= from.column) return from.at
      return from.at + ((to.at - from.at) * (column - from.column)) / (to.column - from.column)
    },
  }
}
