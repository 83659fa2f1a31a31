/** What decides responses: overrides, and the scenarios in use with the counts of each rule. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RuleUsage, ScenarioUsage } from '../../generated/control-types.ts'
import { control, saved } from '../api.ts'
import { useFollowed } from '../follow.ts'
import { linkTo } from '../route.ts'
import { acting, attempt } from '../state.ts'
import { BreakSomething } from './break-something.tsx'
import { ReservedValues } from './reserved-values.tsx'
import { UnmatchedRequests } from './unmatched-requests.tsx'

export function RulesView(): JSX.Element {
  return (
    <div class="sheet">
      <BreakSomething key={`break ${acting.value}`} />
      <Scenarios key={`scenarios ${acting.value}`} />
      <UnmatchedRequests />
      <ReservedValues />
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
    await attempt(control(acting.value, 'DELETE', `scenarios/${encodeURIComponent(name)}`))
    onChange()
  }
  const unused = rules.filter(({ answered }) => answered === 0).length
  return (
    <article class="scenario" aria-label={title}>
      <h2>
        {title}{' '}
        {of === 'session' && saved === undefined ? (
          <button type="button" onClick={remove} aria-label={`Remove the scenario ${name}`}>
            Remove
          </button>
        ) : null}
      </h2>
      <p class="hint">
        {name}, {of === 'session' ? 'of this session' : 'of the server, in every session'}.{' '}
        {unused === 0 ? 'All rules have responded.' : `${unused} of ${rules.length} rules unused.`}
      </p>
      {rules.length === 0 ? null : <Rules rules={rules} onChange={onChange} />}
    </article>
  )
}

interface RulesProps {
  readonly rules: readonly RuleUsage[]
  onChange(): void
}

function Rules({ rules, onChange }: RulesProps): JSX.Element {
  /** A change that the rules do not show yet: an older reading must not reset its checkbox. */
  const [changed, setChanged] = useState<{ readonly id: string; readonly enabled: boolean }>()
  useEffect(() => {
    // An effect may run after the next click, whose change it must not reset.
    if (changed !== undefined && rules.find(({ id }) => id === changed.id)?.enabled === changed.enabled)
      setChanged((now) => (now === changed ? undefined : now))
  }, [rules, changed])
  const change = async (id: string, enabled: boolean): Promise<void> => {
    const latest = { id, enabled }
    setChanged(latest)
    const sent = control(acting.value, 'POST', `rules/${encodeURIComponent(id)}`, { enabled })
    if ((await attempt(sent)) === undefined) setChanged((now) => (now === latest ? undefined : now))
    onChange()
  }
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th
              scope="col"
              title="Requests that no earlier rule answered. Rules with nth, first, after or every count all."
            >
              Matched
            </th>
            <th scope="col">Answered</th>
            <th scope="col">Use</th>
            <th scope="col">On</th>
          </tr>
        </thead>
        <tbody>
          {rules.map(({ id, matched, answered, enabled }) => (
            <tr key={id} class={enabled ? undefined : 'off'}>
              <th scope="row">
                <code>{id}</code>
              </th>
              <td>{matched}</td>
              <td>{answered}</td>
              <td>
                {answered > 0 ? (
                  <a href={linkTo(['requests'], { q: id })}>Requests</a>
                ) : (
                  <em class="unused">{matched > 0 ? 'matched only' : 'unused'}</em>
                )}
              </td>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Rule ${id} is on`}
                  checked={changed?.id === id ? changed.enabled : enabled}
                  disabled={saved !== undefined}
                  onChange={({ currentTarget }) => change(id, currentTarget.checked)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
