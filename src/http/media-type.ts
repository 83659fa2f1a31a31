/** The media type that a header names. */

/** The type without parameters, in lower case; empty when there is none. */
export function mediaType(contentType: string | undefined): string {
  if (contentType === 'application/json') return contentType
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
