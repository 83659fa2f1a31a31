/**
 * Every finding, in the order of the documentation: about a client, with what to do instead and what looks
 * alike but is right, and about a response of a gateway. `tools/generate` writes the page of findings from
 * this table.
 */
import { formatDuration } from '../engine/duration.ts'
import type { ContractCode, Severity } from '../protocol/invariant.ts'
import { didYouMean } from '../protocol/nearest-word.ts'
import { show } from '../protocol/wording.ts'
import { counted } from '../text/printable.ts'

/** The job, field or request that a finding is about: the same subject is one finding, however often. */
interface Subject {
  readonly subject: string
}

interface FindingKind<Args> {
  /** The usual one. */
  readonly severity: Severity
  /** What the client did, or what the response has, for the documentation. */
  readonly summary: string
  /** The same in one case. */
  readonly sentence: (args: Args) => string
}

/** A finding about a client. */
export interface ClientKind<Args extends Subject> extends FindingKind<Args> {
  /** What to do instead. */
  readonly remedy: string
  /** Similar behaviour that is correct. */
  readonly exceptions?: string
  /** What to do instead in one case. Default: `remedy`. */
  readonly remedyFor?: (args: Args) => string
}

/** How a response violates the contract. */
export interface ContractArgs {
  readonly operation: string
  /** The rule that a probe tests; undefined for a schema or an invariant, which states what it expects. */
  readonly rule?: string | undefined
  readonly expected: string
  readonly got: string
}

/** A job: its noun (`image job`); its id is the subject. */
interface OfJob extends Subject {
  readonly noun: string
}

interface OfOperation extends Subject {
  readonly operation: string
}

interface OfCutStream extends Subject {
  /** The number of characters of the partial text. */
  readonly characters: number
}

const kind = <Args extends Subject>(of: ClientKind<Args>): ClientKind<Args> => of

const noRetries =
  'Disable automatic retries of submissions, in the SDK (`maxRetries: 0`) and in your own code.'

/** How a first submission was lost to its client, after "but". */
const losses = {
  left: () => 'the client disconnected before the response',
  broken: () => 'its connection broke',
  unreadable: () => 'its response was not valid JSON',
  rejected: (status: number) => `it got a ${status} response`,
}

