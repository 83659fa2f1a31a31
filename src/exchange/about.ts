/** What tells a request from others of its operation, in a few words for lists. */
import { isFields, jsonIn } from '../engine/fields.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { clip } from '../protocol/wording.ts'
import { escapeControls } from '../text/printable.ts'
import { pathParams } from './path-params.ts'

interface Named {
  readonly request: {
    readonly url: string
    readonly body?: { readonly text?: string | undefined } | undefined
  }
}

const maxLength = { subject: 60, model: 40 } as const

/**
 * The beginning of the prompt, the path of the file or the id of the job, then the model: `A fox · sora-2`.
 * Of a body that the journal has cut, nothing.
 */
export function aboutOf({ request }: Named, endpoint: Endpoint | undefined): string {
  if (endpoint === undefined) return ''
  const text = request.body?.text
  const params = pathParams(request.url, endpoint.path) ?? {}
  const value = jsonIn(text)
  const body = isFields(value) ? value : formIn(text)
  const prompt = endpoint.promptOf?.(body)
  const subject =
    typeof prompt === 'string' && prompt !== ''
      ? prompt
      : (endpoint.filePathOf?.(body, params) ??
        endpoint.job?.concerns?.id(params, body) ??
        Object.values(params)[0])
  const model = shortText(body['model'] ?? params['model'], maxLength.model)
  const words = [shortText(subject, maxLength.subject), model]
  return [...new Set(words)].filter((word) => word !== '').join(' · ')
}

/** In one line. Prompts may be long: only their beginning is read. */
function shortText(value: unknown, length: number): string {
  if (typeof value !== 'string') return ''
  const start = value.trimStart().slice(0, 4 * length)
  return clip(escapeControls(start.trimEnd().replaceAll(/\s+/g, ' ')), length)
}

/** The fields of a form, as the journal writes it, even if it is cut. Of cut JSON, the model. */
function formIn(text = ''): Readonly<Record<string, unknown>> {
  const model = /^\s*\{.*?"model"\s*:\s*"([^"\\]{1,40})"/s.exec(text)?.[1]
  const fields: Record<string, unknown> = model === undefined ? {} : { model }
  for (const [, name = '', value] of text.matchAll(/\{"name":"(\w+)","value":("(?:[^"\\]|\\.)*")\}/g))
    fields[name] = jsonIn(value)
  return fields
}
