/** Paths with slashes: JSON pointers (RFC 6901), and names of files and resources. */

/** The text after the last slash. */
export const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** One step of a pointer: `/a~1b` for the name `a/b`. */
export const pointerPart = (name: PropertyKey): string =>
  `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`

export const pointerTo = (path: readonly PropertyKey[]): string => path.map(pointerPart).join('')

/** The names and indexes that a pointer goes through. */
export const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The pointer with `*` for every index. */
export const anyItem = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')

export const isAtOrBelow = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`)
