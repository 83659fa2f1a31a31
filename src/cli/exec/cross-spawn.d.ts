/** The part of cross-spawn that is used. On Windows it can start scripts such as npm.cmd. */
declare module 'cross-spawn' {
  const spawn: typeof import('node:child_process').spawn
  export default spawn
}
