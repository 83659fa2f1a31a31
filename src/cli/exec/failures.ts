/** What `--fail-on` can name. */

export const failures = {
  'client-report': 'findings of severity error or warning (docs/client-report.md); hints do not count',
  unmatched: 'calls to unknown paths and, in strict mode, calls that match no rule',
  unused: 'rules that never answered, from `--scenario` or from the scenarios of sessions',
  refused: 'calls refused because of their content, not by a rule or a reserved value',
  'no-calls': 'the command called nothing here: its clients use another address',
} as const
export type Failure = keyof typeof failures
