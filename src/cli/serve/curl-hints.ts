/** Three curl commands to try a server that has just started. */

export interface ServerAddress {
  /** Without a trailing slash. */
  readonly url: string
  /** An API key that the server accepts. */
  readonly key: string
  /** The path prefix of the control API; undefined if it is off. */
  readonly controlPrefix: string | undefined
  /** As a shell shall read it in double quotes: a generated token, a variable, or what to put there. */
  readonly controlToken: string | undefined
}

/** The lines, with a heading. */
export function curlHints({ url, key, controlPrefix, controlToken }: ServerAddress): string {
  const auth = `-H 'authorization: Bearer ${key}'`
  const chat = (model: string): string =>
    [
      `curl ${url}/v1/chat/completions ${auth} -H 'content-type: application/json'`,
      `-d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`,
    ].join(' ')
  const token = controlToken === undefined ? '' : ` -H "x-sim-token: ${controlToken}"`
  const lines = [
    chat('gpt-4o'),
    chat('sim-rate-limit'),
    controlPrefix === undefined
      ? `curl ${url}/v1/models ${auth}`
      : `curl ${url}${controlPrefix}/journal${token}`,
  ]
  return `Try:\n${lines.map((line) => `  ${line}\n`).join('')}`
}
