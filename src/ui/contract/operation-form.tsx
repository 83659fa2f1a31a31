/** A form that fills in a request of an operation, and sends it. */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SessionState } from '../../generated/control-types.ts'
import { control, controlUrl, headersFor } from '../api.ts'
import { baseUrl } from '../calls/copy.ts'
import { CopyButton } from '../copy-button.tsx'
import { Prose } from '../prose.tsx'
import { linkTo } from '../route.ts'
import { acting } from '../state.ts'
import {
  asCurl,
  bodyOf,
  type Filled,
  type FormField,
  filledWith,
  headersOf,
  type Operation,
  uploadUrl,
  urlOf,
} from './document.ts'
import { Fields } from './fields.tsx'
import { ResponseView } from './response-view.tsx'
import { type Received, sampleFile, sendRequest } from './send.ts'

/** An API key that is valid in every session with the default settings. */
const usualKey = 'sk-test'

interface FormProps {
  readonly operation: Operation
  /** The field that the address asks for. */
  readonly field: string | undefined
}

export function OperationForm({ operation, field }: FormProps): JSX.Element {
  const [filled, setFilled] = useState(() => filledWith(operation, usualKey))
  const [received, setReceived] = useState<Received>()
  const files = useRef(new Map<number, File>())
  const stop = useRef<AbortController>()
  const session = acting.value
  useEffect(() => {
    control<SessionState>(undefined, 'GET', `sessions/${session}`).then(
      ({ apiKey }) => {
        const { headers } = filledWith(operation, apiKey)
        setFilled((before) => ({ ...before, headers: { ...before.headers, ...headers } }))
      },
      // The session begins with its first request.
      () => undefined,
    )
  }, [session])
  useEffect(() => () => stop.current?.abort(), [])
  const body = operation.bodies.find(({ type }) => type === filled.type)
  const isControl = operation.path.startsWith('/__sim/')
  const prefix = controlUrl('').slice(baseUrl().length).replace(/\/$/, '')
  const url = urlOf(operation, filled, prefix)
  // An upload URL selects its session.
  const isNamed = session !== 'default' && filled.parameters[uploadUrl] === undefined
  const named = isNamed ? { 'x-sim-session': session } : {}
  const headers = { ...headersOf(filled), ...(isControl ? headersFor(session) : named) }
  const send = async (): Promise<void> => {
    stop.current?.abort()
    stop.current = new AbortController()
    const { signal } = stop.current
    const sent = await bodyToSend(filled, files.current)
    await sendRequest(url, { method: operation.method, headers, signal, body: sent }, (next) => {
      if (!signal.aborted) setReceived(next)
    })
  }
  const cancel = (): void => {
    stop.current?.abort()
    setReceived((before) => before && { ...before, state: 'stopped' })
  }
  return (
    <article class="detail" aria-label={operation.id}>
      <a class="close" href={linkTo(['contract'])} aria-label="Close">
        ×
      </a>
      <h1>{operation.id}</h1>
      <p class="path">
        {operation.method} {operation.path}
      </p>
      <p>
        <strong>{operation.summary}.</strong>{' '}
        <Prose text={operation.description.replace(/\n\nSource:[\s\S]*$/, '')} />
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <Inputs operation={operation} filled={filled} onChange={setFilled} />
        <Body operation={operation} filled={filled} files={files.current} onChange={setFilled} />
        <div class="copies">
          <button type="submit">Send</button>
          <CopyButton label="Copy as curl" text={() => asCurl(operation, filled, { url, headers })} />
          {received?.state === 'waiting' || received?.state === 'reading' ? (
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          ) : null}
        </div>
      </form>
      {received === undefined ? null : <ResponseView received={received} />}
      {body?.schema.$ref === undefined ? null : (
        <section aria-labelledby="fields">
          <h2 id="fields">Fields</h2>
          <Fields {...body} wanted={field} />
        </section>
      )}
    </article>
  )
}

async function bodyToSend(
  { type, text, file, fields }: Filled,
  files: ReadonlyMap<number, File>,
): Promise<BodyInit | undefined> {
  if (type !== 'multipart/form-data') return file ?? (text === '' ? undefined : text)
  const form = new FormData()
  for (const [at, { name, text: value, fileName }] of fields.entries())
    if (fileName !== undefined) form.append(name, files.get(at) ?? (await sampleFile(fileName)))
    else if (value !== '') form.append(name, value)
  return form
}

