/** Why the control API rejected something, error by error. */
import type { JSX } from 'preact'
import type { ControlFailure } from '../api.ts'
import { Prose } from '../prose.tsx'

export function Problems({ failure }: { readonly failure: ControlFailure | undefined }): JSX.Element | null {
  if (failure === undefined) return null
  const { message, errors = [] } = failure
  return (
    <div class="problems" role="alert">
      {errors.length === 0 ? (
        <p>
          <Prose text={message} />
        </p>
      ) : (
        <ul>
          {errors.map(({ field, detail }) => (
            <li key={`${field} ${detail}`}>
              {field === undefined || detail.includes(field) ? null : <code>{field}</code>}{' '}
              <Prose text={detail} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
