/** One operation of the contract: what it does, an example as a curl command, and its fields. */
import type { JSX } from 'preact'
import { baseUrl, quoted } from '../calls/copy.ts'
import { CopyButton } from '../copy-button.tsx'
import { Prose } from '../prose.tsx'
import { linkTo } from '../route.ts'
import type { Operation } from './document.ts'
import { Fields } from './fields.tsx'

interface OperationPageProps {
  readonly operation: Operation
  /** The field that the address asks for. */
  readonly field: string | undefined
}

export function OperationPage({ operation, field }: OperationPageProps): JSX.Element {
  const { id, method, path, summary, description, bodies } = operation
  const [body] = bodies
  const example = exampleOf(operation)
  return (
    <article class="detail" aria-label={id}>
      <a class="close" href={linkTo(['contract'])} aria-label="Close">
        ×
      </a>
      <h1>{id}</h1>
      <p class="path">
        {method} {path}
      </p>
      <p>
        <strong>{summary}.</strong> <Prose text={description.replace(/\n\nSource:[\s\S]*$/, '')} />
      </p>
      {example === undefined ? null : (
        <section aria-label="Example">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre tabIndex={0}>{example}</pre>
          <CopyButton label="Copy as curl" text={() => asCurl(operation, example)} />
        </section>
      )}
      {body?.schema.$ref === undefined ? null : (
        <section aria-labelledby="fields">
          <h2 id="fields">Fields</h2>
          <Fields {...body} wanted={field} />
        </section>
      )}
    </article>
  )
}

/** The first example of a JSON body. */
function exampleOf({ bodies }: Operation): string | undefined {
  const json = bodies.find(({ type }) => type === 'application/json')
  const [example] = Object.values(json?.examples ?? {})
  return example === undefined ? undefined : JSON.stringify(example.value, null, 2)
}

function asCurl({ method, path, keyHeader }: Operation, example: string): string {
  const key = keyHeader === 'authorization' ? 'authorization: Bearer sk-test' : `${keyHeader}: sk-test`
  const lines = [`curl -X ${method} ${quoted(baseUrl() + path)}`]
  if (keyHeader !== undefined) lines.push(`-H ${quoted(key)}`)
  lines.push(`-H ${quoted('content-type: application/json')}`, `--data-binary ${quoted(example)}`)
  return lines.join(' \\\n  ')
}
