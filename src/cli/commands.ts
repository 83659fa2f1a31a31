/** Every command, in the order of `--help`. Its module is loaded when it runs. */
import type { Command } from './command.ts'

export interface CommandEntry {
  readonly name: string
  readonly describe: string
  load(): Promise<Command>
}

const entry = (
  name: string,
  describe: string,
  load: () => Promise<{ readonly command: Command }>,
): CommandEntry => ({ name, describe, load: async () => (await load()).command })

export const commands: readonly CommandEntry[] = [
  entry('init', 'Write settings, a scenario and two tests; keep existing files', () => import('./init.ts')),
  entry('serve', 'Serve the simulator over HTTP until SIGTERM or SIGINT', () => import('./serve/serve.ts')),
  entry('exec', 'Run a command against a simulator, and report its requests', () => import('./exec/exec.ts')),
  entry(
    'trial',
    'Run a command once against a healthy simulator and once for each possible failure of its requests, ' +
      'and judge each run',
    () => import('./trial/trial.ts'),
  ),
  entry(
    'record',
    'Proxy a real gateway and record its traffic as HAR files, with secrets redacted',
    () => import('./record/record.ts'),
  ),
  entry(
    'scenario',
    'Write a scenario from a recording (a HAR file or folder): rules, timelines from polls, and steps',
    () => import('./scenario.ts'),
  ),
  entry(
    'replay',
    'Run the steps of scenario files or folders (- for stdin) in-process or against a server, and check ' +
      'the responses (to play back recordings, use serve --recordings)',
    () => import('./replay.ts'),
  ),
  entry('check', 'Check the responses of a gateway against the contract', () => import('./check/check.ts')),
  entry('diff', 'Show what changed between two recordings (HAR files or folders)', () => import('./diff.ts')),
  entry(
    'validate',
    'Check scenario files and the settings file, individually and together (- reads stdin)',
    () => import('./validate.ts'),
  ),
  entry('explain', 'Draw the timelines, streams and faults of scenario files', () => import('./explain.ts')),
  entry(
    'journal',
    'List the requests to a running simulator. With a seq, a request id or `last`, print that request with ' +
      'its bodies, and explain its response',
    () => import('./running/journal.ts'),
  ),
  entry(
    'control',
    'Change a running simulator: its clock, faults, jobs, scenarios and sessions. Pass the name of a ' +
      'control, the id in its path, and its argument as text, JSON or field=value. Without a name, list them',
    () => import('./running/control.ts'),
  ),
  entry('ready', 'Check whether a server is up (exit code 0) or not (1)', () => import('./running/ready.ts')),
  entry(
    'mcp',
    'Serve tools for coding agents (Model Context Protocol) on stdin and stdout: start a simulator or ' +
      'connect to one, explain and verify its requests, and add faults',
    () => import('./mcp/mcp.ts'),
  ),
  entry('openapi', 'Print the contract as OpenAPI 3.1, with recorded examples', () => import('./openapi.ts')),
]
