/** Headers as node keeps them: names and values in turn, as they were sent. */

/** What concerns one connection and not the call (RFC 9110 section 7.6.1), but for how the body is framed. */
const ofConnection: readonly string[] = ['connection', 'keep-alive', 'proxy-connection', 'upgrade']

/** Names with their values. */
export function inPairs(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string])
  return pairs
}

/** The same with names in lower case. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  return inPairs(raw).map(([name, value]) => [name.toLowerCase(), value])
}

/** Without what concerns the connection they came by, and with other values for some names (or none). */
export function passedOn(
  raw: readonly string[],
  changes: Readonly<Record<string, string | undefined>> = {},
): string[] {
  const pairs = pairsOf(raw)
  const named = pairs
    .filter(([name]) => name === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== 'te')
  return pairs.flatMap(([name, value], at) => {
    if (ofConnection.includes(name) || named.includes(name)) return []
    const kept = name in changes ? changes[name] : value
    return kept === undefined ? [] : [raw[at * 2] as string, kept]
  })
}
