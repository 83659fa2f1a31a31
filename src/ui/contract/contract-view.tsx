/** The contract: every operation of the OpenAPI document. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { saved } from '../api.ts'
import { linkTo, route } from '../route.ts'
import { notice } from '../state.ts'
import { matches, type OpenapiDocument, type Operation, operationsOf } from './document.ts'
import { OperationPage } from './operation-page.tsx'

let reading: Promise<Operation[]> | undefined

function useOperations(): readonly Operation[] | undefined {
  const [value, setValue] = useState<readonly Operation[]>()
  useEffect(() => {
    if (saved !== undefined) return
    reading ??= fetch('openapi.json')
      .then((response) => response.json())
      .then((document: OpenapiDocument) => operationsOf(document))
    reading.then(setValue, () => {
      reading = undefined
      notice.value = 'The OpenAPI document could not be loaded.'
    })
  }, [])
  return value
}

export function ContractView(): JSX.Element {
  const operations = useOperations()
  const [filter, setFilter] = useState('')
  if (saved !== undefined) return <p class="empty">A saved trace does not include the contract.</p>
  if (operations === undefined) return <p class="empty">Loading the contract…</p>
  const [, id, field] = route.value.parts
  const open = operations.find((one) => one.id === id)
  const shown = operations.filter((one) => matches(one, filter))
  const groups = [...new Set(shown.map(({ group }) => group))]
  return (
    <div class={`calls contract ${open === undefined ? '' : 'with-detail'}`}>
      <div class="list">
        <div class="filters">
          <label class="hidden" for="operation-filter">
            Filter operations
          </label>
          <input
            id="operation-filter"
            type="search"
            placeholder="Filter operations"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
          <span role="status">
            {shown.length} of {operations.length}
          </span>
        </div>
        <nav class="operations" aria-label="Operations">
          {groups.map((group) => (
            <section key={group} aria-label={group}>
              <h2>{group}</h2>
              {shown
                .filter((one) => one.group === group)
                .map((one) => (
                  <a
                    key={one.id}
                    href={linkTo(['contract', one.id])}
                    aria-current={one.id === id ? 'true' : undefined}
                  >
                    <code>{one.method}</code> <strong>{one.id}</strong> <span>{one.path}</span>
                  </a>
                ))}
            </section>
          ))}
        </nav>
      </div>
      {open === undefined ? null : <OperationPage key={open.id} operation={open} field={field} />}
    </div>
  )
}
