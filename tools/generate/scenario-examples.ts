/**
 * An example for every key of the scenario format, by the object that it belongs to; tests validate them. A
 * comment describes the key where its schema describes more than that.
 */

interface Section {
  readonly heading: string
  readonly about?: string
  /** The definitions of the schema with these keys; undefined for the file, `Given.videos` for a list. */
  readonly of: readonly (string | undefined)[]
  /** An example for each key, in a line of YAML. */
  readonly lines: string
}

export const scenarioExamples: readonly Section[] = [
  {
    heading: 'The file',
    about:
      'Only `title` is required. The keys of `clock`, `keys`, `models` and `limits` are those of the ' +
      '[settings](settings.md).',
    of: [undefined],
    lines: `
$schema: a.json
title: A video fails # What happens
description: As seen in March. # Details
seed: fox-7 # The seed for all randomness
clock: { mode: manual } # Mode, start and speed of the clock
keys: { sk-a: { models: [gpt-4o] } } # The valid API keys. Default: any
models: { chat: [gpt-4o] } # The model ids of each API. Default: any
limits: { requestsPerMinute: 60 } # Limits of the gateway
given: { videos: [{ id: video_a }] } # Resources that exist when a session starts
flags: { outage: "off" } # Flags and their initial values
rules: [{ then: { text: Hello. } }] # The first rule that matches a request responds to it
steps: [{ advance: 30s }] # A client, for \`gateway-sim replay\`
`,
  },
  {
    heading: 'Rules',
    of: ['Rule'],
    lines: `
id: busy-once # Its name in reports. Default: its position in the file
when: { model: o3 } # All conditions must match. Default: every request
then: { error: { status: 429 } } # The response; \`{}\` is the default response
`,
  },
  {
    heading: 'when',
    about: 'The values from `key` to `job.body`, and those of `flags`, are [matchers](#matchers).',
    of: ['When'],
    lines: `
operation: videos.* # Default: all
key: sk-alice
model: gpt-4o*
body: { stream: true } # Fields of a JSON body or a form
query: { limit: "5" } # Query parameters
headers: { x-test: checkout } # Headers, in any case
path: { video_id: video_a } # Path parameters
conversation.lastUser: { contains: weather } # The last user message
conversation.toolResult: { contains: "22" } # The last tool result; \`true\` for any, \`false\` for none
conversation.turn: 2 # The assistant's turn, from 1
job.operation: videos.remix # The operation that submitted the job
job.model: sora-2 # The model of its submission
job.prompt: { contains: sunset } # The prompt of its submission
job.body: { seconds: "8" } # Fields of its submission
flags: { outage: "on" } # Flags of the session
during.from: 10s # Start: a duration since the session's start, or a timestamp
during.until: 2026-01-01T00:01:00Z # End, exclusive
nth: [1, 3] # Which matching requests, counted from 1
first: 2 # Only the first n matching requests
skip: 2 # All matching requests but the first n
everyNth: 3 # Every nth matching request
times: 2 # The rule responds at most n times
per: job # Counted apart: \`job\`, \`key\`, \`model\`, a value (\`headers.x-user\`). Default: \`session\`
`,
  },
  {
    heading: 'Matchers',
    about: 'All operators of a matcher must match.',
    of: ['Operators'],
    lines: `
equals: { a: 1 } # Exactly this value
not: gpt-4o # No match
contains: sunset # A string with this part, or a list with this item
startsWith: video_ # The start of a string
endsWith: .png # The end of a string
regex: "^sk-[a-z]+$" # A JavaScript regular expression
gt: 3 # Greater than
gte: 3 # At least
lt: 10 # Less than
lte: 10 # At most
exists: false # Whether the field exists
anyOf: [gpt-4o, o3] # One of these
some: { role: system } # An item of a list
length: { gte: 2 } # The length of a string or list
`,
  },
  {
    heading: 'then',
    about: 'An item of `sequence` and the `then` of `weighted` have the same keys, down to `offContract`.',
    of: ['Then'],
    lines: `
error: { status: 503 } # An error of the API
job: { failAt: 60 } # The lifecycle of the created job
timeline: [{ at: 20s, progress: 40 }] # The states of the job over time
response: { status: 200, body: { ok: true } } # The whole response
patch: { choices.0.message.content: Hi. } # Changes to the JSON body, by field or path
unset: [usage] # Paths to remove from the body
headers: { x-region: eu } # Headers to set; null removes a header
text: It is sunny. # The text of the response
choices: [{ text: Yes. }, { text: No. }] # Chat: one for each choice (\`n\`); the last one repeats
stream: { eventInterval: 50ms } # Pacing and content of a stream
delay: 2s # Virtual time before the first byte
upstream: { status: 503 } # The upstream response of a decision evaluation
fault: { kind: disconnect, afterEvents: 3 } # A fault or a list of faults
setFlags: { outage: "on" } # Flags to set when the rule responds
offContract: true # Allows violations of the contract
sequence: [{ text: A. }, { text: B. }] # One response for each request, in order
end: cycle # After the last of \`sequence\`: repeat it, start again, or pass to later rules. Default: \`last\`
weighted: [{ weight: 9, then: {} }, { weight: 1, then: { fault: reset } }] # Chosen by the seed
`,
  },
  {
    heading: 'error',
    of: ['ErrorAnswer'],
    lines: `
type: rate_limit_error # \`error.type\`. Default: by \`status\`
status: 429 # The HTTP status. Default: by \`type\`
code: 2007 # The numeric code in the envelope
message: Too many jobs.
param: model # The field that the error is about
details: [{ code: 1, message: Too long. }] # The \`details\` of the envelope
trace_id: trace-1 # The trace id of the envelope. Default: generated
retryAfter: 7s # The \`retry-after\` header; SDKs wait in real time
before: auth # The check that the error precedes. Default: after validation
`,
  },
  {
    heading: 'job',
    about:
      '`created`: the job exists even though `error` rejects its submission. `stuck`: it never finishes. ' +
      '`finished`: it finishes immediately.',
    of: ['JobFailAt'],
    lines: `
failAt: 60 # Fails at this percentage
code: moderation_blocked # The error code
message: Blocked. # The error message
notFoundAt: 80 # 404 from this percentage on
regressAt: 50 # Returns to its first state at this percentage
blocked: [1] # Image jobs: blocked images, counted from 0
`,
  },
  {
    heading: 'response',
    of: ['Response'],
    lines: `
status: 302 # The HTTP status
body: { ok: true }
text: Moved. # A string instead of JSON
base64: aGk= # The bytes
file: a.json # A file with the bytes
contentType: text/html # Default: by the bytes and the file name
`,
  },
  {
    heading: 'delay and ramps',
    about: 'A ramp changes a number of a timeline linearly: `progress: { from: 0, to: 90, over: 30s }`.',
    of: ['DelayFrom', 'DelayMedian', 'Ramp'],
    lines: `
from: 1s # The minimum, or the start
to: 3s # The maximum, or the end
median: 800ms # The median of a log-normal delay
sigma: 0.5 # Its spread
max: 10s # Its maximum
over: 30s # The duration of a ramp
`,
  },
  {
    heading: 'upstream',
    of: ['Upstream'],
    lines: `
status: 429 # Its error: the gateway returns 400 for 422, 429 for 429 and 503 for 5xx
usage: missing # Invalid usage: the gateway returns 502
fields: { region: eu } # Additional fields
`,
  },
  {
    heading: 'stream',
    of: ['Stream'],
    lines: `
firstEventAfter: 800ms # Time until the first event
eventInterval: 40ms # Time between events
tokensPerSecond: 30 # The pace, instead of \`eventInterval\`
jitter: 10ms # Random variation of each wait
script: [{ text: Hello. }, { wait: 2s }] # The content. Default: the default response
frames: [{ event: ping, data: {} }] # The whole stream: events, text as sent, waits, faults
`,
  },
  {
    heading: 'Script items',
    about:
      'An item has one of these keys; `logprobs` and `citations` belong to `text`, `signature` to ' +
      '`reasoning`.',
    of: ['ScriptItem', 'ScriptItemWait', 'ScriptItemFault'],
    lines: `
text: [Hel, lo.] # Text; a list gives the chunks
logprobs: [-0.1, { logprob: -0.2 }] # For each chunk; also \`token\`, \`bytes\` and \`top_logprobs\`
citations: [{ url: "https://a.example/" }] # Sources of this text; also \`title\`, \`type\` and \`cited_text\`
reasoning: Hmm. # Text before the answer; a list gives the chunks
signature: c2ln # Messages: the signature of its block. Default: generated
redacted: true # Messages: redacted thinking; \`true\` generates it
refusal: "No." # A refusal of the model; a list gives the chunks
toolCall: { name: a, arguments: {} }
toolCalls: [{ name: a, arguments: {} }, { name: b, arguments: {} }] # Tool calls with interleaved chunks
usage: { output: 5 } # Instead of the counted tokens; also \`input\`, \`reasoning\` and \`cached\`
finish: length # The finish reason, instead of the default; also \`{ stop_sequence }\`
wait: 2s # Time before the next item
raw: ": comment\\n\\n" # Bytes to write unchanged
fault: { kind: disconnect } # A fault at this point
partial: 0 # Images: a partial version of this image, from 0
image: 0 # Images: this image, finished
`,
  },
  {
    heading: 'Tool calls',
    of: ['ToolCall'],
    lines: `
name: weather # The tool
arguments: '{"city": "Ro' # An object, or JSON text, even invalid; a list gives the chunks
id: call_1 # Default: generated
`,
  },
  {
    heading: 'timeline and given',
    about:
      'Entries of `timeline`, and of `given.imageJobs`, `given.videos` and `given.videoOperations`, set ' +
      'the fields of the response. Each kind has the fields of its API.',
    of: ['TimelineEntry', 'Given.imageJobs', 'Given.videos', 'Given.videoOperations'],
    lines: `
status: failed # The status, in the terms of its API
comment: Almost done # The status text, or the failure reason
urls: ["https://a.example/1.png"] # The URLs of the results
audits: ["", blocked] # For each URL: empty, or the reason for blocking
cost: { jobId: a, feeCost: 1 } # Also \`fastCost\`, \`relaxCost\` and \`costAt\`
text: a sunset --ar 16:9 # The prompt
seed: 7 # The seed
progress: 40 # Percent
error: { code: moderation_blocked } # The failure reason
created_at: 2026-01-01T00:00:00Z # Unix seconds or ISO 8601
completed_at: 2026-01-01T00:01:00Z # Unix seconds or ISO 8601
expires_at: 1767229200 # When its content expires
seconds: "8" # Its length in seconds
size: 1280x720 # Width and height
remixed_from_video_id: video_a # The source of a remix
object: video
progressPercent: 40 # Percent, in \`metadata\`
filtered: [violence] # Reasons of the safety filter, one for each video
response: { generatedVideos: [] } # A video has \`uri\` or \`videoBytes\`, \`mimeType\`, \`createTime\`
dialect: generatedVideos # The only field of \`response\` with the videos. Default: all three
metadata: { updateTime: a } # Also \`createTime\` and \`@type\`
done: true # Default: by the status
name: projects/p/locations/l/publishers/google/models/veo/operations/00000000-0000-0000-0000-000000000000
model: sora-2 # The model in responses
id: video_a # The id in responses
`,
  },
  {
    heading: 'Only in timeline',
    of: ['TimelineEntry'],
    lines: `
at: 20s # Time since the submission
poll: 3 # From this poll on, instead of \`at\`
unset: [comment] # Fields to omit from now on
reset: [progress] # Fields to reset to their defaults
notFound: true # 404 from now on
`,
  },
  {
    heading: 'Only in given',
    of: ['Given.imageJobs', 'Given.videos', 'Given.videoOperations'],
    lines: `
key: sk-alice # Its API key. Default: the first of \`keys\`
prompt: a sunset
images: 2 # The number of images. Default: 4
aspectRatio: "9:16" # The aspect ratio of the videos
resolution: 1080p # The resolution of the videos
generateAudio: false # Whether the videos have sound
durationSeconds: 6 # Seconds of each video
sampleCount: 2 # The number of videos
age: 1h # Time since its creation. Default: by its status
timeline: [{ at: 2h, notFound: true }] # Its states over time
offContract: true # Allows violations of the contract
content: { file: a.mp4 } # The result, or a list of results
`,
  },
  {
    heading: 'given.files',
    of: ['Given.files'],
    lines: `
path: images/cat.png # Its path in the upload URL
provider: COS # The storage provider. Default: the first one of the settings
contentType: image/png # Default: by its path
content: { text: Hi. } # Its bytes
age: 10m # Time since its upload
`,
  },
  {
    heading: 'Bytes',
    about: 'Exactly one of these keys.',
    of: ['Content'],
    lines: `
text: Hello. # A string
base64: aGk= # Bytes
file: cat.png # A file beside the scenario, or in a folder of \`--allow-files\`
image: { width: 8, height: 8 } # A generated PNG; also \`transparent\`
`,
  },
  {
    heading: 'Steps',
    about: 'Each step has one of `call`, `fetch`, `advance` and `parallel`.',
    of: ['Step'],
    lines: `
name: Submit # Its name in reports
call: videos.create # The operation
with: { prompt: a sunset } # Path parameters and body fields
query: { limit: 5 } # Query parameters beside a body
headers: { x-test: a }
key: sk-alice
form: true # Sends a form
stopAfter: 3 # Disconnects after n events
waitFor: { body: { status: completed } } # Repeats the request until the response matches
interval: 2s # Time between these requests
timeout: 5m # The maximum time for \`waitFor\`
expect: { status: 200 } # The expected response
save: { video: body.id } # Parts of the response to save
fetch: \${upload_url} # A URL from an earlier response
method: PUT # The method of \`fetch\`
content: { text: Hello. }
advance: 30s # Advances virtual time
parallel: [{ call: models.list }] # Steps that start together
`,
  },
  {
    heading: 'expect and waitFor',
    about: 'The values are [matchers](#matchers), except those of `stream`, `broken` and `offContract`.',
    of: ['Expectation'],
    lines: `
status: 429 # Default: below 400
headers: { retry-after: "7" } # Headers, in any case
body: { status: completed } # Part of the JSON body
text: { contains: Error } # The body as a string
bytes: { gt: 1000 } # The size of the body
stream: { finish: stop } # The stream
took: { gte: 2000 } # Virtual milliseconds until the response started
broken: reset # How the connection failed
fired: [{ kind: video }] # After \`advance\`: changes that were due
offContract: true # Allows violations of the contract
`,
  },
  {
    heading: 'expect.stream',
    about: 'The values are [matchers](#matchers), except those of `toolCalls`, `events` and `ended`.',
    of: ['StreamExpectation'],
    lines: `
text: It is sunny.
reasoning: { contains: think }
refusal: { exists: false }
toolCalls: [{ name: a, arguments: {} }] # All tool calls, in order
finish: tool_calls # The finish reason, in the terms of the API or OpenAI
usage: { completion_tokens: 5 } # The usage, with the API's field names
eventCount: { gte: 3 } # The number of events
events: [{ index: 0, event: ping }] # Individual events; also \`data\` and \`elapsed\`
error: { type: api_error } # The error event. Default: none
ended: disconnected # How the stream ended. Default: \`completed\`
`,
  },
]
