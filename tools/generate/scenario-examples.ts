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
    about: '`clock`, `keys`, `models` and `limits` have the keys of the [settings](settings.md).',
    of: [undefined],
    lines: `
$schema: a.json # JSON Schema, for editors
title: A video fails # What happens
description: As seen in March. # Details
seed: fox-7 # Seed for all randomness
clock: { mode: manual } # Mode, start and speed of the clock
keys: { sk-a: { models: [gpt-4o] } } # Valid API keys. Default: any
models: { chat: [gpt-4o] } # Model ids of each API. Default: any
limits: { requestsPerMinute: 60 } # Limits of the gateway
given: { videos: [{ id: video_a }] } # Initial resources
flags: { outage: "off" } # Flags with initial values
rules: [{ then: { text: Hello. } }] # The first matching rule responds
steps: [{ advance: 30s }] # Client steps for \`gateway-sim replay\`
`,
  },
  {
    heading: 'Rules',
    of: ['Rule'],
    lines: `
id: busy-once # Name in reports. Default: position in the file
when: { model: o3 } # Conditions that must all match. Default: every request
then: { error: { status: 429 } } # Response; \`{}\` is the default response
`,
  },
  {
    heading: 'when',
    about: 'The keys from `key` to `job.body`, and the values of `flags`, take [matchers](#matchers).',
    of: ['When'],
    lines: `
operation: videos.* # Default: all
key: sk-alice # API key
model: gpt-4o* # Model
body: { stream: true } # Fields of a JSON body or form
query: { limit: "5" } # Query parameters
headers: { x-test: checkout } # Headers; names are case-insensitive
path: { video_id: video_a } # Path parameters
conversation.lastUser: { contains: weather } # Last user message
conversation.toolResult: { contains: "22" } # Last tool result; \`true\` for any, \`false\` for none
conversation.turn: 2 # The assistant's turn, from 1
job.operation: videos.remix # Operation of the submission
job.model: sora-2 # Model in the submission
job.prompt: { contains: sunset } # Prompt in the submission
job.body: { seconds: "8" } # Fields of the submission
flags: { outage: "on" } # Flags of the session
during.from: 10s # Time since the session's start, or a timestamp
during.until: 2026-01-01T00:01:00Z # End, exclusive
nth: [1, 3] # Numbers of matching requests
first: 2 # First n matching requests
skip: 2 # All matching requests after the first n
everyNth: 3 # Every nth matching request
times: 2 # Maximum number of responses
per: job # Separate counts per \`job\`, \`key\`, \`model\` or value (\`headers.x-user\`). Default: \`session\`
`,
  },
  {
    heading: 'Matchers',
    about: 'All operators must match.',
    of: ['Operators'],
    lines: `
equals: { a: 1 } # Exactly this value
not: gpt-4o # Any value that does not match
contains: sunset # Part of a string, or item of a list
startsWith: video_ # Start of a string
endsWith: .png # End of a string
regex: "^sk-[a-z]+$" # JavaScript regular expression
gt: 3 # Greater than
gte: 3 # At least
lt: 10 # Less than
lte: 10 # At most
exists: false # Whether the field exists
anyOf: [gpt-4o, o3] # Any of these
some: { role: system } # At least one item
length: { gte: 2 } # Length of a string or list
`,
  },
  {
    heading: 'then',
    about:
      'Items of `sequence` and `weighted` accept the keys from `error` through `offContract` in this table.',
    of: ['Then'],
    lines: `
error: { status: 503 } # API error
job: { failAt: 60 } # Lifecycle of the created job
timeline: [{ at: 20s, progress: 40 }] # Job states over time
response: { status: 200, body: { ok: true } } # Whole response
patch: { choices.0.message.content: Hi. } # Changes to the JSON body, by path
unset: [usage] # Paths to remove
headers: { x-region: eu } # Headers to set; null removes a header
text: It is sunny. # Response text
call: get_weather # Tool to call; \`{ get_weather: { city: Paris } }\` sets the arguments
choices: [{ text: Yes. }] # Chat: one entry per choice (\`n\`); the last repeats
stream: { eventInterval: 50ms } # Pacing and content of a stream
delay: 2s # Virtual time before the first byte
upstream: { status: 503 } # Response of the upstream to a decision evaluation
fault: { kind: disconnect, afterEvents: 3 } # One fault or several
setFlags: { outage: "on" } # Flags to set when the rule responds
offContract: true # Allows violations of the contract
sequence: [{ text: A. }, { text: B. }] # One response per request, in order
end: cycle # After \`sequence\`: repeat the last response, restart, or try later rules. Default: \`last\`
weighted: [{ weight: 9, then: {} }, { weight: 1, then: { fault: reset } }] # Seeded random choice
`,
  },
  {
    heading: 'error',
    of: ['ErrorAnswer'],
    lines: `
type: rate_limit_error # \`error.type\`. Default: from \`status\`
status: 429 # HTTP status. Default: from \`type\`
code: 2007 # Numeric code
message: Too many jobs. # Error message
param: model # Field with the error
details: [{ code: 1, message: Too long. }] # \`error.details\`
trace_id: trace-1 # Trace id. Default: generated
retryAfter: 7s # \`retry-after\` header; SDKs wait in real time
before: auth # The check that the error precedes. Default: after validation
`,
  },
  {
    heading: 'job',
    about:
      '`created`: the job exists although `error` rejects its submission. `stuck`: it never finishes. ' +
      '`finished`: it finishes immediately.',
    of: ['JobFailAt'],
    lines: `
failAt: 60 # Percentage of the duration at which the job fails
code: moderation_blocked # Error code
message: Blocked. # Error message
notFoundAt: 80 # 404 from this percentage on
regressAt: 50 # Return to the first state at this percentage
blocked: [1] # Image jobs: indexes of blocked images
`,
  },
  {
    heading: 'response',
    of: ['Response'],
    lines: `
status: 302 # HTTP status
body: { ok: true } # JSON body
text: Moved. # String instead of JSON
base64: aGk= # Bytes
file: a.json # File with the bytes
contentType: text/html # Default: from the bytes and the file name
`,
  },
  {
    heading: 'delay and ramps',
    about: 'A ramp changes a number in a timeline linearly: `progress: { from: 0, to: 90, over: 30s }`.',
    of: ['DelayFrom', 'DelayMedian', 'Ramp'],
    lines: `
from: 1s # Minimum of a delay, or start of a ramp
to: 3s # Maximum of a delay, or end of a ramp
median: 800ms # Median of a log-normal delay
sigma: 0.5 # Spread of a log-normal delay
max: 10s # Maximum of a log-normal delay
over: 30s # Duration of a ramp
`,
  },
  {
    heading: 'upstream',
    about: 'The gateway turns 422 into 400, and 5xx into 503.',
    of: ['Upstream'],
    lines: `
status: 429 # Error status
usage: missing # Missing or invalid usage; the gateway returns 502
fields: { region: eu } # Additional fields
`,
  },
  {
    heading: 'stream',
    of: ['Stream'],
    lines: `
firstEventAfter: 800ms # Time until the first event
eventInterval: 40ms # Time between events
tokensPerSecond: 30 # Pace, instead of \`eventInterval\`
jitter: 10ms # Random variation of each wait
script: [{ text: Hello. }, { wait: 2s }] # Content. Default: the default response
frames: [{ event: ping, data: {} }] # Whole stream: events, raw text, waits and faults
`,
  },
  {
    heading: 'Script items',
    about:
      'Each item has one of these keys, but `logprobs` and `citations` accompany `text`, and `signature` ' +
      'accompanies `reasoning`. A list of strings sets the chunks.',
    of: ['ScriptItem', 'ScriptItemWait', 'ScriptItemFault'],
    lines: `
text: [Hel, lo.] # Text
logprobs: [-0.1, { logprob: -0.2 }] # One value per chunk; also \`token\`, \`bytes\` and \`top_logprobs\`
citations: [{ url: "https://a.example/" }] # Sources of the text; also \`title\`, \`type\` and \`cited_text\`
reasoning: Hmm. # Reasoning before the answer
signature: c2ln # Messages: signature of the thinking block. Default: generated
redacted: true # Messages: redacted thinking; \`true\` generates it
refusal: "No." # Refusal by the model
toolCall: { name: a, arguments: {} }
toolCalls: [{ name: a, arguments: {} }, { name: b, arguments: {} }] # Interleaved tool calls
usage: { output: 5 } # Usage to report instead of counted tokens; also \`input\`, \`reasoning\` and \`cached\`
finish: length # Finish reason; also \`{ stop_sequence }\`
wait: 2s # Time before the next item
raw: ": comment\\n\\n" # Bytes to write unchanged
fault: { kind: disconnect } # A fault at this point
partial: 0 # Images: partial version of this image
image: 0 # Images: this image, finished
`,
  },
  {
    heading: 'Tool calls',
    of: ['ToolCall'],
    lines: `
name: weather # Tool name
arguments: '{"city": "Ro' # Object, or JSON text, valid or not; a list sets the chunks
id: call_1 # Default: generated
`,
  },
  {
    heading: 'timeline and given',
    about:
      '`timeline`, `given.imageJobs`, `given.videos` and `given.videoOperations` set fields of the ' +
      'response. Each kind of job has the fields of its API.',
    of: ['TimelineEntry', 'Given.imageJobs', 'Given.videos', 'Given.videoOperations'],
    lines: `
status: failed # Status, as in the API
comment: Almost done # Status text or failure reason
urls: ["https://a.example/1.png"] # Result URLs. Default: generated after success
audits: ["", blocked] # Reason for blocking (or empty) per URL
cost: { jobId: a, feeCost: 1 } # Cost; also \`fastCost\`, \`relaxCost\` and \`costAt\`
text: a sunset --ar 16:9 # Prompt
seed: 7 # Seed
progress: 40 # Percent
error: { code: moderation_blocked } # Failure reason
created_at: 2026-01-01T00:00:00Z # Unix seconds or ISO 8601
completed_at: 2026-01-01T00:01:00Z # Unix seconds or ISO 8601
expires_at: 1767229200 # Unix seconds or ISO 8601
seconds: "8" # Length in seconds
size: 1280x720 # Width and height
remixed_from_video_id: video_a # Source of a remix
object: video # Always \`video\`
progressPercent: 40 # Percent, in \`metadata\`
filtered: [violence] # Safety filter reason per video
response: { generatedVideos: [] } # Videos with \`uri\` or \`videoBytes\`, \`mimeType\` and \`createTime\`
dialect: generatedVideos # Field of \`response\` with videos. Default: all three
metadata: { updateTime: a } # Metadata; also \`createTime\` and \`@type\`
done: true # Default: from the status
name: projects/p/locations/l/publishers/google/models/veo/operations/00000000-0000-0000-0000-000000000000
model: sora-2 # Model in responses
id: video_a # Id in responses
`,
  },
  {
    heading: 'Only in timeline',
    of: ['TimelineEntry'],
    lines: `
at: 20s # Time since the submission
poll: 3 # First poll with this state
unset: [comment] # Fields to omit from now on
reset: [progress] # Fields to reset to their defaults
notFound: true # 404 from now on
`,
  },
  {
    heading: 'Only in given',
    of: ['Given.imageJobs', 'Given.videos', 'Given.videoOperations'],
    lines: `
key: sk-alice # API key of the owner. Default: the first of \`keys\`
prompt: a sunset # Prompt
images: 2 # Number of images. Default: 4
aspectRatio: "9:16" # Aspect ratio
resolution: 1080p # Resolution
generateAudio: false # Whether videos have sound
durationSeconds: 6 # Length of each video in seconds
sampleCount: 2 # Number of videos
age: 1h # Time since the submission. Default: from the status
timeline: [{ at: 2h, notFound: true }] # Job states over time
offContract: true # Allows violations of the contract
content: { file: a.mp4 } # Result, or list of results
`,
  },
  {
    heading: 'given.files',
    of: ['Given.files'],
    lines: `
path: images/cat.png # Path in the upload URL
provider: COS # Storage provider. Default: the first in the settings
contentType: image/png # Default: from the path
content: { text: Hi. } # File bytes
age: 10m # Time since the upload
`,
  },
  {
    heading: 'Bytes',
    about: 'Use exactly one of these keys.',
    of: ['Content'],
    lines: `
text: Hello. # String
base64: aGk= # Bytes in base64
file: cat.png # File beside the scenario or in \`--allow-files\`
image: { width: 8, height: 8 } # Generated PNG; also \`transparent\`
`,
  },
  {
    heading: 'Steps',
    about: 'Each step has one of `call`, `fetch`, `advance` and `parallel`.',
    of: ['Step'],
    lines: `
name: Submit # Name in reports
call: videos.create # The operation
with: { prompt: a sunset } # Path parameters and body fields
query: { limit: 5 } # Query parameters
headers: { x-test: a } # Additional headers
key: sk-alice # API key
form: true # Form instead of JSON
stopAfter: 3 # Number of events before the client disconnects
waitFor: { body: { status: completed } } # Repeats the request until the response matches
interval: 2s # Time between repetitions
timeout: 5m # Maximum time for \`waitFor\`
expect: { status: 200 } # Expected response
save: { video: body.id } # Parts of the response to save
fetch: \${upload_url} # URL from an earlier response
method: PUT # Method of \`fetch\`
content: { text: Hello. } # Request body
advance: 30s # Advances virtual time
parallel: [{ call: models.list }] # Steps that start together
`,
  },
  {
    heading: 'expect and waitFor',
    about: 'All but `stream`, `broken` and `offContract` are [matchers](#matchers).',
    of: ['Expectation'],
    lines: `
status: 429 # Default: below 400
headers: { retry-after: "7" } # Headers; names are case-insensitive
body: { status: completed } # Fields of the JSON body
text: { contains: Error } # Body as a string
bytes: { gt: 1000 } # Size of the body
stream: { finish: stop } # The stream
took: { gte: 2000 } # Virtual milliseconds before the response
broken: reset # Connection failure
fired: [{ kind: video }] # After \`advance\`: changes that were due
offContract: true # Allows violations of the contract
`,
  },
  {
    heading: 'expect.stream',
    about: 'All but `toolCalls`, `events` and `ended` are [matchers](#matchers).',
    of: ['StreamExpectation'],
    lines: `
text: It is sunny. # Whole text
reasoning: { contains: think } # Whole reasoning
refusal: { exists: false } # Whole refusal
toolCalls: [{ name: a, arguments: {} }] # All tool calls, in order
finish: tool_calls # Finish reason, as named by the API or by OpenAI
usage: { completion_tokens: 5 } # Usage, with the API's field names
eventCount: { gte: 3 } # Number of events
events: [{ index: 0, event: ping }] # Individual events; also \`data\` and \`elapsed\`
error: { type: api_error } # Error event. Default: none
ended: disconnected # End of the stream. Default: \`completed\`
`,
  },
]
