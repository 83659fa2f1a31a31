/** What is used of cross-spawn: on Windows it starts scripts as node's own `spawn` starts programs. */
declare module 'cross-spawn' {
  const spawn: typeof import('node:child_process').spawn
  export default spawn
}
