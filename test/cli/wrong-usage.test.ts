/**
 * What is rejected, by command: the words behind it, what is said, and the exit code (2 unless it stands
 * there). A file of scenarios is `a.yaml`, `-` is nothing, `file` is one.
 */
import { describe, expect, it } from 'vitest'
import { faults } from '../../src/scenario/faults/all.ts'
import { directoryWith, run } from './_io.ts'

type Error = [words: string, says: string | RegExp, code?: number]

const story = `title: A story
keys: { sk-alice: {} }
rules: [{ when: { operation: models.list }, then: { error: { status: 503 } } }]
steps: [{ call: models.list }]
`
const files = {
  'a.yaml': story,
  'none.yaml': 'title: No steps\n',
  'titel.yaml': 'titel: a\n',
  'calls.har': '{"log":{"entries":[]}}',
  'torn.har': '{"log":',
  'odd.har': '{"log":{"entries":[{"request":7}]}}',
  'no.har': 'nothing',
  'gateway-sim.config.yaml': 'seed: fox\n',
  'folder/empty': '',
  file: '',
}
const away = '--base-url http://127.0.0.1:1'
const timestamp = 'expected an ISO 8601 timestamp such as 2026-01-01T00:00:00Z, got "yesterday"'
const touch = '-- touch ran'

