/** The law over the names of events, which the streams of messages and of images share. */
import { firstBreach, type Law, shown } from './law.ts'
import { type JudgedStream, nth, typeOf } from './stream.ts'

/** Each event has an `event:` line, which names the type that its data gives. */
export const namesItsType = (head: Pick<Law<JudgedStream>, 'section' | 'states'>): Law<JudgedStream> => ({
  ...head,
  severity: 'doubtful',
  kind: 'format',
  breach: ({ events }) =>
    firstBreach(events, (event, index) =>
      event.fields === undefined || event.event === typeOf(event)
        ? undefined
        : { got: `${nth(index)} is named ${shown(event.event)} and is of type ${shown(typeOf(event))}` },
    ),
})
