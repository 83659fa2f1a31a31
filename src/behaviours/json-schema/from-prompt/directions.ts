/** Words of properties that say where something comes from or goes to. */

export const ORIGIN: ReadonlySet<string> = new Set('from origin departure source start base'.split(' '))

export const TARGET: ReadonlySet<string> = new Set(
  'to into as destination target new dest output quote'.split(' '),
)
