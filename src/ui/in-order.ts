/** Keeps what a view shows from going back in time: responses can overtake each other. */

/** Passes results on, except those of reads that began before one whose result has been passed on. */
export function inOrder(): <Result>(read: Promise<Result>, use: (result: Result) => void) => Promise<void> {
  let started = 0
  let used = 0
  return async (read, use) => {
    const nth = ++started
    const result = await read
    if (nth < used) return
    used = nth
    use(result)
  }
}
