/** An image or a video. An image is loaded once it is in sight, a video when it is played. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { controlUrl, headersFor, saved } from '../api.ts'
import type { MediaFile } from './works.ts'

interface MediaFileProps {
  readonly file: MediaFile
  readonly session: string
  readonly label: string
}

export function MediaFileView({ file, session, label }: MediaFileProps): JSX.Element {
  const { type, query, poster } = file
  const [isPlaying, setPlaying] = useState(false)
  if (saved !== undefined) return <span class="no-file">The saved file has no images and videos.</span>
  if (type === 'image') return <Loaded query={query} session={session} label={label} />
  if (isPlaying) return <Loaded query={query} session={session} label={label} video />
  return (
    <div class="poster">
      {poster === undefined ? null : <Loaded query={poster} session={session} label={label} />}
      <button type="button" aria-label={`Play ${label}`} onClick={() => setPlaying(true)}>
        ▶ Play
      </button>
    </div>
  )
}

interface LoadedProps {
  readonly query: string
  readonly session: string
  readonly label: string
  readonly video?: boolean
}

/** The file as a `blob:` URL: a plain URL could not send the headers of the session and the token. */
function Loaded({ query, session, label, video = false }: LoadedProps): JSX.Element {
  const [url, setUrl] = useState<string>()
  const [problem, setProblem] = useState('')
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    let made: string | undefined
    let isGone = false
    const load = async (): Promise<void> => {
      const response = await fetch(controlUrl(`media?${query}`), { headers: headersFor(session) })
      if (!response.ok) {
        const { detail } = (await response.json().catch(() => ({}))) as { readonly detail?: string }
        return setProblem(detail ?? `The server responded with ${response.status}.`)
      }
      const blob = await response.blob()
      if (!isGone) setUrl((made = URL.createObjectURL(blob)))
    }
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      watcher.disconnect()
      load().catch((error: Error) => setProblem(error.message))
    })
    if (place.current !== null) watcher.observe(place.current)
    return () => {
      isGone = true
      watcher.disconnect()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [query, session])
  if (problem !== '') return <span class="no-file">{problem}</span>
  if (url === undefined)
    return (
      <span class="no-file" ref={place}>
        Loading
      </span>
    )
  if (!video)
    return (
      <a href={url} target="_blank" rel="noreferrer">
        <img src={url} alt={label} />
      </a>
    )
  return (
    // biome-ignore lint/a11y/useMediaCaption: nobody speaks in these videos
    <video src={url} controls autoplay aria-label={label} />
  )
}
