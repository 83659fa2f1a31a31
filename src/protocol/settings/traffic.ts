/** How much a server lets be on its way: to clients that do not read, and from those that send. */
import * as z from 'zod'
import { count, duration, kibibyte, mebibyte } from './values.ts'

export const traffic = z
  .strictObject({
    replyBytes: count(
      16 * mebibyte,
      'The maximum size of an answer of chat, about, in bytes. A call whose parameters (`n`, ' +
        '`top_logprobs`, `audio`) would make a larger one is refused (400) before the answer is made.',
      kibibyte,
    ),
    unreadBytes: count(
      256 * mebibyte,
      'The maximum size of the replies over 64 KiB, and of the open streams, that clients have not read ' +
        'yet, for all clients of a server together. Beyond it, large replies are refused (503, in the ' +
        'words of the API, with `retry-after`) or wait before their media are rendered; small ones are ' +
        'answered.',
      kibibyte,
    ),
    unreadFor: duration(
      '30s',
      'How long a client may read nothing while bytes wait for it, by the wall clock; then its connection ' +
        'is reset (after one to two times this), and the journal says `aborted`.',
    ),
    arrivingBytes: count(
      512 * mebibyte,
      'The maximum size of the request bodies over 1 MiB that are arriving, for all clients of a server ' +
        'together. A body that does not fit is refused (503, with `retry-after`).',
      mebibyte,
    ),
  })
  .prefault({})
