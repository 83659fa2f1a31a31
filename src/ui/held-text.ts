/** The text of a held response as it can be edited: JSON with line breaks, which are not sent. */

const compact = (text: string): string | undefined => {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return undefined
  }
}

export const isJson = (text: string): boolean => compact(text) !== undefined

/** JSON with line breaks, if nothing is lost; other texts as they are. */
export const asShown = (sent: string): string =>
  compact(sent) === sent ? JSON.stringify(JSON.parse(sent), null, 2) : sent

/** The edited text in the form of the original; invalid JSON is sent as it was written. */
export const asSent = (edited: string, original: string): string =>
  (compact(original) === original ? compact(edited) : undefined) ?? edited
