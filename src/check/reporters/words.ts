/** The words that all reports of a check share. */
import { clip } from '../../protocol/wording.ts'
import type { Finding } from '../report.ts'

/** `body /choices/0/index`. */
export function placeOf({ where, pointer }: Pick<Finding, 'where' | 'pointer'>): string {
  return pointer === '' ? where : `${where} ${pointer}`
}

const maxBody = 160

/** The request and the reply that showed it, in two lines. */
export function exchangeLines({ request, reply }: Finding): string[] {
  const asked = `${request.method} ${request.url}${bodyOf(request.body)}`
  return [asked, `→ ${reply.status}${bodyOf(reply.body)}`]
}

function bodyOf(body: unknown): string {
  if (body === undefined) return ''
  return ` ${clip(typeof body === 'string' ? body.replace(/\s+/g, ' ') : JSON.stringify(body), maxBody)}`
}
