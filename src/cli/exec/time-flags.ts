/** The flags for the client's time. */
import { choice, durationOf, value } from '../flags.ts'

/** The first choice is the default. */
export const timeFlags = (...choices: readonly ['fast', 'real'] | readonly ['real', 'fast']) =>
  ({
    'client-time': choice(
      'How the timers of the client run: faster while it waits, or in real time',
      choices,
    ),
    patience: value('Client time after which a client that waits counts as hung, if its time is fast', '20m'),
  }) as const

/** More than three attempts of five minutes, after which `fetch` of Node.js gives up, with their pauses. */
const defaultPatience = 20 * 60_000

/** In milliseconds. */
export const patienceOf = (flags: { readonly patience?: unknown }): number =>
  durationOf('--patience', flags.patience) ?? defaultPatience
