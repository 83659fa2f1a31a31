/**
 * An example for every key of the scenario format, by the object that it belongs to; tests validate them. A
 * comment describes the key where its schema describes more than that.
 */

interface Section {
  readonly heading: string
  readonly about?: string
  /** The definitions of the JSON Schema with these keys; undefined for the file, `Given.videos` for a list. */
  readonly of: readonly (string | undefined)[]
  /** An example for each key, in a line of YAML. */
  readonly lines: string
}

export const scenarioExamples: readonly Section[] = [
  {
    heading: 'The file',
    about:
      'The keys of `clock`, `keys`, `models` and `limits` are those of the [settings](settings.md). A file ' +
      'needs `rules`, `given` or `steps`.',
    of: [undefined],
    lines: `
$schema: a.json
title: A video fails
description: As seen in March.
seed: fox-7
clock: { mode: manual }
keys: { sk-a: { models: [gpt-4o] } }
models: { chat: [gpt-4o] }
limits: { requestsPerMinute: 60 }
given: { videos: [{ id: video_a }] }
flags: { outage: "off" }
rules: [{ then: { text: Hello. } }]
steps: [{ advance: 30s }]
`,
  },
  {
    heading: 'Rules',
    of: ['Rule'],
    lines: `
id: busy-once
when: { model: o3 } # All conditions must match. Default: every request
then: { error: { status: 429 } }
`,
  },
  {
    heading: 'when',
    of: ['When'],
    lines: `
operation: videos.*
key: sk-alice
model: gpt-4o*
body: { stream: true }
query: { limit: "5" }
headers: { x-test: checkout }
path: { video_id: video_a }
conversation.lastUser: { contains: weather }
conversation.toolResult: { contains: "22" }
conversation.turn: 2
job.operation: videos.remix
job.model: sora-2
job.prompt: { contains: sunset }
job.body: { seconds: "8" }
flags: { outage: "on" }
during.from: 10s
during.until: 2026-01-01T00:01:00Z
nth: [1, 3]
first: 2
skip: 2
everyNth: 3
times: 2
per: job # What is counted apart: \`session\`, \`job\`, \`key\`, \`model\`, or a value such as \`headers.x-user\`. Default: \`session\`
`,
  },
  {
    heading: 'Matchers',
    about: 'Operators of one matcher must all match.',
    of: ['Operators'],
    lines: `
equals: { a: 1 }
not: gpt-4o
contains: sunset
startsWith: video_
endsWith: .png
regex: "^sk-[a-z]+$"
gt: 3
gte: 3
lt: 10
lte: 10
exists: false
anyOf: [gpt-4o, o3]
some: { role: system }
length: { gte: 2 }
`,
  },
  {
    heading: 'then',
    about: 'An item of `sequence` and the `then` of `weighted` have the same keys, down to `offContract`.',
    of: ['Then'],
    lines: `
error: { status: 503 }
job: { failAt: 60 }
timeline: [{ at: 20s, progress: 40 }]
response: { status: 200, body: { ok: true } }
patch: { choices.0.message.content: Hi. }
unset: [usage]
headers: { x-region: eu }
text: It is sunny.
choices: [{ text: Yes. }, { text: No. }]
stream: { eventInterval: 50ms }
delay: 2s
upstream: { status: 503 }
fault: { kind: disconnect, afterEvents: 3 }
setFlags: { outage: "on" }
offContract: true
sequence: [{ text: A. }, { text: B. }]
end: cycle
weighted: [{ weight: 9, then: {} }, { weight: 1, then: { fault: reset } }]
`,
  },
  {
    heading: 'error',
    of: ['ErrorAnswer'],
    lines: `
type: rate_limit_error
status: 429
code: 2007
message: Too many jobs.
param: model
details: [{ code: 1, message: Too long. }]
trace_id: trace-1
retryAfter: 7s
before: auth
`,
  },
  {
    heading: 'job',
    about: 'The other values of `job`: `created`, `stuck`, `finished`.',
    of: ['JobFailAt'],
    lines: `
failAt: 60
code: moderation_blocked
message: Blocked.
notFoundAt: 80
regressAt: 50
blocked: [1]
`,
  },
  {
    heading: 'response',
    of: ['Response'],
    lines: `
status: 302 # The HTTP status
body: { ok: true }
text: Moved.
base64: aGk=
file: a.json
contentType: text/html
`,
  },
  {
    heading: 'delay and ramps',
    about: 'A ramp changes a number of a timeline linearly: `progress: { from: 0, to: 90, over: 30s }`.',
    of: ['DelayFrom', 'DelayMedian', 'Ramp'],
    lines: `
from: 1s
to: 3s
median: 800ms
sigma: 0.5
max: 10s
over: 30s
`,
  },
  {
    heading: 'upstream',
    of: ['Upstream'],
    lines: `
status: 429
usage: missing
fields: { region: eu }
`,
  },
  {
    heading: 'stream',
    of: ['Stream'],
    lines: `
firstEventAfter: 800ms
eventInterval: 40ms
tokensPerSecond: 30
jitter: 10ms
script: [{ text: Hello. }, { wait: 2s }]
frames: [{ event: ping, data: {} }] # The whole stream: events, text as sent, waits, faults
`,
  },
  {
    heading: 'Script items',
    about:
      'Each item has one of these keys; `logprobs` and `citations` belong to `text`, `signature` to `reasoning`.',
    of: ['ScriptItem', 'ScriptItemWait', 'ScriptItemFault'],
    lines: `
text: [Hel, lo.] # Text; a list gives the chunks
logprobs: [-0.1, { logprob: -0.2 }] # For each chunk; also \`token\`, \`bytes\` and \`top_logprobs\`
citations: [{ url: "https://a.example/" }] # Of this text; also \`title\`, \`type\` and \`cited_text\`
reasoning: Hmm. # Text before the answer; a list gives the chunks
signature: c2ln
redacted: true
refusal: "No." # A refusal of the model; a list gives the chunks
toolCall: { name: a, arguments: {} }
toolCalls: [{ name: a, arguments: {} }, { name: b, arguments: {} }]
usage: { output: 5 } # Instead of the counted tokens; also \`input\`, \`reasoning\` and \`cached\`
finish: length # The finish reason, instead of the one that follows; also \`{ stop_sequence }\`
wait: 2s
raw: ": comment\\n\\n"
fault: { kind: disconnect }
partial: 0
image: 0
`,
  },
  {
    heading: 'Tool calls',
    of: ['ToolCall'],
    lines: `
name: weather
arguments: '{"city": "Ro'
id: call_1
`,
  },
  {
    heading: 'timeline and given',
    about:
      'Entries of `timeline`, and of `given.imageJobs`, `given.videos` and `given.videoOperations`, set the ' +
      'fields of the response. Each kind has those of its API.',
    of: ['TimelineEntry', 'Given.imageJobs', 'Given.videos', 'Given.videoOperations'],
    lines: `
status: failed # The status, in the words of its API
comment: Almost done
urls: ["https://a.example/1.png"]
audits: ["", blocked]
cost: { jobId: a, feeCost: 1 } # Also \`fastCost\`, \`relaxCost\` and \`costAt\`
text: a sunset --ar 16:9
seed: 7
progress: 40
error: { code: moderation_blocked } # Why it failed
created_at: 2026-01-01T00:00:00Z
completed_at: 2026-01-01T00:01:00Z
expires_at: 1767229200
seconds: "8"
size: 1280x720
remixed_from_video_id: video_a
object: video
progressPercent: 40
filtered: [violence]
response: { generatedVideos: [] } # The result; a video has \`uri\` or \`videoBytes\`, \`mimeType\`, \`createTime\`
dialect: generatedVideos
metadata: { updateTime: a } # Also \`createTime\` and \`@type\`
done: true
name: projects/p/locations/l/publishers/google/models/veo/operations/00000000-0000-0000-0000-000000000000
model: sora-2
id: video_a # The id as it is shown
`,
  },
  {
    heading: 'Only in timeline',
    of: ['TimelineEntry'],
    lines: `
at: 20s
poll: 3
unset: [comment]
reset: [progress]
notFound: true
`,
  },
  {
    heading: 'Only in given',
    of: ['Given.imageJobs', 'Given.videos', 'Given.videoOperations'],
    lines: `
key: sk-alice
prompt: a sunset
images: 2
aspectRatio: "9:16" # Of its videos
resolution: 1080p # Of its videos
generateAudio: false
durationSeconds: 6
sampleCount: 2
age: 1h
timeline: [{ at: 2h, notFound: true }]
offContract: true
content: { file: a.mp4 } # The result, or a list of results
`,
  },
  {
    heading: 'given.files',
    of: ['Given.files'],
    lines: `
path: images/cat.png
provider: COS
contentType: image/png
content: { text: Hi. }
age: 10m
`,
  },
  {
    heading: 'Bytes',
    about: 'Exactly one of these keys.',
    of: ['Content'],
    lines: `
text: Hello.
base64: aGk=
file: cat.png
image: { width: 8, height: 8 } # A generated PNG; also \`transparent\`
`,
  },
  {
    heading: 'Steps',
    about: 'Each step has one of `call`, `fetch`, `advance` and `parallel`.',
    of: ['Step'],
    lines: `
name: Submit
call: videos.create
with: { prompt: a sunset }
query: { limit: 5 }
headers: { x-test: a }
key: sk-alice
form: true
stopAfter: 3
waitFor: { body: { status: completed } }
interval: 2s
timeout: 5m
expect: { status: 200 }
save: { video: body.id }
fetch: \${upload_url}
method: PUT # Of \`fetch\`
content: { text: Hello. }
advance: 30s
parallel: [{ call: models.list }]
`,
  },
  {
    heading: 'expect and waitFor',
    of: ['Expectation'],
    lines: `
status: 429
headers: { retry-after: "7" }
body: { status: completed }
text: { contains: Error }
bytes: { gt: 1000 }
stream: { finish: stop }
took: { gte: 2000 }
broken: reset
fired: [{ kind: video }]
offContract: true
`,
  },
  {
    heading: 'expect.stream',
    of: ['StreamExpectation'],
    lines: `
text: It is sunny.
reasoning: { contains: think }
refusal: { exists: false }
toolCalls: [{ name: a, arguments: {} }]
finish: tool_calls
usage: { completion_tokens: 5 }
eventCount: { gte: 3 }
events: [{ index: 0, event: ping }] # Individual events; also \`data\` and \`elapsed\`
error: { type: api_error }
ended: disconnected
`,
  },
]
