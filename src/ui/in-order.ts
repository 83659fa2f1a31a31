/** Keeps what a view shows from going back in time: responses can overtake each other. */

/** Passes on what reads result in, except those that began before one whose result has been passed on. */
export function inOrder(): <Result>(read: Promise<Result>, use: (result: Result) => void) => Promise<void> {
  let started = 0
  let used = 0
  return (read, use) => {
    const nth = ++started
    return read.then(
      (result) => {
        if (nth < used) return
        used = nth
        use(result)
      },
      (error: unknown) => {
        if (nth >= used) throw error
      },
    )
  }
}
