/** Every command, in the order of `--help`. Handlers are loaded on demand. */
import { type Command, defineCommand, exitCodes } from './command.ts'
import * as flags from './flags.ts'

export const serve = defineCommand({
  command: 'serve',
  describe: 'Serve the simulator over HTTP until SIGTERM or SIGINT',
  examples: [
    ['gateway-sim serve', 'Listen on http://127.0.0.1:4010'],
    [
      'gateway-sim serve --port 0 --scenario outage.yaml --watch',
      'Listen on a free port and reload the scenario when it changes',
    ],
  ],
  flags: flags.serveFlags,
  handler: async (args, io) => (await import('./serve/serve-until-stopped.ts')).serveUntilStopped(args, io),
})

export const exec = defineCommand({
  command: 'exec',
  describe: 'Run a command whose SDKs call a simulator, and report its requests',
  examples: [
    ['gateway-sim exec -- npm test', 'Run a test suite against a simulator'],
    [
      'gateway-sim exec --fail-on client-report --report junit=sim.xml -- pytest',
      'Fail the run if the client misuses the API, and write a report for CI',
    ],
  ],
  rest: 'command',
  flags: flags.execFlags,
  handler: async (args, io) => (await import('./exec/exec-command.ts')).runCommand(args, io),
})

export const commands: readonly Command[] = [
  defineCommand({
    command: 'init',
    describe:
      'Write a settings file, a scenario, a passing test and a failing test in this folder; keep existing ' +
      'files',
    examples: [
      ['gateway-sim init', 'Detect the test runner and the SDK'],
      ['gateway-sim init --ci github', 'Also write a workflow for GitHub Actions'],
    ],
    flags: flags.initFlags,
    handler: async (args, io) => (await import('./init/init-project.ts')).initProject(args, io),
  }),
  serve,
  exec,
  defineCommand({
    command: 'trial',
    describe:
      'Run a command once against a healthy simulator and once for each possible failure of its ' +
      'requests, and judge each run',
    examples: [
      ['gateway-sim trial -- node app.js', 'Try every failure'],
      ['gateway-sim trial --only chat.create:disconnect -- pytest tests/chat.py', 'Repeat one failure'],
    ],
    rest: 'command',
    flags: flags.trialFlags,
    handler: async (args, io) => (await import('./trial/trial-command.ts')).runTrial(args, io),
  }),
  defineCommand({
    command: 'ready',
    describe: 'Check whether a gateway-sim server is up (exit code 0) or not (1)',
    examples: [
      ['gateway-sim ready', 'Check once'],
      ['gateway-sim ready --wait --timeout 10s', 'Wait up to ten seconds for the server to start'],
    ],
    flags: flags.readyFlags,
    handler: async (args, io) => (await import('./running/ready.ts')).checkReady(args, io),
  }),
  defineCommand({
    command: 'watch',
    describe: 'Print each request to a running simulator and the reason for each rejection',
    examples: [
      ['gateway-sim watch', 'Print each new request'],
      ['gateway-sim watch --failed --session checkout', 'Print only the failed requests in one session'],
    ],
    flags: flags.watchFlags,
    handler: async (args, io) => (await import('./running/watch.ts')).watchRequests(args, io),
  }),
  defineCommand({
    command: 'journal [id]',
    describe:
      'List the requests to a running simulator. With a seq, a request id or `last`, print that request ' +
      'with its bodies and its explanation',
    examples: [
      ['gateway-sim journal --status 4xx', 'List the rejected requests'],
      ['gateway-sim journal 3', 'Print the request with seq 3'],
    ],
    flags: flags.journalFlags,
    handler: async (args, io) => (await import('./running/journal.ts')).showJournal(args, io),
  }),
  defineCommand({
    command: 'fault [fault]',
    describe:
      'Add a fault to a running simulator, with precedence over all rules. Pass the name of the fault, ' +
      'or JSON such as {"kind":"stall","afterEvents":2}',
    examples: [
      ['gateway-sim fault --list', 'List the overrides of the session'],
      ['gateway-sim fault disconnect --operation chat.create --times 1', 'Interrupt the next chat response'],
    ],
    actions: flags.faultNames,
    flags: flags.faultFlags,
    handler: async (args, io) => (await import('./running/fault.ts')).changeFaults(args, io),
  }),
  defineCommand({
    command: 'clock [action] [duration]',
    describe:
      'Print the virtual clock of a running simulator, or change it: advance DURATION, next (advance to ' +
      'the next change), idle (advance until nothing is due), freeze or resume',
    examples: [
      ['gateway-sim clock', 'Print the current time and the time of the next change'],
      ['gateway-sim clock advance 10s', 'Advance a manual or auto clock by ten seconds'],
    ],
    actions: flags.clockActions,
    flags: flags.clockFlags,
    handler: async (args, io) => (await import('./running/clock.ts')).changeClock(args, io),
  }),
  defineCommand({
    command: 'reset',
    describe: 'Reset the jobs, journal, overrides and clock of a session in a running simulator',
    examples: [
      ['gateway-sim reset', 'Reset the default session'],
      ['gateway-sim reset --all', 'Reset all sessions'],
    ],
    flags: flags.resetFlags,
    handler: async (args, io) => (await import('./running/reset.ts')).resetSession(args, io),
  }),
  defineCommand({
    command: 'control [words..]',
    describe:
      'Call any control of a running simulator by its name, with the id of its path and its argument (JSON ' +
      'or text). Without a name, list the controls',
    examples: [
      ['gateway-sim control', 'List the controls with their URLs'],
      [`gateway-sim control jobs.change video_1 '{"finished":true}'`, 'Complete a video'],
    ],
    flags: flags.controlFlags,
    handler: async (args, io) => (await import('./running/call-control.ts')).callControl(args, io),
  }),
  defineCommand({
    command: 'record',
    describe:
      'Proxy a real gateway and record its traffic as HAR files, with secrets redacted, until SIGTERM ' +
      'or SIGINT',
    examples: [
      ['gateway-sim record --base-url https://gw.example --output recordings', 'Record on a free port'],
      [
        'gateway-sim record --base-url https://gw.example --output rec --check',
        'Also check each response against the contract',
      ],
    ],
    flags: flags.recordFlags,
    handler: async (args, io) =>
      (await import('./record/record-until-stopped.ts')).recordUntilStopped(args, io),
  }),
  defineCommand({
    command: 'replay <files..>',
    describe:
      'Run the steps of scenario files or folders (- for stdin) in-process or against a server, and ' +
      'check the responses (to play back recordings, use serve --recordings)',
    examples: [
      ['gateway-sim replay scenarios', 'Run the steps of all files in a folder, on virtual time'],
      [
        'gateway-sim replay video.yaml --base-url https://gw.example --api-key sk-1',
        'Run the steps against a server',
      ],
    ],
    flags: flags.replayFlags,
    handler: async (args, io) => (await import('./replay/replay-files.ts')).replayFiles(args, io),
  }),
  defineCommand({
    command: 'check',
    describe:
      'Send a suite of requests to a gateway, check the responses against the contract, and report ' +
      'violations',
    examples: [
      ['gateway-sim check --base-url https://gw.example --api-key sk-1', 'Send invalid requests only'],
      [
        'gateway-sim check --base-url https://gw.example --spend all',
        'Send every probe, with the API key from GATEWAY_API_KEY',
      ],
      ['gateway-sim check --recordings calls.har', 'Check recordings offline'],
      ['gateway-sim check --spend all --list', 'List the probes'],
    ],
    flags: flags.checkFlags,
    handler: async (args, io) => (await import('./check/run-check.ts')).runCheck(args, io),
  }),
  defineCommand({
    command: 'diff <before> <after>',
    describe:
      'Show what changed between two recordings (HAR files or folders): statuses, fields, types, values ' +
      'and headers',
    examples: [
      ['gateway-sim diff january.har february.har', 'Exit with 1 if the responses differ'],
      ['gateway-sim diff january.har february.har --format json', 'Print JSON'],
    ],
    flags: flags.diffFlags,
    handler: async (args, io) => (await import('./recording-files.ts')).diffFiles(args, io),
  }),
  defineCommand({
    command: 'validate [files..]',
    describe:
      'Check scenario files and the settings file, individually and together, and report each error with ' +
      'its line (- reads stdin)',
    examples: [
      ['gateway-sim validate outage.yaml', 'Check one file'],
      ['gateway-sim validate scenarios --format github', 'Annotate the lines of a pull request'],
      ['gateway-sim validate', 'Check the settings file alone'],
      ['gateway-sim validate scenarios --max-warnings 0', 'Fail on warnings too'],
    ],
    flags: flags.validateFlags,
    handler: async (args, io) => (await import('./validate/validate-files.ts')).validateFiles(args, io),
  }),
  defineCommand({
    command: 'scenario <action> <file>',
    describe:
      'Convert a recording (a HAR file or folder) to a scenario with a rule for each request, timelines ' +
      'from polls, and steps that repeat the requests',
    examples: [
      [
        'gateway-sim scenario from-recording recordings --steps-only',
        'Print only steps, to run against the recorded gateway',
      ],
      ['gateway-sim scenario from-recording calls.har', 'Print a scenario'],
      ['gateway-sim scenario from-recording calls.har -o calls.yaml', 'Write the scenario to a file'],
    ],
    actions: ['from-recording'],
    flags: flags.scenarioFlags,
    handler: async (args, io) => (await import('./scenario/write-scenario.ts')).writeScenario(args, io),
  }),
  defineCommand({
    command: 'explain <files..>',
    describe: 'Draw the timelines, streams and faults of scenario files in virtual time',
    examples: [
      ['gateway-sim explain outage.yaml', 'Draw every rule of a scenario'],
      ["gateway-sim explain scenarios --operation 'imageJobs.*'", 'Draw only rules for image jobs'],
    ],
    flags: flags.explainFlags,
    handler: async (args, io) => (await import('./explain/explain-files.ts')).explainFiles(args, io),
  }),
  defineCommand({
    command: 'explain-call <id>',
    describe:
      'Explain why a request got its response. Identify the request by its id, by its seq in the journal, ' +
      'or by `last`',
    examples: [
      ['gateway-sim explain-call req_0f3a', 'Explain the request with this id'],
      [
        'gateway-sim explain-call 3 --session checkout',
        'Explain the request with seq 3 in the session checkout',
      ],
    ],
    flags: flags.controlFlags,
    handler: async (args, io) => (await import('./running/explain-call.ts')).explainRequest(args, io),
  }),
  defineCommand({
    command: 'mcp',
    describe:
      'Serve tools for coding agents (Model Context Protocol) on stdin and stdout: start a simulator or ' +
      'connect to one, explain and verify its requests, and add faults',
    examples: [
      ['gateway-sim mcp', 'The command to configure in an MCP client'],
      ['gateway-sim mcp --base-url http://127.0.0.1:4010', 'Control a running server'],
    ],
    flags: flags.mcpFlags,
    handler: async (args, io) => (await import('./mcp/serve-mcp.ts')).serveMcp(args, io),
  }),
  defineCommand({
    command: 'routes',
    describe: 'List every operation with its method, path, id and API key header',
    examples: [
      ['gateway-sim routes', 'Print a table'],
      ["gateway-sim routes --format json | jq -r '.[].operation'", 'Print the ids of all operations'],
    ],
    flags: flags.routesFlags,
    handler: async ({ format }, io) => (await import('./contract/operations.ts')).printRoutes(format, io),
  }),
  defineCommand({
    command: 'reserved',
    describe: 'List the reserved API keys, models and prompt values with their effects',
    examples: [
      ['gateway-sim reserved', 'Print the list in the terminal'],
      ['gateway-sim reserved --format markdown > reserved.md', 'Write the list as a Markdown page'],
    ],
    flags: flags.reservedFlags,
    handler: async ({ format }, io) =>
      (await import('./contract/reserved-values.ts')).printReserved(format, io),
  }),
  defineCommand({
    command: 'openapi',
    describe: 'Print the contract as an OpenAPI 3.1 document with recorded examples',
    examples: [
      ['gateway-sim openapi --format yaml --output openapi.yaml', 'Write the whole contract as YAML'],
      ['gateway-sim openapi --operation chat.create --json-schema', 'Print the schemas of one operation'],
    ],
    flags: flags.openapiFlags,
    handler: async (args, io) => (await import('./contract/operations.ts')).printDocument(args, io),
  }),
  defineCommand({
    command: 'completion',
    describe: 'Print a script that completes commands and flags in bash or zsh',
    examples: [
      ['gateway-sim completion >> ~/.bashrc', 'Install the script in bash'],
      ['gateway-sim completion >> ~/.zshrc', 'Install the script in zsh'],
    ],
    flags: {},
    // yargs answers it.
    handler: async () => exitCodes.ok,
  }),
]
