/** The fields of a request body with their types and limits. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Prose } from '../prose.tsx'
import { objectsIn, resolved, type Schema, type Schemas, valueWords } from './schema-words.ts'

interface FieldsProps {
  readonly schema: Schema
  readonly schemas: Schemas
  /** The name of the field that the address asks for. */
  readonly wanted?: string | undefined
}

export function Fields({ schema, schemas, wanted }: FieldsProps): JSX.Element {
  const { properties, required = [] } = resolved(schema, schemas)
  if (properties === undefined) return <Inner schema={schema} schemas={schemas} />
  return (
    <dl class="schema">
      {Object.entries(properties).map(([name, field]) => (
        <div key={name} class={name === wanted ? 'marked' : undefined} ref={name === wanted ? show : null}>
          <dt>
            <code>{name}</code> {required.includes(name) ? <strong>required</strong> : null}{' '}
            {valueWords(field, schemas)}
          </dt>
          <dd>
            <Prose text={field.description ?? resolved(field, schemas).description ?? ''} />
            <Inner schema={field} schemas={schemas} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'center' })

function Inner({ schema, schemas }: FieldsProps): JSX.Element {
  return (
    <>
      {objectsIn(schema, schemas).map(([title, inner], at) => (
        <Nested key={at} title={title} schema={inner} schemas={schemas} />
      ))}
    </>
  )
}

/** The fields of an object, which may contain itself: they are written when it opens. */
function Nested({ title, schema, schemas }: FieldsProps & { readonly title: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Fields of {title}</summary>
      {isOpen ? <Fields schema={schema} schemas={schemas} /> : null}
    </details>
  )
}
