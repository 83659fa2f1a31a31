/** A list of rows of one height, of which only those in sight are in the document. */
import type { Signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface VirtualListProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly rowHeight: number
  /** True while the list stays at its top; scrolling down turns it off, scrolling to the top on again. */
  readonly following: Signal<boolean>
  /** The row to keep in sight; -1 for none. */
  readonly current: number
  keyOf(item: Item): string
  render(item: Item): ComponentChildren
}

/** Rows in the document above and below those in sight, except in the first frame. */
const spareRows = 6

export function VirtualList<Item>(props: VirtualListProps<Item>): JSX.Element {
  const { label, items, rowHeight, following, current, keyOf, render } = props
  const scroller = useRef<HTMLElement>(null)
  /** The scroll offset as of the last event: to read it from the element would force a layout. */
  const offset = useRef(0)
  const [first, setFirst] = useState(0)
  const room = useRoom(rowHeight)
  const [spare, setSpare] = useState(0)
  useEffect(() => setSpare(spareRows), [])
  // New rows come in at the top: without following, the rows in sight must not move.
  const newest = useRef<string>()
  const key = items[0] === undefined ? undefined : keyOf(items[0])
  useLayoutEffect(() => {
    const element = scroller.current
    const before = newest.current
    newest.current = key
    if (element === null || before === undefined || before === key) return
    if (!following.value) {
      const added = items.findIndex((item) => keyOf(item) === before)
      if (added > 0) element.scrollTop += added * rowHeight
    } else if (offset.current > 0) element.scrollTop = 0
  }, [key])
  useEffect(() => {
    const element = scroller.current
    if (element === null || current < 0) return
    const lowest = current * rowHeight
    const highest = lowest + rowHeight - element.clientHeight
    if (element.scrollTop > lowest) element.scrollTop = lowest
    else if (element.scrollTop < highest) element.scrollTop = highest
  }, [current < 0 ? -1 : keyOf(items[current] as Item)])
  const begin = Math.max(0, Math.min(first, items.length - room) - spare)
  return (
    <section
      class="rows"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
      onScroll={({ currentTarget }) => {
        offset.current = currentTarget.scrollTop
        following.value = offset.current < rowHeight
        setFirst(Math.floor(offset.current / rowHeight))
      }}
    >
      <div style={{ height: `${items.length * rowHeight}px` }}>
        <div style={{ transform: `translateY(${begin * rowHeight}px)` }}>
          {items.slice(begin, first + room + spare).map((item) => (
            <div key={keyOf(item)} style={{ height: `${rowHeight}px` }}>
              {render(item)}
            </div>
          ))}
        </div>
      </div>
    </section>
  )
}

/** How many rows fit into the window, which is never lower than the list. */
function useRoom(rowHeight: number): number {
  const [room, setRoom] = useState(Math.ceil(innerHeight / rowHeight))
  useEffect(() => {
    const measure = (): void => setRoom(Math.ceil(innerHeight / rowHeight))
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [rowHeight])
  return room
}