const errors: Readonly<Record<string, readonly Error[]>> = {
  '': [
    ['srve', /Unknown command: srve\nDid you mean serve\?/],
    ['fly', 'Unknown command: fly'],
  ],
  serve: [
    ['extra', 'Unknown argument: extra'],
    ['--prot 1', /Unknown argument: prot\nDid you mean --port\?/],
    ['--publicurl x', 'Did you mean --public-url?'],
    ['--port', 'Not enough arguments following: port'],
    ['--url http://a', 'Did you mean --public-url?'],
    ['--reporter json', 'Did you mean --format?'],
    ['--fail-on unused', '--fail-on is a flag of gateway-sim exec.'],
    ['--nothing-like-it', /^gateway-sim: Unknown argument: nothing-like-it\nSee: /],
    ['--format xml', /"xml".*"pretty", "json"/],
    ['--port abc', '--port: expected a whole number from 0 to 65535, got "abc"'],
    ['--port 70000', 'got 70000'],
    ['--port -1', 'got -1'],
    ['--port 80.5', 'got 80.5'],
    ['--clock reel', '--clock: expected one of "real", "manual", "auto", got "reel"'],
    ['--clock reel --speed 0', /--clock[^]*--speed/],
    ['--speed 0', '--speed: expected more than 0, got 0'],
    ['--speed fast', '--speed: expected a number, got "fast"'],
    ['--start yesterday', `--start: ${timestamp}`],
    ['--seed=', '--seed: expected at least 1 character, got an empty string'],
    ['--public-url ftp://x', '--public-url: expected a URL such as https://gateway.example, got "ftp://x"'],
    [
      '--ready-file no/such/directory/ready.json',
      '--ready-file: cannot write no/such/directory/ready.json (ENOENT: no such file or directory)\n',
    ],
    ['--watch --scenario=-', '--watch: standard input (--scenario -) cannot be watched'],
    ['--scenario', 'Not enough arguments following: scenario'],
    ['--scenario gateway-sim.config.yaml', 'is a settings file, not a scenario: pass it with --config', 3],
    ['--recordings torn.har', 'torn.har is not a HAR file', 3],
    ['--recordings odd.har', 'odd.har: log.entries[0].request: expected an object, got 7', 3],
    ['--recordings none.har', 'none.har: not found', 3],
    ['--on-miss reject', 'add --recordings FILE'],
    ['--host 203.0.113.7', 'No interface on this machine has the address 203.0.113.7', 4],
    ['--host no-such-host.invalid', 'no-such-host.invalid', 4],
  ],
  routes: [
    ['--formt json', 'Did you mean --format?'],
    ['--markdown', 'Did you mean --format?'],
  ],
  reserved: [['--markdown', 'Did you mean --format markdown?']],
  validate: [
    ['', 'Missing files. Usage: gateway-sim validate <files..>'],
    ['a.yaml --format xml', 'Invalid values'],
    ['a.yaml --fromat json', 'Did you mean --format?'],
    ['a.yaml --max-warnings none', '--max-warnings: expected a whole number such as 0, got "none"'],
    ['folder', 'this folder contains no scenario files', 3],
    ['--token x a.yaml', /--control-token is a flag of gateway-sim serve, exec, .*, explain-call, mcp\./],
    ['--allow-files nowhere a.yaml', '--allow-files: expected an existing folder, got "nowhere"'],
  ],
  explain: [
    [
      'a.yaml --operation chat.creat',
      '--operation: expected an operation (gateway-sim routes lists them) or a group such as imageJobs.*, got "chat.creat"; did you mean chat.create?',
    ],
    [
      'titel.yaml b.yaml',
      /titel\.yaml:1:1: unknown key "titel": did you mean title\?\n {4}1 \| titel: a\n {6}\| \^\n[^]*b\.yaml: file not found/,
      3,
    ],
  ],
  'explain-call': [
    ['', 'Missing id. Usage: gateway-sim explain-call <id>'],
    ['7 --base-url nonsense', '--base-url: expected a URL such as http://127.0.0.1:4010, got nonsense'],
    ['7 --url http://127.0.0.1:1', 'No simulator responds at http://127.0.0.1:1', 1],
  ],
  watch: [
    ['extra', 'Unknown argument: extra'],
    ['http://a:1', /Unknown argument: http:\/\/a:1\nDid you mean --base-url http:\/\/a:1\?/],
    ['--timeout 0', '--timeout: expected a duration above 0 such as 30s or 2m, got 0'],
    ['--url http://127.0.0.1:1', 'No simulator responds at http://127.0.0.1:1 (', 1],
  ],
  journal: [
    ['1 2', 'Unknown argument: 2'],
    ['--limit 0', '--limit: expected a whole number above 0, got 0'],
    ['1 --status 4xx', '--operation, --status and --failed select requests to list: omit them to print one'],
    ['1 --failed', '--failed select requests to list'],
    ['--format har --failed', '--format har writes all requests, or those of --operation and --status'],
    ['--format har --limit 2', '--format har writes all requests'],
    ['--url http://127.0.0.1:1', 'No simulator responds at http://127.0.0.1:1 (', 1],
  ],
  fault: [
    ['', `Expected --list, --clear or a fault: ${faults.map(({ kind }) => kind).join(', ')}`],
    ['hang --list', 'A fault, --list and --clear are mutually exclusive'],
    ['--list --clear', 'A fault, --list and --clear are mutually exclusive'],
    ['--clear --times 1', '--operation, --nth, --times and --ttl need a fault'],
    ['hang --nth 0', '--nth: expected a whole number above 0, got 0'],
    ['hang --times none', '--times: expected a whole number above 0, got "none"'],
    ['hang --ttl soon', '--ttl: expected a duration such as 30s or 5m, got "soon"'],
    ['{kind:hang}', 'Expected a fault as JSON, got {kind:hang}'],
  ],
  clock: [
    ['advance', 'advance needs a duration: gateway-sim clock advance 10s'],
    ['advance soon', 'advance: expected a duration such as 10s or 5m, got "soon"'],
    ['advance -5s', 'Expected a duration above 0, got -5s'],
    ['advance 0s', 'advance: expected a duration above 0 such as 10s or 5m, got "0s"'],
    ['freeze 10s', 'Unknown argument: 10s. Only advance takes a duration'],
    ['advanse 10s', /got "advanse"; did you mean advance\?/],
    ['next --speed 2', '--speed is only valid with `resume`'],
    ['resume --speed fast', '--speed: expected a number above 0, got "fast"'],
  ],
  reset: [
    ['red', 'Unknown argument: red'],
    ['--all --session red', '--all and --session are mutually exclusive'],
  ],
  openapi: [
    [
      '--operation chat.crate',
      '--operation: expected an id from `gateway-sim routes`, got chat.crate; did you mean chat.create?',
    ],
    ['--base-url nowhere', '--base-url: expected a URL such as https://gateway.example, got nowhere'],
    ['--jsonschema', /Unknown argument: jsonschema\nDid you mean --json-schema\?/],
    ['--output no/such/directory/api.json', '--output: cannot write no/such/directory/api.json'],
  ],
  replay: [
    ['', 'Missing files. Usage: gateway-sim replay <files..>'],
    ['--output x.json a.yaml b.yaml', 'b.yaml: file not found', 3],
    ['a.yaml --format xml', '"pretty", "json", "junit"'],
    ['a.yaml --base-ulr x', 'Did you mean --base-url?'],
    ['a.yaml --output no/such/directory.json', '--output: cannot write no/such'],
    ['none.yaml', 'none.yaml: no file has `steps`', 3],
    ['torn.har', 'Play it back with gateway-sim serve --recordings torn.har', 3],
    ['a.yaml --api-key sk-x', '--api-key needs --base-url'],
    ['a.yaml --timeout 1m', '--timeout needs --base-url'],
    ['a.yaml --control-token a-token', '--control-token needs --base-url'],
    ['a.yaml --base-url gateway', '--base-url: expected a URL such as https://gateway.example, got gateway'],
    [`a.yaml ${away} --timeout soon`, '--timeout: expected a duration such as 30s or 10m, got "soon"'],
    [
      `a.yaml ${away} --api-key sk-alise=x`,
      'no scenario has an API key named sk-alise: did you mean sk-alice?',
    ],
    [`a.yaml ${away} --api-key sk-alice=`, '--api-key: expected an API key after sk-alice=, got nothing'],
    [`a.yaml ${away} --api-key one --api-key two`, 'expected one KEY without a name, got two'],
    ['a.yaml --allow-skipped --fail-on-skipped', '--fail-on-skipped are mutually exclusive'],
    [`a.yaml ${away}`, '--base-url http://127.0.0.1:1: cannot be reached (', 3],
  ],
  ready: [
    ['--base-url http://a --ready-file b', '--base-url and --ready-file are mutually exclusive'],
    ['--timeout 5s', '--timeout needs --wait'],
    ['--wait --timeout soon', '--timeout: expected a duration such as 30s or 2m, got "soon"'],
    ['--wait --timeout 0', '--timeout: expected a duration'],
    ['--url localhost:4010', '--base-url: expected a URL such as http://127.0.0.1:4010, got localhost:4010'],
  ],
  record: [
    ['--out x', 'Missing required argument: base-url'],
    [
      '--upstream gw.example --out x',
      '--base-url: expected a URL such as https://gw.example, got "gw.example"',
    ],
    ['--upstream https://a:b@gw --out x', 'got a URL with a password'],
    ['--upstream https://gw?a --out x', 'got a URL with a query'],
    ['--upstream https://gw --out file', '--output: file cannot be used as a folder'],
    ['--upstream https://gw --out x --port no', '--port: expected a whole number'],
    ['--upstream https://gw --out x --redact a', /--redact: expected a name .* got "a"/],
  ],
  scenario: [
    ['from-recording no.har', 'no.har is not a HAR file', 3],
    ['write calls.har', 'expected the action from-recording, got "write"'],
  ],
  exec: [
    ['', /Missing command\. Usage: gateway-sim exec \[flags\] -- <command>/],
    [
      'npm test',
      'Unknown argument: npm, test. Put the command to run after --: gateway-sim exec [flags] -- <command>',
    ],
    [`--fail-on rejectd ${touch}`, /--fail-on: expected .*, got "rejectd"; did you mean rejected\?/],
    [
      `--report xml=a ${touch}`,
      '--report: expected json=FILE, junit=FILE, markdown=FILE, har=FILE or html=FILE, got "xml=a"',
    ],
    [`--report junit ${touch}`, '--report: expected json=FILE'],
    [`--log json ${touch}`, 'Unknown argument: json. Put the command to run after --'],
    [
      `--report markdown=a --report json=./a ${touch}`,
      '--report: expected a different file for each format, got several formats for ./a',
    ],
    [`--report markdown=. ${touch}`, '--report: cannot write . (it is a directory)'],
    [`--port x ${touch}`, '--port: expected a whole number'],
    [`--scenario nope.yaml ${touch}`, 'nope.yaml', 3],
  ],
  trial: [
    ['', /Missing command\. Usage: gateway-sim trial \[flags\] -- <command>/],
    [`--only hng ${touch}`, '--only: expected a failure or an operation, got "hng"; did you mean hang?'],
    [`--except chat.creat:hang ${touch}`, 'got "chat.creat:hang"; did you mean chat.create?'],
    [`--jobs 0 ${touch}`, '--jobs: expected a whole number from 1 to 64, got 0'],
    [`--repeat many ${touch}`, '--repeat: expected a whole number from 1 to 64, got "many"'],
    [`--timeout soon ${touch}`, '--timeout: expected a duration such as 30s or 2m, got "soon"'],
    [`--accept none.yml ${touch}`, '--accept: none.yml cannot be read: file not found'],
    [`--expires 2026-12-31 ${touch}`, '--expires needs --accept-all'],
    [`--accept-all --expires 2026-13-31 ${touch}`, '--expires: expected a date such as 2026-12-31, got'],
    [`--report xml=a ${touch}`, '--report: expected json=FILE'],
  ],
}

describe.each(Object.entries(errors))('gateway-sim %s rejects', (command, list) => {
  it.each(list)('%s', async (words, says, code = 2) => {
    const port = command === 'serve' && !words.includes('--port') ? ['--port', '0'] : []
    const argv = [command, ...port, ...words.split(' ')].filter((word) => word !== '')
    const startProgram = () => expect.fail('the command was started')
    const ended = await run(argv, { cwd: directoryWith(files), startProgram })
    expect(ended.code).toBe(code)
    // The transcript stands there before its trace is written.
    if (!words.includes('--output no')) expect(ended.stdout).toBe('')
    if (typeof says === 'string') expect(ended.stderr).toContain(says)
    else expect(ended.stderr).toMatch(says)
    if (command === '' || words.startsWith('--pr'))
      expect(ended.stderr).toMatch(/See: gateway-sim .*--help\n$/)
  })
})