interface PartProps {
  readonly operation: Operation
  readonly filled: Filled
  onChange(filled: Filled): void
}

function Inputs({ operation, filled, onChange }: PartProps): JSX.Element {
  const described = new Map(operation.parameters.map((one) => [one.name, one.description ?? '']))
  const rows = (['parameters', 'headers'] as const).flatMap((part) =>
    Object.entries(filled[part]).map(([key, value]) => ({ part, key, value })),
  )
  return (
    <div class="inputs">
      {rows.map(({ part, key, value }) => {
        const name = key.replace(/^\S+ /, '')
        return (
          <label key={key} title={described.get(name)}>
            <span>
              {name} <em>{part === 'headers' ? 'header' : key.slice(0, key.indexOf(' '))}</em>
            </span>
            <input
              value={value}
              spellcheck={false}
              autocomplete="off"
              required={key === uploadUrl}
              placeholder={key === uploadUrl ? 'from the response of files.createUploadUrl' : undefined}
              onInput={({ currentTarget }) =>
                onChange({ ...filled, [part]: { ...filled[part], [key]: currentTarget.value } })
              }
            />
          </label>
        )
      })}
    </div>
  )
}

function Body({
  operation: { bodies },
  filled,
  files,
  onChange,
}: PartProps & { readonly files: Map<number, File> }): JSX.Element | null {
  const body = bodies.find(({ type }) => type === filled.type)
  if (body === undefined) return null
  const use = (type: string, example?: string): void => {
    const next = bodies.find((one) => one.type === type)
    files.clear()
    onChange({ ...filled, ...bodyOf(next, example ?? Object.keys(next?.examples ?? {})[0]) })
  }
  return (
    <>
      <div class="fields">
        {bodies.length > 1 ? (
          <label>
            Media type
            <select value={body.type} onChange={({ currentTarget }) => use(currentTarget.value)}>
              {bodies.map(({ type }) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          </label>
        ) : null}
        {Object.keys(body.examples).length > 1 ? (
          <label>
            Example
            <select onChange={({ currentTarget }) => use(body.type, currentTarget.value)}>
              {Object.entries(body.examples).map(([name, { summary }]) => (
                <option key={name} value={name}>
                  {summary ?? name}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
      {body.type === 'application/octet-stream' ? (
        <label class="block">
          File; default: the body below{' '}
          <input
            type="file"
            onChange={({ currentTarget }) => onChange({ ...filled, file: currentTarget.files?.[0] })}
          />
        </label>
      ) : null}
      {body.type === 'multipart/form-data' ? (
        <FormFields filled={filled} files={files} onChange={onChange} />
      ) : (
        <label class="block">
          Body, {body.type}
          <textarea
            rows={Math.min(18, filled.text.split('\n').length + 1)}
            spellcheck={false}
            value={filled.text}
            onInput={({ currentTarget }) => onChange({ ...filled, text: currentTarget.value })}
          />
        </label>
      )}
    </>
  )
}

function FormFields({
  filled,
  files,
  onChange,
}: Omit<PartProps, 'operation'> & { readonly files: Map<number, File> }): JSX.Element {
  const change = (at: number, field: FormField, text: string): void =>
    onChange({ ...filled, fields: filled.fields.with(at, { ...field, text }) })
  return (
    <div class="inputs">
      {filled.fields.map((field, at) => (
        <div class="input" key={`${at} ${field.name}`}>
          <label for={`field-${at}`}>
            {field.name} <em>{field.fileName === undefined ? 'field' : 'file; default: a small PNG'}</em>
          </label>
          {field.fileName === undefined ? (
            <input
              id={`field-${at}`}
              value={field.text}
              onInput={({ currentTarget }) => change(at, field, currentTarget.value)}
            />
          ) : (
            <input
              id={`field-${at}`}
              type="file"
              onChange={({ currentTarget }) => {
                const file = currentTarget.files?.[0]
                if (file === undefined) files.delete(at)
                else files.set(at, file)
              }}
            />
          )}
        </div>
      ))}
    </div>
  )
}
