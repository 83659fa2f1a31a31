/** Credentials of the gateway are sent to the object store. */
import { receivesUploads } from '../../protocol/operations.ts'
import type { FindingKind } from '../finding.ts'

const credentials = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

export const credentialsToSignedUrl: FindingKind = {
  id: 'credentials-to-signed-url',
  severity: 'error',
  summary: [
    'Sent credentials of the gateway to a signed upload URL: the store does not need them and should not',
    'see them.',
  ].join(' '),
  section: 'contract 5',
  remedy: 'Send the bytes with a plain HTTP request, without the headers of the gateway client.',
  example: '`PUT` on the `upload_url` with `authorization: Bearer …`',
  exceptions: 'an upload without these headers, or with empty ones',
  on: receivesUploads,
  watch: ({ report }) => ({
    called(call) {
      const sent = credentials.filter((name) => (call.header(name) ?? '') !== '')
      if (sent.length > 0)
        report({
          subject: call.path,
          message: `The upload to ${call.path} carried ${sent.map((name) => `\`${name}\``).join(' and ')}.`,
          calls: [call.ref],
        })
    },
  }),
}
