/** The base URL of a server, as flags give it. */

/**
 * As the paths of the operations follow it: without the `/v1` that SDKs need. Undefined for what is no
 * http(s) address, or more than one.
 */
export function parseBaseUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  )
    return undefined
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, '')
}
