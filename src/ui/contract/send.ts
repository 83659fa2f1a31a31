/** Sends a request, and tells what arrives of the response as it comes. */

export interface Received {
  readonly state: 'waiting' | 'reading' | 'ended' | 'stopped' | 'failed'
  readonly status: number
  readonly statusText: string
  readonly headers: readonly (readonly [string, string])[]
  readonly text: string
  /** An image, a video or audio. */
  readonly media: Blob | undefined
  /** Why there is no response, or no more of it. */
  readonly error: string
}

const nothing: Received = {
  ...{ state: 'waiting', status: 0, statusText: '', headers: [], text: '', media: undefined, error: '' },
}

export async function sendRequest(
  url: string,
  { body, ...init }: Omit<RequestInit, 'body'> & { readonly body: BodyInit | undefined },
  tell: (received: Received) => void,
): Promise<void> {
  let received = nothing
  const change = (part: Partial<Received>): void => {
    received = { ...received, ...part }
    tell(received)
  }
  change({})
  try {
    const response = await fetch(url, {
      ...init,
      ...(body === undefined ? {} : { body }),
      // As a client sends it: the log of the server shows the request.
      referrerPolicy: 'no-referrer',
    })
    const { status, statusText } = response
    change({ state: 'reading', status, statusText, headers: [...response.headers] })
    if (/^(?:image|video|audio)\//.test(response.headers.get('content-type') ?? ''))
      return change({ state: 'ended', media: await response.blob() })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      change({ text: received.text + next.value })
    change({ state: 'ended' })
  } catch (error) {
    change({ state: 'failed', error: (error as Error).message })
  }
}

/** A small PNG, for a file field in which no file was chosen. */
export async function sampleFile(name: string): Promise<File> {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: 256, height: 256 })
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.fillStyle = '#0b6e69'
  context.fillRect(48, 48, 160, 160)
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  return new File([blob as Blob], name, { type: 'image/png' })
}
