/** Faults by override: ready ones, a form that knows every fault, and the list with what is left of each. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Capabilities, FaultCapability, OverrideState } from '../../generated/control-types.ts'
import { type ControlFailure, control, saved } from '../api.ts'
import { useCapabilities, useFollowed } from '../follow.ts'
import { Prose } from '../prose.tsx'
import { linkTo } from '../route.ts'
import { acting } from '../state.ts'
import {
  inGroups,
  leftText,
  type OverrideBody,
  optionTitle,
  overrideOf,
  overrideText,
  partTitles,
  presetsOf,
  usualText,
} from './faults.ts'
import { Problems } from './problems.tsx'

export function BreakSomething(): JSX.Element {
  const capabilities = useCapabilities()
  const { value, reload } = useFollowed<{ readonly overrides: readonly OverrideState[] }>('overrides')
  const [failure, setFailure] = useState<ControlFailure>()
  const change = async (method: 'POST' | 'DELETE', path: string, body?: OverrideBody): Promise<void> => {
    try {
      setFailure(undefined)
      await control(acting.value, method, path, body)
    } catch (error) {
      setFailure(error as ControlFailure)
    }
    reload()
  }
  const add = (body: OverrideBody) => change('POST', 'overrides', body)
  return (
    <section aria-labelledby="break">
      <h1 id="break">{saved === undefined ? 'Break something' : 'Overrides'}</h1>
      <p class="hint">
        Overrides apply to session {acting.value} before all rules, the latest override first.
      </p>
      {capabilities === undefined ? null : (
        <>
          <fieldset class="presets" aria-label="Common failures">
            {presetsOf(capabilities).map(({ label, body }) => (
              <button key={label} type="button" onClick={() => add(body)}>
                {label}
              </button>
            ))}
          </fieldset>
          <FaultForm capabilities={capabilities} onSubmit={add} />
        </>
      )}
      <Problems failure={failure} />
      <Overrides list={value?.overrides ?? []} remove={(path) => change('DELETE', path)} />
    </section>
  )
}

function Overrides({
  list,
  remove,
}: {
  readonly list: readonly OverrideState[]
  remove(path: string): void
}): JSX.Element {
  if (list.length === 0) return <p class="hint">No overrides.</p>
  return (
    <>
      <h2>
        Overrides{' '}
        <button type="button" onClick={() => remove('overrides')}>
          Remove all
        </button>
      </h2>
      <ul class="overrides" aria-live="polite">
        {list.map((override) => (
          <li key={override.id} class={override.live ? 'live' : 'spent'}>
            <span class="left">{leftText(override)}</span>
            <span class="text">
              <code>{override.id}</code> <OverrideText override={override} />
            </span>
            {override.answered > 0 ? <a href={linkTo(['requests'], { q: override.id })}>Requests</a> : null}
            <button
              type="button"
              aria-label={`Remove ${override.id}`}
              onClick={() => remove(`overrides/${encodeURIComponent(override.id)}`)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The most operations shown of an override. */
const maxOperations = 3

function OverrideText({ override }: { readonly override: OverrideState }): JSX.Element {
  const [short, whole] = [overrideText(override, maxOperations), overrideText(override)]
  if (short === whole) return <>{whole}</>
  return (
    <details>
      <summary>{short}</summary>
      {whole}
    </details>
  )
}

interface FaultFormProps {
  readonly capabilities: Capabilities
  onSubmit(body: OverrideBody): void
}

function FaultForm({ capabilities, onSubmit }: FaultFormProps): JSX.Element {
  const { operations } = capabilities
  const faults = inGroups(capabilities.faults)
  const [operation, setOperation] = useState('')
  const [name, setName] = useState(faults[0]?.name ?? '')
  const [options, setOptions] = useState<Readonly<Record<string, string>>>({})
  const [nth, setNth] = useState('')
  const [times, setTimes] = useState('1')
  const [ttl, setTtl] = useState('')
  const possible = faults.filter((one) => operation === '' || one.operations.includes(operation))
  const fault = possible.find((one) => one.name === name) ?? possible[0]
  return (
    <form
      class="fault-form"
      aria-label="An override with a fault"
      onSubmit={(event) => {
        event.preventDefault()
        if (fault !== undefined)
          onSubmit(overrideOf(fault, { operation, options, nth, times, ttl }, capabilities))
      }}
    >
      <div class="fields">
        <label>
          Operation{' '}
          <select value={operation} onChange={({ currentTarget }) => setOperation(currentTarget.value)}>
            <option value="">All affected operations</option>
            {operations.map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
        <FaultPicker
          faults={possible}
          name={fault?.name ?? ''}
          onPick={(picked) => {
            setName(picked)
            setOptions({})
          }}
        />
        <label>
          Only the Nth request{' '}
          <input
            type="number"
            min="1"
            placeholder="every"
            value={nth}
            onInput={({ currentTarget }) => setNth(currentTarget.value)}
          />
        </label>
        <label>
          Number of requests{' '}
          <input
            type="number"
            min="1"
            placeholder="no limit"
            disabled={nth !== ''}
            value={nth === '' ? times : '1'}
            onInput={({ currentTarget }) => setTimes(currentTarget.value)}
          />
        </label>
        <label>
          Expires after, seconds{' '}
          <input
            placeholder="never"
            size={6}
            value={ttl}
            onInput={({ currentTarget }) => setTtl(currentTarget.value)}
          />
        </label>
        {Object.entries(fault?.options ?? {}).map(([option, schema]) => (
          <OptionField
            key={`${fault?.name} ${option}`}
            name={option}
            schema={schema}
            value={options[option] ?? ''}
            onChange={(text) => setOptions({ ...options, [option]: text })}
          />
        ))}
        <button type="submit">Add override</button>
      </div>
      <p class="hint">
        {fault === undefined ? 'No fault affects this operation.' : <Prose text={seenBy(fault)} />}
      </p>
    </form>
  )
}

const seenBy = ({ description, part }: FaultCapability): string =>
  `${description}${part === 'stream' ? ' Waits for a request with stream: true.' : ''}`

function FaultPicker({
  faults,
  name,
  onPick,
}: {
  readonly faults: readonly FaultCapability[]
  readonly name: string
  onPick(name: string): void
}): JSX.Element {
  const parts = [...new Set(faults.map(({ part }) => part))]
  return (
    <label>
      Fault{' '}
      <select value={name} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
        {parts.map((part) => (
          <optgroup key={part} label={partTitles[part]}>
            {faults
              .filter((fault) => fault.part === part)
              .map((fault) => (
                <option key={fault.name}>{fault.name}</option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

interface OptionFieldProps {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly value: string
  onChange(text: string): void
}

function OptionField({ name, schema, value, onChange }: OptionFieldProps): JSX.Element {
  const { description, default: preset, enum: choices, type } = schema
  const usual = preset === undefined ? 'none' : usualText(preset, schema)
  const id = `option-${name}`
  const title = optionTitle(name, schema)
  return (
    <div class="field" title={String(description ?? '')}>
      <label for={id}>
        {title} {title.toLowerCase() === name ? null : <code>{name}</code>}
      </label>
      {Array.isArray(choices) ? (
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">{usual} (default)</option>
          {choices
            .filter((choice) => choice !== preset)
            .map((choice) => (
              <option key={String(choice)}>{String(choice)}</option>
            ))}
        </select>
      ) : (
        <input
          id={id}
          type={type === 'integer' || type === 'number' ? 'number' : 'text'}
          step={type === 'number' ? 'any' : undefined}
          size={10}
          placeholder={usual}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </div>
  )
}