export const clientCodes = {
  'resubmitted-known-job': kind<OfJob & { readonly status: number; readonly poll: string }>({
    severity: 'error',
    summary: 'Submitted a job again after a 424 or 500 response that contained the id of the created job.',
    remedy: 'Read the id from the error and query that job. Submit again only after it has failed.',
    exceptions:
      'a different submission, and a resubmission after an error without a job id or after a poll of the job',
    sentence: ({ subject, noun, status, poll }) =>
      `The ${noun} ${subject} was submitted again, even though a ${status} response contained its id. ` +
      `Query ${poll} instead.`,
  }),
  'retried-create': kind<
    OfJob & {
      readonly lost: keyof typeof losses
      readonly status: number
      readonly list?: string | undefined
    }
  >({
    severity: 'warning',
    summary:
      'Retried a submission after a broken connection, a timeout or an error without a job id. The first ' +
      'submission had created a job: now two jobs exist.',
    remedy:
      `${noRetries} Before you retry, check the list of videos. Image jobs and video operations have no ` +
      'list: let the user decide whether to submit again.',
    exceptions:
      'a retry of a submission that created nothing, and a retry after a query for the list or the job',
    sentence: ({ subject, noun, lost, status }) =>
      `The client submitted the same ${noun} twice without querying the first ${noun}. ` +
      `The first submission had created ${subject}, but ${losses[lost](status)}.`,
    // The contract has no idempotency keys: only a list shows what a lost submission has created.
    remedyFor: ({ noun, list }) =>
      list === undefined
        ? `${noRetries} No list shows the first ${noun}: let the user decide whether to submit again.`
        : `${noRetries} Before you retry, check the list of ${noun}s (\`${list}\`).`,
  }),
  'ignored-retry-after': kind<
    OfOperation & { readonly status: number; readonly waited: number; readonly wait: number }
  >({
    severity: 'error',
    summary:
      'Repeated a rejected request before its `retry-after` had passed. Above speed 1, only virtual time ' +
      'counts.',
    remedy: 'Before you send the same request again, wait for the time in `retry-after-ms` or `retry-after`.',
    exceptions:
      'a different request or API key; a concurrent HTTP request (on another connection, within 250 ms, ' +
      'not marked as an SDK retry); SDK retries (`x-stainless-retry-count`) in `manual` clock mode',
    sentence: ({ operation, status, waited, wait }) =>
      `${operation} was requested again ${formatDuration(waited)} after a ${status} response: expected a ` +
      `wait of ${formatDuration(wait)} (retry-after).`,
  }),
  hammered: kind<OfOperation & { readonly attempts: number }>({
    severity: 'warning',
    summary: 'Sent the same failing request many times in a row, with less than 100 ms between attempts.',
    remedy:
      'Wait longer after each attempt, and limit the number of attempts. Do not repeat a request that was ' +
      'rejected for its content or its API key.',
    exceptions:
      'up to four attempts (ten in `auto` clock mode); a different request or API key; attempts with a ' +
      'success between them; concurrent requests and SDK retries, as for `ignored-retry-after`',
    sentence: ({ operation, attempts }) =>
      `${operation} was sent ${attempts} times in a row without waiting. All attempts failed.`,
  }),
  'polled-too-fast': kind<
    OfJob & { readonly polls: number; readonly interval: number; readonly expected: number }
  >({
    severity: 'warning',
    summary:
      'Repeatedly polled a job more often than once a second. Above speed 1, only virtual time counts.',
    remedy:
      "Wait between polls, preferably with backoff: every poll counts against the API key's rate limit.",
    exceptions: 'up to four polls in quick succession, and polls of different jobs',
    sentence: ({ subject, noun, polls, interval, expected }) =>
      `The ${noun} ${subject} was polled ${polls} times in quick succession. The last interval was ` +
      `${formatDuration(interval)}; expected ${formatDuration(expected)} or more.`,
  }),
  'polled-after-end': kind<OfJob & { readonly end: 'success' | 'failure' }>({
    severity: 'warning',
    summary: 'Kept polling a job after a response had reported its success or failure.',
    remedy: 'Stop polling at every terminal state, including failure. Terminal states never change.',
    exceptions:
      'up to two more polls, polls with different API keys, and polls separated by another request for the ' +
      'job',
    sentence: ({ subject, noun, end }) =>
      `The ${noun} ${subject} was polled again after a response had reported its ${end}.`,
  }),
  'never-fetched-result': kind<OfJob>({
    severity: 'warning',
    summary: 'Polled a video to completion, but never downloaded, remixed or deleted the video.',
    remedy: 'Download completed videos with `GET /v1/videos/{video_id}/content` before `expires_at`.',
    exceptions:
      'a failed video; image URLs, which need no API key; video operations, whose responses contain the ' +
      'videos',
    sentence: ({ subject, noun }) =>
      `The ${noun} ${subject} was completed, but its content was never downloaded.`,
  }),
  'fetched-after-expiry': kind<
    Subject & { readonly status: number; readonly job?: { readonly noun: string; readonly id: string } }
  >({
    severity: 'warning',
    summary: 'Requested an expired result: the content of a video or the URL of an image.',
    remedy: 'Download results soon after completion, and store a copy instead of the URL.',
    exceptions: 'an error from a rule, a fault or a reserved value',
    sentence: ({ subject, status, job }) => {
      const what = job === undefined ? `The image ${subject}` : `The content of the ${job.noun} ${job.id}`
      return `${what} was requested after it had expired (${status}).`
    },
  }),
  'trusted-cut-stream': kind<OfCutStream & { readonly message: number }>({
    severity: 'error',
    summary: 'Sent the text of a truncated stream as an assistant turn, as if the text were complete.',
    remedy:
      'Treat a streamed response as complete only after its end (`finish_reason`, `message_stop`). If the ' +
      'end is missing, send the request again, or ask for the rest in the next turn.',
    exceptions:
      'a stream that the client cancelled; a turn followed by a request to continue it; a prefill; text ' +
      'that matches a later, complete response; text under eight characters, unless it follows the same ' +
      'messages as the stream',
    sentence: ({ subject, characters, message }) =>
      `The text of the truncated stream ${subject} (${characters} characters) was sent as a complete ` +
      `assistant turn (\`messages[${message}]\`).`,
  }),
  'repeated-partial-text': kind<OfCutStream & { readonly message: number }>({
    severity: 'error',
    summary:
      'Sent an assistant turn that contains the text of a truncated stream, followed by the complete ' +
      'response to the repeated request.',
    remedy: 'Discard the text of a truncated stream before you request the answer again.',
    exceptions:
      'text shorter than eight characters; a response to a request that already contained the partial ' +
      'text; output that the client does not send back, which the gateway cannot see',
    sentence: ({ subject, characters, message }) =>
      `The text of the truncated stream ${subject} (${characters} characters) is at the beginning of ` +
      `\`messages[${message}]\`, before the complete response.`,
  }),
  'fell-back-after-content': kind<OfCutStream & { readonly route: string; readonly instead: string }>({
    severity: 'hint',
    summary:
      'Asked another model or API for the answer after a stream had ended mid-text. A user ' +
      'who reads the stream sees two answers, unless the client removes the first, which the gateway ' +
      'cannot see.',
    remedy:
      'Remove the partial text from the output before you show the other answer, or fall back only if no ' +
      'content has arrived.',
    exceptions:
      'a fallback before any text has arrived, a retry with the same model and API, a request sent before ' +
      'the end of the stream or with different messages, and a stream that the client cancelled',
    sentence: ({ route, characters, instead }) =>
      `The stream of ${route} ended after ${characters} characters of text, and the client used ${instead} ` +
      'instead.',
  }),
  'stream-cut-short': kind<OfOperation & { readonly events: number }>({
    severity: 'hint',
    summary: 'Disconnected from a stream before the finish reason arrived. The tokens are still billed.',
    remedy:
      'Read streams to the end, or limit their length (`max_completion_tokens`, `stop`). Cancelling at the ' +
      "user's request is fine.",
    exceptions:
      'a disconnect between the finish reason and `[DONE]`, and a disconnect from a stream with a fault',
    sentence: ({ operation, events }) =>
      `The client aborted the stream of ${operation} after ${counted(events, 'event')}, before the finish ` +
      'reason.',
  }),
  'stream-left-open': kind<OfOperation & { readonly events: number }>({
    severity: 'hint',
    summary:
      'Neither read a stream to the end nor cancelled it before the report. Checked only in ' +
      '`manual` clock mode: in other modes, the client may still be reading.',
    remedy: 'Read the stream to the end, or cancel it. An open stream occupies a connection.',
    exceptions: 'a stream with a fault',
    sentence: ({ operation, events }) =>
      `The stream of ${operation} is still open after ${counted(events, 'event')}: the client neither read ` +
      'it to the end nor cancelled it.',
  }),
  'credentials-to-signed-url': kind<Subject & { readonly headers: readonly string[] }>({
    severity: 'error',
    summary: 'Sent gateway credentials to a signed upload URL. The object store must not receive them.',
    remedy: 'Upload the file with a plain HTTP request, without the headers of the gateway client.',
    exceptions: 'empty credential headers',
    sentence: ({ subject, headers }) =>
      `The upload to ${subject} was sent with ${headers.map((name) => `\`${name}\``).join(' and ')}.`,
  }),
  'other-key-than-source': kind<
    OfJob & {
      readonly operation: string
      readonly key: string
      readonly caller: string
      readonly owner: string
    }
  >({
    severity: 'error',
    summary: 'Edited an image job with an API key other than the one that submitted the job.',
    remedy:
      'Store the API key with the job id, and use it for every edit to the job, such as pan or variation.',
    exceptions: 'edits to jobs that do not exist in the session',
    sentence: ({ subject, noun, operation, key, caller, owner }) =>
      `${operation} for the ${noun} ${subject} was sent with the API key ${key} (caller ${caller} in the ` +
      `journal), but the job was submitted by caller ${owner}.`,
  }),
  'sent-callback': kind<Subject & { readonly status: number }>({
    severity: 'error',
    summary:
      'Sent `callback` in an image job submission. Callbacks are not supported: the gateway rejects the ' +
      'submission (400, code 2004).',
    remedy: 'Remove `callback` and poll `GET /v1/tob/job/{jobId}`.',
    sentence: ({ subject, status }) =>
      `${subject} was sent with \`callback\`, which is not supported (status ${status}).`,
  }),
  'ignored-field': kind<OfOperation & { readonly field: string; readonly nearest?: string | undefined }>({
    severity: 'warning',
    summary: 'Sent an unknown top-level field, which the endpoint ignores.',
    remedy:
      'Correct the name, or remove the field: it has no effect. With settings such as ' +
      '`chat.unknownParameters: reject`, the endpoint returns 400 instead.',
    exceptions: 'a field in a rejected request',
    sentence: ({ operation, field, nearest }) =>
      `${operation} was sent with the unknown field ${show(field)}.` +
      (nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`),
  }),
  'temperature-and-top-p': kind<
    Subject & { readonly adjusted: readonly { readonly field: string; readonly value: number }[] }
  >({
    severity: 'warning',
    summary: 'Set both `temperature` and `top_p` in a chat request.',
    remedy: 'Set either `temperature` or `top_p`.',
    exceptions: 'a request in which one of the two fields has its default of 1',
    sentence: ({ subject, adjusted }) =>
      `${subject} was sent with both ` +
      `${adjusted.map(({ field, value }) => `\`${field}: ${value}\``).join(' and ')}.`,
  }),
  'deprecated-parameter': kind<OfOperation & { readonly successors: readonly string[] }>({
    severity: 'hint',
    summary: 'Used a deprecated chat parameter: `max_tokens`, `user`, `functions` or `function_call`.',
    remedy:
      'Use `max_completion_tokens` instead of `max_tokens`, `safety_identifier` and `prompt_cache_key` ' +
      'instead of `user`, `tools` instead of `functions`, and `tool_choice` instead of `function_call`.',
    exceptions:
      'a parameter that is null, and `max_tokens` in messages. Some SDKs, such as the Vercel AI SDK and ' +
      'LangChain, send `max_tokens`',
    sentence: ({ subject, operation, successors }) =>
      `${operation} was sent with the deprecated parameter \`${subject}\`: use ` +
      `${successors.map((name) => `\`${name}\``).join(' and ')}.`,
  }),
}

const contractKind = (summary: string, severity: Severity = 'error'): FindingKind<ContractArgs> => ({
  severity,
  summary,
  sentence: ({ expected, got }) => `expected ${expected}, got ${got}`,
})

export const contractCodes: Readonly<Record<ContractCode, FindingKind<ContractArgs>>> = {
  'wrong-status': contractKind('A status that the contract does not allow for this request.'),
  'wrong-envelope': contractKind('A rejection without the documented error body.'),
  'missing-value': contractKind('A field, a header or an event that is missing.'),
  'wrong-type': contractKind('A field of another JSON type.'),
  'wrong-value': contractKind(
    'A value outside of those that the contract lists, or that contradicts another.',
  ),
  'wrong-format': contractKind(
    'A body, an event or a string that cannot be parsed, or a body that was cut off.',
  ),
  'wrong-order': contractKind('Events or states of a job in the wrong order, or a stream without its end.'),
  'extra-field': contractKind('A field that is not in the contract. It is no violation.', 'hint'),
}

export const codes = { ...clientCodes, ...contractCodes }

export type ClientCode = keyof typeof clientCodes

export type FindingCode = ClientCode | ContractCode

export type ArgsOf<Code extends FindingCode> = Parameters<(typeof codes)[Code]['sentence']>[0]

export const findingCodes = Object.keys(clientCodes) as readonly ClientCode[]

/** What is wrong with the setting `clientReport.off`: the codes in it that do not exist. */
export function unknownFindingCodes(off: readonly string[]) {
  const codes: readonly string[] = findingCodes
  return off.flatMap((code, index) => {
    if (codes.includes(code)) return []
    const meant = didYouMean(code, codes, ` (${codes.join(', ')})`, '; ')
    const message = `expected the code of a finding, got ${show(code)}${meant}`
    return [{ path: ['clientReport', 'off', index], message }]
  })
}
