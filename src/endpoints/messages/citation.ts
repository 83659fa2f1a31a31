/** What a script cites, in the words of this API. */
import type { ScriptedCitation } from '../../protocol/script.ts'
import type { Citation } from './output.ts'

/**
 * An address becomes a result of a web search; a citation in the words of this API stays as it is, and one of
 * another API is left out.
 */
export function citationsOf(written: readonly ScriptedCitation[]): readonly Citation[] {
  return written.flatMap((citation): readonly Citation[] => {
    const { type, url, title, cited_text } = citation
    if (type !== undefined) return type === 'url_citation' ? [] : [citation]
    return [
      {
        type: 'web_search_result_location',
        url,
        title: title ?? null,
        cited_text: cited_text ?? '',
        encrypted_index: '',
      },
    ]
  })
}
