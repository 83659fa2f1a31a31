/** A saved trial: the table of verdicts, and the requests of one run beside those of the healthy one. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { statusOf } from '../exchange/exchange.ts'
import type { TraceEntry } from '../trace/trace.ts'
import type { SavedRun, SavedTrial } from '../trace/trial.ts'
import { saved } from './api.ts'
import { CopyButton } from './copy-button.tsx'
import { linkTo, route } from './route.ts'

export function TrialView(): JSX.Element {
  const trial = saved?.trial
  if (trial === undefined) return <p class="empty">This file contains no trial.</p>
  const [, index] = route.value.parts
  const open = index === undefined ? undefined : trial.runs[Number(index)]
  return (
    <div class="sheet wide">
      <Table trial={trial} open={open} />
      {open === undefined ? null : <Run key={index} run={open} healthy={trial.healthy} />}
    </div>
  )
}

interface Column {
  readonly operation: string
  readonly nth: number | null
}

const columnsOf = (runs: readonly SavedRun[]): Column[] => {
  const operations = [...new Set(runs.map(({ operation }) => operation))]
  return operations.flatMap((operation) => {
    const numbers = new Set(runs.filter((run) => run.operation === operation).map(({ nth }) => nth))
    return [...numbers]
      .sort((a, b) => (a ?? Infinity) - (b ?? Infinity))
      .map((nth): Column => ({ operation, nth }))
  })
}

interface TableProps {
  readonly trial: SavedTrial
  readonly open: SavedRun | undefined
}

function Table({ trial: { runs, summary }, open }: TableProps): JSX.Element {
  const [onlyBad, setOnlyBad] = useState(false)
  const columns = columnsOf(runs)
  const isShown = (failure: string): boolean =>
    !onlyBad || runs.some((run) => run.failure === failure && !run.acceptable)
  const failures = [...new Set(runs.map(({ failure }) => failure))].filter(isShown)
  return (
    <section class="verdicts" aria-label="Verdicts">
      <h1>Trial</h1>
      <p>{summary}</p>
      <label>
        <input
          type="checkbox"
          checked={onlyBad}
          onChange={({ currentTarget }) => setOnlyBad(currentTarget.checked)}
        />{' '}
        Only failures whose verdict is not acceptable
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="verdicts-scroll" tabIndex={0} aria-label="Table of verdicts">
        <table onKeyDown={moveByArrow}>
          <Head columns={columns} />
          <tbody>
            {failures.map((failure) => (
              <tr key={failure}>
                <th scope="row">{failure}</th>
                {columns.map(({ operation, nth }) => {
                  const index = runs.findIndex(
                    (run) => run.failure === failure && run.operation === operation && run.nth === nth,
                  )
                  const run = runs[index]
                  return (
                    <td key={`${operation} ${nth}`}>
                      {run === undefined ? null : <Verdict run={run} index={index} isOpen={run === open} />}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}

function Head({ columns }: { readonly columns: readonly Column[] }): JSX.Element {
  const operations = [...new Set(columns.map(({ operation }) => operation))]
  return (
    <thead>
      <tr>
        <th scope="col" rowSpan={2}>
          Failure
        </th>
        {operations.map((operation) => (
          <th
            key={operation}
            scope="colgroup"
            colSpan={columns.filter((column) => column.operation === operation).length}
          >
            {operation}
          </th>
        ))}
      </tr>
      <tr>
        {columns.map(({ operation, nth }) => (
          <th key={`${operation} ${nth}`} scope="col">
            {whichOf(nth)}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const whichOf = (nth: number | null): string => (nth === null ? 'every request' : `request ${nth}`)

interface VerdictProps {
  readonly run: SavedRun
  readonly index: number
  readonly isOpen: boolean
}

function Verdict({ run, index, isOpen }: VerdictProps): JSX.Element {
  const { verdict, acceptable, half, failure, operation, nth } = run
  return (
    <a
      class={acceptable ? 'verdict' : 'verdict bad'}
      href={linkTo(['trial', String(index)])}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span aria-hidden="true">{acceptable ? '✓' : '✗'}</span> {verdict}
      {half ? ', partial text' : ''}
      <span class="hidden">
        {acceptable ? '' : ', not acceptable'}: {failure}, {operation}, {whichOf(nth)}
      </span>
    </a>
  )
}

const steps: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** Moves the focus to the next verdict in the direction of an arrow key. */
function moveByArrow(event: JSX.TargetedKeyboardEvent<HTMLTableElement>): void {
  const step = steps[event.key]
  const cell = event.target instanceof Element ? event.target.closest('td') : null
  const row = cell?.parentElement as HTMLTableRowElement | undefined
  if (step === undefined || cell === null || row === undefined) return
  const [down, right] = step
  event.preventDefault()
  const { rows } = event.currentTarget
  let [y, x] = [row.rowIndex + down, cell.cellIndex + right]
  for (; rows[y]?.cells[x]?.tagName === 'TD'; y += down, x += right) {
    const link = rows[y]?.cells[x]?.querySelector('a')
    if (link == null) continue
    link.focus()
    return
  }
}

