/**
 * The source that an answer cites when it may search the web: a line at its end, and an annotation for it.
 */
import type { Random } from '../../engine/random.ts'
import type { ScriptedCitation } from '../../protocol/script.ts'

export interface Annotation {
  readonly type: 'url_citation'
  /** The indices count UTF-16 units, so that `content.slice(start_index, end_index)` is the citation. */
  readonly url_citation: {
    readonly start_index: number
    readonly end_index: number
    readonly url: string
    readonly title: string
  }
}

export interface Citation {
  /** As it is in the text. */
  readonly text: string
  readonly url: string
  readonly title: string
}

const sources = [
  'Encyclopedia',
  'Daily Review',
  'Open Atlas',
  'Field Notes',
  'The Almanac',
  'City Gazette',
] as const

/**
 * What a script cites with its text from `start` to `end`. A citation in the words of this API stays as it
 * is; those of others, which name no address, are left out.
 */
export function annotationsAt(
  citations: readonly ScriptedCitation[],
  start: number,
  end: number,
): readonly Annotation[] {
  return citations.flatMap((written) => {
    if (written['type'] === 'url_citation') return [written as unknown as Annotation]
    const { url, title } = written
    if (typeof url !== 'string') return []
    return [
      {
        type: 'url_citation',
        url_citation: {
          start_index: start,
          end_index: end,
          url,
          title: typeof title === 'string' ? title : url,
        },
      },
    ]
  })
}

/** A made-up source under a domain that is set aside for examples. */
export function citationFrom(random: Random): Citation {
  const title = random.pick(sources)
  const host = `${title.toLowerCase().replaceAll(' ', '-')}.example.com`
  const url = `https://${host}/articles/${random.hex(8)}`
  return { text: `([${host}](${url}))`, url, title }
}

/**
 * The annotation of the citation at the end of a text; none when a limit or a stop sequence has cut it off.
 */
export function annotate(text: string, { text: cited, url, title }: Citation): readonly Annotation[] {
  if (!text.endsWith(cited)) return []
  return [
    {
      type: 'url_citation',
      url_citation: { start_index: text.length - cited.length, end_index: text.length, url, title },
    },
  ]
}
