/**
 * Invalid calls, made from a valid one: each reaches a rejection that the operation documents. The responses
 * of a simulator are the list of an operation's rejections.
 */
import type { Route } from '../../src/protocol/router.ts'
import { reservedMissingModel, reservedWords } from '../../src/scenario/reserved/words.ts'
import type { ExampleCall, Recorded } from './notes.ts'

/** A body limit, in bytes, that an example can exceed. */
export const smallLimit = 64 * 1024

export interface Temptation {
  readonly call: ExampleCall
  /**
   * The expected status, if the call needs a simulator with small limits (`smallLimit`, one request a
   * minute).
   */
  readonly only?: 413 | 429 | undefined
}

/** Invalid requests to an operation; only a few if the operation has no example of a valid one. */
export function temptations({ endpoint, group }: Route, right: Recorded | undefined): Temptation[] {
  const base: ExampleCall = right?.call ?? { name: '', summary: '' }
  const list: Temptation[] = []
  const tempt = (name: string, summary: string, change: Partial<ExampleCall>, only?: 413 | 429): void => {
    list.push({ call: { ...(hasBody(change) ? withoutBody(base) : base), ...change, name, summary }, only })
  }

  if (endpoint.body !== undefined) {
    if (endpoint.accepts.includes('json')) {
      tempt('empty-body', 'An empty object', { json: {} })
      tempt(
        'too-large',
        'A body over the limit',
        { raw: { type: 'application/json', text: ' '.repeat(smallLimit + 1) } },
        413,
      )
    } else if (endpoint.accepts.includes('form')) {
      tempt('empty-form', 'A form without the required fields', {
        form: { unknown: 'x' },
      })
      tempt('too-large', 'A form over the limit', { form: { unknown: ' '.repeat(smallLimit + 1) } }, 413)
    }
    tempt('wrong-type', 'An unsupported media type', { raw: { type: 'text/plain', text: 'hello' } })
  }
  for (const [name, value] of Object.entries(base.query ?? {}))
    tempt(`wrong-${name}`, `An invalid value for \`${name}\``, {
      query: { ...base.query, [name]: `not ${value}` },
    })
  for (const name of Object.keys(base.headers ?? {})) {
    const { [name]: _, ...others } = base.headers ?? {}
    tempt(`no-${name}`, `A request without the header ${name}`, { headers: others })
  }
  for (const [, name = ''] of endpoint.path.matchAll(/\{(\w+)\}/g)) {
    tempt(
      `unknown-${name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      `An unknown \`${name}\``,
      { params: { ...base.params, [name]: name === 'model' ? reservedMissingModel : 'unknown' } },
    )
  }
  if (endpoint.open !== true && group.credentials.length > 0) {
    tempt('no-key', 'A request without an API key', { key: null })
    tempt('forbidden', 'An API key without access', { key: 'sk-forbidden' })
  }
  // The second request in a minute that allows one.
  if (endpoint.open !== true && right !== undefined)
    for (let call = 0; call < 2; call++) tempt('too-many', 'More requests than the API key allows', {}, 429)
  for (const word of [reservedMissingModel, ...reservedWords.map((reserved) => reserved.word)]) {
    if (word.endsWith('-once')) continue
    const changed = withWord(endpoint, base, word.replace(/-N$/, '-1'))
    if (changed !== undefined)
      tempt(word, 'A reserved value (docs/start/failures-without-setup.md lists them)', changed)
  }
  if (right !== undefined && right.type !== '' && right.body === undefined) {
    tempt('part', 'The first 100 bytes', { headers: { ...base.headers, range: 'bytes=0-99' } })
    tempt('beyond', 'A range beyond the end of the file', {
      headers: { ...base.headers, range: 'bytes=999999999-' },
    })
  }
  return list
}

const hasBody = (change: Partial<ExampleCall>): boolean =>
  change.json !== undefined || change.form !== undefined || change.raw !== undefined

function withoutBody({ json: _, form: __, raw: ___, ...call }: ExampleCall): ExampleCall {
  return call
}

/** The call with a reserved value as its model in the path or body, else in its prompt. */
function withWord(
  endpoint: Route['endpoint'],
  base: ExampleCall,
  word: string,
): Partial<ExampleCall> | undefined {
  const model = word === reservedMissingModel ? word : `sim-${word}`
  if (base.params?.['model'] !== undefined && endpoint.promptOf !== undefined)
    return { params: { ...base.params, model } }
  if (base.form?.['model'] !== undefined) return { form: { ...base.form, model } }
  if (base.json === null || typeof base.json !== 'object') return undefined
  const body = base.json as Readonly<Record<string, unknown>>
  if (typeof body['model'] === 'string') return { json: { ...body, model } }
  const prompt = endpoint.promptOf?.(body)
  if (typeof prompt !== 'string' || word === reservedMissingModel) return undefined
  return {
    json: JSON.parse(JSON.stringify(body), (_, value: unknown) =>
      value === prompt ? `${prompt} [sim:${word}]` : value,
    ),
  }
}
