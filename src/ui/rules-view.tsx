/** What decides responses: overrides, and the scenarios in use with the counts of each rule. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { OverrideState, RuleUsage, ScenarioUsage } from '../generated/control-types.ts'
import { control, saved } from './api.ts'
import { useFollowed } from './reads.ts'
import { linkTo } from './route.ts'
import { acting, attempt } from './state.ts'

export function RulesView(): JSX.Element {
  return (
    <div class="sheet">
      <Scenarios />
      <Overrides />
    </div>
  )
}

function Scenarios(): JSX.Element {
  const { value, reload } = useFollowed<{ readonly scenarios: readonly ScenarioUsage[] }>('scenarios')
  const switchRule = async (id: string, enabled: boolean): Promise<boolean> => {
    const path = `rules/${encodeURIComponent(id)}`
    const state = await attempt(control<object>(acting.value, 'POST', path, { enabled }))
    reload()
    return state !== undefined
  }
  return (
    <section>
      <h1>Scenarios</h1>
      {value?.scenarios.length === 0 ? (
        <p>No scenarios: every request gets a default response, unless an override applies.</p>
      ) : null}
      {value?.scenarios.map(({ name, title, of, rules }) => (
        <article key={`${of} ${name}`} aria-label={title}>
          <h2>{title}</h2>
          <p class="soft">
            {name}, {of === 'session' ? 'of this session' : 'of the server, in every session'}
          </p>
          <table>
            <thead>
              <tr>
                <th>Rule</th>
                <th>Matched</th>
                <th>Answered</th>
                <th>On</th>
              </tr>
            </thead>
            <tbody>
              {rules.map((rule) => (
                <Rule key={`${rule.id} ${rule.enabled}`} rule={rule} change={switchRule} />
              ))}
            </tbody>
          </table>
        </article>
      ))}
    </section>
  )
}

interface RuleProps {
  readonly rule: RuleUsage
  /** Whether it has worked. */
  change(id: string, enabled: boolean): Promise<boolean>
}

function Rule({ rule: { id, matched, answered, enabled }, change }: RuleProps): JSX.Element {
  // A reading that began before the change must not undo it.
  const [isOn, setOn] = useState(enabled)
  const switchTo = async (next: boolean): Promise<void> => {
    setOn(next)
    if (!(await change(id, next))) setOn(enabled)
  }
  return (
    <tr>
      <td>
        <code>{id}</code>
      </td>
      <td>{matched}</td>
      <td>
        {answered === 0 ? (
          <span class="warn">unused</span>
        ) : (
          <a href={linkTo(['requests'], { q: id })}>{answered}</a>
        )}
      </td>
      <td>
        <input
          type="checkbox"
          aria-label={`Rule ${id} is on`}
          checked={isOn}
          disabled={saved !== undefined}
          onChange={({ currentTarget }) => switchTo(currentTarget.checked)}
        />
      </td>
    </tr>
  )
}

function Overrides(): JSX.Element | null {
  const { value, reload } = useFollowed<{ readonly overrides: readonly OverrideState[] }>('overrides')
  const remove = async (id: string): Promise<void> => {
    await attempt(control(acting.value, 'DELETE', `overrides/${encodeURIComponent(id)}`))
    reload()
  }
  const list = value?.overrides ?? []
  return (
    <section>
      <h1>Overrides</h1>
      <p>
        {list.length === 0
          ? 'None. `POST /__sim/overrides` adds rules that apply before all scenarios.'
          : 'They apply before all scenarios, the latest first.'}
      </p>
      <ul>
        {list.map(({ id, when, then, left, answered }) => (
          <li key={id}>
            <code>{id}</code> {left === 0 ? 'used up' : 'active'}, {answered} answered
            {left === null ? '' : `, ${left} left`}: <code>{JSON.stringify({ when, then })}</code>{' '}
            {saved === undefined ? (
              <button type="button" aria-label={`Remove ${id}`} onClick={() => void remove(id)}>
                Remove
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  )
}
