/** A list of rows of one height, of which only those in sight are in the document. */
import type { Signal } from '@preact/signals'
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface VirtualListProps<Item> {
  readonly items: readonly Item[]
  readonly rowHeight: number
  /** True while the list stays at its top; scrolling down turns it off, scrolling to the top on again. */
  readonly following: Signal<boolean>
  /** The row to keep in sight; -1 for none. */
  readonly current: number
  keyOf(item: Item): string
  render(item: Item): ComponentChildren
}

export function VirtualList<Item>(props: VirtualListProps<Item>): JSX.Element {
  const { items, rowHeight, following, current, keyOf, render } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [, redraw] = useState(0)
  const list = useRef<Virtualizer<HTMLDivElement, Element>>()
  const options = {
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw((count) => count + 1),
  }
  list.current ??= new Virtualizer(options)
  list.current.setOptions(options)
  useLayoutEffect(() => list.current?._didMount(), [])
  useLayoutEffect(() => list.current?._willUpdate())
  // New rows come in at the top: without following, the rows in sight must not move.
  const top = useRef<string>()
  const first = items[0] === undefined ? undefined : keyOf(items[0])
  useLayoutEffect(() => {
    const element = scroller.current
    const before = top.current
    top.current = first
    if (element === null || before === undefined || before === first) return
    if (following.value) element.scrollTop = 0
    else {
      const added = items.findIndex((item) => keyOf(item) === before)
      if (added > 0) element.scrollTop += added * rowHeight
    }
  }, [first])
  useEffect(() => {
    if (current >= 0) list.current?.scrollToIndex(current, { align: 'auto' })
  }, [current < 0 ? -1 : keyOf(items[current] as Item)])
  return (
    <section
      class="rows"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="List of requests"
      onScroll={({ currentTarget }) => {
        following.value = currentTarget.scrollTop < rowHeight
      }}
    >
      <div style={{ height: `${list.current.getTotalSize()}px`, position: 'relative' }}>
        {list.current.getVirtualItems().map(({ index, start }) => {
          const item = items[index]
          return item === undefined ? null : (
            <div
              key={keyOf(item)}
              class="at"
              style={{ transform: `translateY(${start}px)`, height: `${rowHeight}px` }}
            >
              {render(item)}
            </div>
          )
        })}
      </div>
    </section>
  )
}
