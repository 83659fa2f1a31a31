/** Both sampling parameters are adjusted. */
import type { FindingKind } from '../finding.ts'

/** The default of both: sending it adjusts nothing. */
const defaultValue = 1

export const temperatureAndTopP: FindingKind = {
  id: 'temperature-and-top-p',
  severity: 'warning',
  summary: 'Adjusted both `temperature` and `top_p` of chat.',
  section: 'contract 4.2',
  remedy: 'Adjust one of them and omit the other.',
  example: '`POST /v1/chat/completions` with `temperature: 0.2` and `top_p: 0.9`',
  exceptions: 'one of them, even if the other is sent with its default 1',
  on: ({ endpoint }) => endpoint.adjustOne !== undefined,
  fields: (operation) => operation?.endpoint.adjustOne?.slice(1) ?? [],
  watch: ({ report }) => ({
    called(call) {
      const { operation = '', adjustOne: [one = '', other = ''] = [] } = call.operation?.endpoint ?? {}
      const isAdjusted = (name: string): boolean =>
        typeof call.body[name] === 'number' && call.body[name] !== defaultValue
      if (!isAdjusted(one) || !isAdjusted(other)) return
      report({
        subject: operation,
        message: [
          `${operation} was sent \`${one}: ${call.body[one]}\` together with \`${other}:`,
          `${call.body[other]}\`.`,
        ].join(' '),
        calls: [call.ref],
      })
    },
  }),
}
