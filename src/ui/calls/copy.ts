/** A recorded request as a matcher and as a step of a scenario. */
import { statusOf } from '../../exchange/exchange.ts'
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { escaped, idsIn, matcherOf, paramsOf, streamText } from '../rules/rule-of.ts'
import { fieldsOf, filesOf, isWhole, parsed, sentBody } from './sent-body.ts'

/** The URL of the simulator: the page is under its control API. */
export const baseUrl = (): string => location.origin + location.pathname.replace(/\/[^/]+\/ui\/.*$/, '')

export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

export function asMatcher(entry: JournalEntryJson, template: string | undefined): string {
  return JSON.stringify(matcherOf(entry, template), null, 2)
}

/** What the copies lack or need. */
export function copyNotes(
  entry: JournalEntryJson,
  template: string | undefined,
  noRule: string | undefined,
): string {
  const { operation } = entry
  const files = filesOf(entry)
  const ids = Object.keys(savedIds(entry, template))
  const isWide = Object.keys(matcherOf(entry, template)).length < 2
  return [
    isWhole(entry) ? '' : 'No copy as curl, SDK call or step: the journal keeps a part of the request body.',
    files.length === 0 ? '' : `The copies read ${files.join(', ')}, which the journal does not contain.`,
    ids.length === 0 ? '' : `The step reads ${ids.join(', ')} from save: of an earlier step.`,
    noRule === undefined ? '' : `This response cannot be copied as a rule: ${noRule}.`,
    isWide ? `The condition matches every ${operation === undefined ? '' : `${operation} `}request.` : '',
  ]
    .filter((note) => note !== '')
    .join(' ')
}

/** The ids of jobs in the path: a scenario has other jobs, whose ids an earlier step saves. */
const savedIds = (entry: JournalEntryJson, template: string | undefined): Record<string, string> =>
  statusOf(entry) >= 400
    ? {}
    : Object.fromEntries(idsIn(entry, template).map(([name]) => [name, `\${${name}}`]))

/** `template` is the path of the operation; without it, the step fetches the URL. */
export function asStep(entry: JournalEntryJson, template: string | undefined): string {
  const { operation, key, request } = entry
  const [, query] = request.url.split('?')
  const body = sentBody(entry)
  const params = paramsOf(entry, template)
  const asked = query === undefined ? {} : Object.fromEntries(new URLSearchParams(query))
  const file = body !== undefined && 'file' in body ? { file: body.file } : undefined
  const form = fieldsOf(body, ({ name, contentType }) => ({ file: name, contentType }))
  const fields = {
    ...params,
    ...(body === undefined ? asked : form),
    content: file,
  }
  const content = file ?? (form === undefined ? undefined : { text: JSON.stringify(form) })
  const step =
    operation === undefined || params === undefined
      ? {
          fetch: request.url,
          method: request.method,
          ...(key === undefined ? {} : { key: 'sk-test' }),
          content,
        }
      : {
          call: operation,
          with: Object.keys(fields).length === 0 ? undefined : fields,
          query: body === undefined || query === undefined ? undefined : asked,
          form: body !== undefined && 'form' in body ? true : undefined,
        }
  const written: typeof step = escaped(step)
  if ('with' in written && written.with !== undefined) Object.assign(written.with, savedIds(entry, template))
  return JSON.stringify({ ...written, ...expectedOf(entry) }, null, 2)
}

/** What was seen: the status, how the connection broke, and how a stream ended. */
function expectedOf(entry: JournalEntryJson): object {
  const { ended, response, cause } = entry
  const isStalled = cause.faults.some((fault) => fault.startsWith('stall'))
  if (response === undefined) return { expect: { broken: cause.faults.includes('hang') ? 'hang' : 'reset' } }
  // The response violates the contract, which a step must expect.
  const isBroken = cause.faults.includes('wrong-content-type') || cause.faults.includes('malformed-event')
  const { status, events = [], eventCount = 0 } = response
  if (events.length === 0 && eventCount === 0) {
    const cut = ended === 'disconnected' ? 'truncated' : undefined
    const broken = isStalled ? 'hang' : cut
    const isGarbled =
      broken === undefined && cause.faults.length > 0 && parsed(response.body?.text) === undefined
    return { expect: { status, broken, offContract: isBroken || isGarbled || undefined } }
  }
  const last = events.at(-1)?.data ?? ''
  const isKept = events.length >= eventCount
  // The default text depends on the seed, which another simulator does not share.
  const isOfRule = cause.rule !== undefined && cause.decidedBy?.kind !== 'breakpoint'
  const text = isOfRule && isKept ? streamText(events) : undefined
  const isWhole = !isKept || /\[DONE\][\r\n]*$|"type":"(?:message_stop|\w+\.completed)"/.test(last)
  let end: string | undefined = isWhole ? undefined : 'no-end-marker'
  if (ended !== 'completed') end = ended
  if (isStalled) end = 'stalled'
  const said = {
    text: text ? escaped(text) : undefined,
    eventCount: ended === 'completed' ? undefined : eventCount,
    error: parsed(last)?.['error'] === undefined ? undefined : { exists: true },
    ended: end,
  }
  return {
    ...(end === 'aborted' ? { stopAfter: eventCount } : {}),
    expect: { status, stream: said, offContract: isBroken || undefined },
  }
}