function Run({ run, healthy }: { readonly run: SavedRun; readonly healthy: string }): JSX.Element {
  const { operation, failure, nth, verdict, acceptable, half, what, reason } = run
  const { exitCode, seconds, again, scenario, stderr, session } = run
  return (
    <article class="run" aria-label="The run">
      <h2>
        {operation}: {failure}, {whichOf(nth)}
      </h2>
      <p>{what}</p>
      <p>
        <strong class={acceptable ? 'verdict' : 'verdict bad'}>
          {acceptable ? '✓' : '✗'} {verdict}
        </strong>{' '}
        {reason}
        {half ? ' The output contains a partial text and then another one.' : ''}
      </p>
      <p>
        {exitCode === null ? 'No exit code' : `Exit code ${exitCode}`}, {seconds.toFixed(1)} s
      </p>
      <Code title="Command" text={again} />
      {scenario === null ? null : <Code title="Scenario" text={scenario} />}
      <div class="side-by-side">
        <Requests title="Healthy run" session={healthy} marked={[]} />
        <Requests title="This run" session={session} marked={run.evidence} />
      </div>
      {stderr === '' ? null : <Code title="End of stderr" text={stderr} />}
    </article>
  )
}

function Code({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <section>
      <h3>
        {title} <CopyButton label="Copy" name={`Copy: ${title}`} text={() => text} />
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  )
}

interface RequestsProps {
  readonly title: string
  /** The name of the first session of the run; that of others begins with it. */
  readonly session: string
  /** The requests that show the verdict. */
  readonly marked: readonly number[]
}

const maxShown = 500

function Requests({ title, session, marked }: RequestsProps): JSX.Element {
  const sessions = saved?.sessions.filter(({ name }) => name === session || name.startsWith(`${session} / `))
  const entries = (sessions ?? []).flatMap((one) => one.entries)
  return (
    <section aria-label={title}>
      <h3>
        {title} ({entries.length} requests)
      </h3>
      <ol class="run-requests">
        {entries.slice(0, maxShown).map((entry) => (
          <li key={`${entry.session} ${entry.seq}`} class={marked.includes(entry.seq) ? 'marked' : undefined}>
            <RequestLine entry={entry} />
          </li>
        ))}
      </ol>
      {entries.length > maxShown ? <p>The first {maxShown} requests are listed.</p> : null}
    </section>
  )
}

function RequestLine({ entry }: { readonly entry: TraceEntry }): JSX.Element {
  const { session, seq, ended, response, request, cause } = entry
  const { eventCount } = response ?? {}
  const status = statusOf(entry)
  return (
    <>
      <a href={linkTo(['requests', session, String(seq)], { session })}>
        #{seq} <span class={`code c${String(status)[0]}`}>{status}</span> {request.method} {request.url}
      </a>{' '}
      {ended === 'completed' ? '' : <em class={`ended ${ended}`}>{ended}</em>}
      {eventCount === undefined ? '' : ` ${eventCount} events`}
      {cause.rule === undefined ? '' : ` rule ${cause.rule}`}
      {cause.faults.map((fault) => (
        <em key={fault} class="fault">
          {' '}
          {fault}
        </em>
      ))}
    </>
  )
}
