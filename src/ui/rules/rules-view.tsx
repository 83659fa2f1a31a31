/** What decides responses: overrides, and the scenarios in use with the counts of each rule. */
import type { JSX } from 'preact'
import type { RuleUsage, ScenarioUsage } from '../../generated/control-types.ts'
import { control, saved } from '../api.ts'
import { EditorView } from '../editor/editor-view.tsx'
import { useFollowed } from '../follow.ts'
import { linkTo, route } from '../route.ts'
import { acting, notice } from '../state.ts'
import { BreakSomething } from './break-something.tsx'

export function RulesView(): JSX.Element {
  const [, action, file] = route.value.parts
  if (action !== undefined && saved === undefined) return <EditorView key={file} name={file} />
  return (
    <div class="sheet">
      <BreakSomething key={`break ${acting.value}`} />
      <Scenarios key={`scenarios ${acting.value}`} />
    </div>
  )
}

function Scenarios(): JSX.Element {
  const { value, reload } = useFollowed<{ readonly scenarios: readonly ScenarioUsage[] }>('scenarios')
  const list = value?.scenarios ?? []
  return (
    <section aria-labelledby="scenarios">
      <h1 id="scenarios">Scenarios</h1>
      {value !== undefined && list.length === 0 ? (
        <p class="hint">No scenarios: every request gets a default response, unless an override applies.</p>
      ) : null}
      {list.map((scenario) => (
        <Scenario key={`${scenario.of} ${scenario.name}`} scenario={scenario} onChange={reload} />
      ))}
      {saved === undefined ? <a href={linkTo(['rules', 'new'])}>New scenario</a> : null}
    </section>
  )
}

function Scenario({
  scenario: { name, title, of, rules },
  onChange,
}: {
  readonly scenario: ScenarioUsage
  onChange(): void
}): JSX.Element {
  const remove = async (): Promise<void> => {
    try {
      await control(acting.value, 'DELETE', `scenarios/${encodeURIComponent(name)}`)
    } catch (error) {
      notice.value = (error as Error).message
    }
    onChange()
  }
  const unused = rules.filter(({ answered }) => answered === 0).length
  return (
    <article class="scenario" aria-label={title}>
      <h2>
        {title}{' '}
        {saved === undefined ? (
          <a class="edit" href={linkTo(['rules', 'edit', name])} aria-label={`Edit ${name}`}>
            Edit
          </a>
        ) : null}{' '}
        {of === 'session' ? (
          <button type="button" onClick={remove} aria-label={`Remove the scenario ${name}`}>
            Remove
          </button>
        ) : null}
      </h2>
      <p class="hint">
        {name}, {of === 'session' ? 'of this session' : 'of the server, in every session'}.{' '}
        {unused === 0 ? 'All rules have answered.' : `${unused} of ${rules.length} rules unused.`}
      </p>
      {rules.length === 0 ? null : <Rules rules={rules} />}
    </article>
  )
}

function Rules({ rules }: { readonly rules: readonly RuleUsage[] }): JSX.Element {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Matched</th>
            <th scope="col">Answered</th>
            <th scope="col">Use</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ id, matched, answered }) => (
            <tr key={id}>
              <th scope="row">
                <code>{id}</code>
              </th>
              <td>{matched}</td>
              <td>{answered}</td>
              <td>
                {answered > 0 ? (
                  <a href={linkTo(['calls'], { q: id })}>Requests</a>
                ) : (
                  <em class="unused">{matched > 0 ? 'matched only' : 'unused'}</em>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
