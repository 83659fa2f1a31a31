/** Judges what clients send. */
import { nearestWord } from '../../protocol/nearest-word.ts'
import { clip } from '../../protocol/wording.ts'
import { type ClientFinding, finding } from '../finding.ts'
import type { RecordedSession } from './recorded-session.ts'

const credentials = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

export function credentialsToSignedUrl({ calls }: RecordedSession): ClientFinding[] {
  return calls.flatMap((call) => {
    if (call.operation?.endpoint.upload !== 'receive') return []
    const headers = credentials.filter((name) => (call.header(name) ?? '') !== '')
    if (headers.length === 0) return []
    return [finding('credentials-to-signed-url', { subject: call.path, headers }, [call])]
  })
}

export function sentCallback({ calls }: RecordedSession): ClientFinding[] {
  return calls.flatMap((call) => {
    const { job, operation: subject = '' } = call.operation?.endpoint ?? {}
    const submits = job?.submits
    if (submits?.rejectsCallback !== true || !Object.hasOwn(call.body, 'callback')) return []
    return [finding('sent-callback', { subject, status: call.status }, [call])]
  })
}

const maxNames = 20
const maxNameLength = 100

export function ignoredField({ calls }: RecordedSession): ClientFinding[] {
  return calls.flatMap((call) => {
    const { status, entry } = call
    const { operation, cause } = entry
    // A rejection has already named the field.
    if (status >= 300 || operation === undefined) return []
    return cause.ignored.slice(0, maxNames).map((name) => {
      const field = clip(name, maxNameLength)
      const nearest = nearestWord(field, [...(call.knownFields ?? [])])
      return finding('ignored-field', { subject: `${operation} ${field}`, operation, field, nearest }, [call])
    })
  })
}

/** The default of both: sending it adjusts nothing. */
const defaultValue = 1

export function temperatureAndTopP({ calls }: RecordedSession): ClientFinding[] {
  return calls.flatMap((call) => {
    const { adjustOne = [], operation: subject = '' } = call.operation?.endpoint ?? {}
    const adjusted = adjustOne.flatMap((field) => {
      const value = call.body[field]
      return typeof value === 'number' && value !== defaultValue ? [{ field, value }] : []
    })
    return adjusted.length > 1 ? [finding('temperature-and-top-p', { subject, adjusted }, [call])] : []
  })
}

export function deprecatedParameter({ calls }: RecordedSession): ClientFinding[] {
  return calls.flatMap((call) => {
    const { deprecated = {}, operation = '' } = call.operation?.endpoint ?? {}
    return Object.entries(deprecated).flatMap(([subject, successors]) => {
      const value = call.body[subject]
      if (value === undefined || value === null) return []
      return [finding('deprecated-parameter', { subject, operation, successors }, [call])]
    })
  })
}
