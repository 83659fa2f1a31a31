/** Values that cause a failure without a scenario, with a button that copies each. */
import type { JSX } from 'preact'
import type { ReservedCapability } from '../../generated/control-types.ts'
import { CopyButton } from '../copy-button.tsx'
import { useCapabilities } from '../follow.ts'
import { Prose } from '../prose.tsx'

const places: Readonly<Record<ReservedCapability['in'], string>> = {
  model: 'as the model',
  path: 'in the path of a file',
  key: 'in the API key',
}

export function ReservedValues(): JSX.Element | null {
  const list = useCapabilities()?.reserved ?? []
  // A saved page has none.
  if (list.length === 0) return null
  return (
    <section aria-labelledby="reserved">
      <h1 id="reserved">Reserved values</h1>
      <p class="hint">
        These values cause a failure without a scenario. In a prompt, write <code>[sim:rate-limit]</code>{' '}
        instead of the model <code>sim-rate-limit</code>. N is a number.
      </p>
      <details>
        <summary>Values ({list.length})</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Value</th>
                <th scope="col">Response</th>
                <th scope="col">Operations</th>
              </tr>
            </thead>
            <tbody>
              {list.map(({ value, in: place, description, operations }) => (
                <tr key={`${place} ${value}`}>
                  <th scope="row">
                    <code>{value}</code>{' '}
                    <CopyButton label="Copy" name={`Copy ${value}`} text={() => value.replace(/N$/, '3')} />
                  </th>
                  <td>
                    <Prose text={description} />, {places[place]}
                  </td>
                  <td>{operationsText(operations)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  )
}

const maxOperations = 3

function operationsText(operations: readonly string[]): string {
  const shown = operations.slice(0, maxOperations).join(', ')
  const more = operations.length - maxOperations
  return more > 0 ? `${shown} and ${more} more` : shown
}
