/** The keys of the lists of requests and streams. */

/** The index of the row that a key leads to; undefined if it leads to none. */
export function placeAfter(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown' || key === 'j') return Math.min(at + 1, count - 1)
  if (key === 'ArrowUp' || key === 'k') return Math.max(at - 1, 0)
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}

export function focusList(): void {
  document.querySelector<HTMLElement>('.rows')?.focus({ preventScroll: true })
}
