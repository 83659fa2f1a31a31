/** The images and videos of a session, with the requests that made them. */

import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { statusOf } from '../../exchange/exchange.ts'
import type { JobPage, LiveCall } from '../../generated/control-types.ts'
import { fetchEntry } from '../api.ts'
import { useCapabilities, useFollowed } from '../follow.ts'
import { linkTo, route } from '../route.ts'
import { acting, calls } from '../state.ts'
import { MediaFileView } from './media-file.tsx'
import { type Seen, seenIn, type Work, worksOf } from './works.ts'

/** The most requests that are read, the newest ones. */
const maxRead = 300
/** The works that are shown at first, and with each click on "Show more". */
const pageSize = 48

export function MediaView(): JSX.Element {
  return <Gallery key={acting.value} session={acting.value} />
}

function Gallery({ session }: { readonly session: string }): JSX.Element {
  const seen = useSeen(session)
  const { value } = useFollowed<JobPage>('jobs?limit=1000')
  const [shown, setShown] = useState(pageSize)
  const works = useMemo(() => worksOf(seen, value?.jobs ?? []), [seen, value])
  const [, chosen] = route.value.parts
  const at = works.findIndex(({ id }) => id === chosen)
  if (value === undefined) return <p class="empty">Loading…</p>
  if (works.length === 0)
    return <p class="empty">No images or videos yet. Those made in session {session} appear here.</p>
  const end = Math.max(shown, at + 1)
  return (
    <div class="sheet wide">
      <h1>Images and videos in session {session}</h1>
      <ul class="gallery">
        {works.slice(0, end).map((work) => (
          <Card key={work.id} work={work} session={session} isChosen={work.id === chosen} />
        ))}
      </ul>
      {works.length > end ? (
        <button type="button" onClick={() => setShown(end + pageSize)}>
          Show more ({works.length - end})
        </button>
      ) : null}
    </div>
  )
}

interface CardProps {
  readonly work: Work
  readonly session: string
  readonly isChosen: boolean
}

function Card({ work, session, isChosen }: CardProps): JSX.Element {
  const { noun, maker, status, files } = work
  const element = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  const label = nameOf(work)
  const prompt = maker?.prompt ?? ''
  const made = maker ?? makerOf(work, session)
  return (
    <li ref={element} class={isChosen ? 'work chosen' : 'work'} aria-current={isChosen ? 'true' : undefined}>
      <div class={`files many-${Math.min(files.length, 2)}`}>
        {files.length === 0 ? (
          <span class="no-file">{absenceOf(work)}</span>
        ) : (
          files.map((file, index) => (
            <MediaFileView
              key={file.query}
              file={file}
              session={session}
              label={files.length === 1 ? label : `${label}, ${index + 1} of ${files.length}`}
            />
          ))
        )}
      </div>
      <p class="prompt" title={prompt}>
        {prompt || noun}
      </p>
      <p class="facts-line">
        {made === undefined ? (
          'No request in the journal.'
        ) : (
          <a href={linkTo(['requests', session, String(made.seq)])}>
            {made.operation} #{made.seq}
          </a>
        )}
        {status === '' ? '' : ` ${status}`}
      </p>
      {maker === undefined || maker.uploads.length === 0 ? null : (
        <p class="facts-line">Uploaded for it: {maker.uploads.join(', ')}</p>
      )}
    </li>
  )
}

/** Why there is no file: only responses say which files a job has, except for videos. */
const absenceOf = ({ status, problem }: Work): string =>
  status === 'succeeded' ? 'Succeeded. Its files appear here once a client has polled it.' : problem || status

/** The request that made a work, where the page has not read its journal entry. */
const makerOf = ({ id }: Work, session: string): LiveCall | undefined =>
  calls.value.find(
    (call) =>
      call.session === session && call.cause.transitions.some((one) => one.id === id && one.from === null),
  )

const nameOf = ({ noun, maker }: Work): string =>
  maker === undefined
    ? noun
    : `${noun} #${maker.seq}${maker.prompt === '' ? '' : `: ${maker.prompt.slice(0, 60)}`}`

/** What a request showed does not change once its response has ended. */
const known = signal<ReadonlyMap<string, Seen>>(new Map())
const reading = new Set<string>()
let fresh: [string, Seen][] = []

/** Many entries arrive at once when the view is opened: the gallery is not drawn for each. */
function remember(key: string, seen: Seen): void {
  fresh.push([key, seen])
  if (fresh.length > 1) return
  setTimeout(() => {
    known.value = new Map([...known.value, ...fresh])
    fresh = []
  }, 100)
}

/** After a reset, `seq` and even request ids occur again. */
const keyOf = ({ session, seq, realAt, at }: LiveCall): string => `${session} ${seq} ${realAt ?? at}`

/** The requests that made or showed works. Their entries are read once. */
function useSeen(session: string): readonly Seen[] {
  const capabilities = useCapabilities()
  const draws = new Set(capabilities?.operations.filter((one) => one.draws).map(({ id }) => id))
  const wanted = calls.value
    .filter(
      (call) =>
        call.session === session &&
        call.ended !== 'open' &&
        statusOf(call) < 300 &&
        (call.cause.transitions.length > 0 || draws.has(call.operation ?? '')),
    )
    .slice(-maxRead)
  const last = wanted.at(-1)
  const newest = last === undefined ? '' : keyOf(last)
  useEffect(() => {
    if (capabilities === undefined) return
    for (const call of wanted) {
      const key = keyOf(call)
      if (reading.has(key)) continue
      reading.add(key)
      fetchEntry(call).then(
        (entry) => {
          if (entry === undefined) return
          remember(key, seenIn(entry, draws.has(call.operation ?? '')))
        },
        () => reading.delete(key),
      )
    }
  }, [capabilities, newest, wanted.length])
  const now = known.value
  return useMemo(() => wanted.flatMap((call) => now.get(keyOf(call)) ?? []), [now, newest, wanted.length])
}
