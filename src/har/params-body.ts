/** The body of a form that a HAR file has as a list of its fields. */
import { field, type Place, requiredText, text } from './fields.ts'

/** The body, and the content type that has its boundary. The bytes of files are theirs if they were kept. */
export function paramsBody(
  params: readonly Place[],
  type: string,
): { readonly body: Uint8Array; readonly contentType: string } {
  const fields = params.map((param) => ({
    name: requiredText(field(param, 'name'), 'the name of a form field'),
    value: text(field(param, 'value')) ?? '',
    fileName: text(field(param, 'fileName')),
    contentType: text(field(param, 'contentType')),
  }))
  const encoder = new TextEncoder()
  if (!/^multipart\//i.test(type)) {
    const body = new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value]))
    return {
      body: encoder.encode(body.toString()),
      contentType: type === '' ? 'application/x-www-form-urlencoded' : type,
    }
  }
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type)
  const mark = boundary?.[1] ?? boundary?.[2] ?? '----gateway-sim-recorded-form'
  const quoted = (word: string): string => word.replace(/[\r\n"]/g, encodeURIComponent)
  const parts = fields.map(({ name, value, fileName, contentType }) => {
    const file = fileName === undefined || fileName === '' ? '' : `; filename="${quoted(fileName)}"`
    const ofType =
      contentType === undefined || contentType === ''
        ? ''
        : `Content-Type: ${contentType.replace(/[\r\n]/g, '')}\r\n`
    const head = `Content-Disposition: form-data; name="${quoted(name)}"${file}\r\n${ofType}`
    return `--${mark}\r\n${head}\r\n${value}\r\n`
  })
  return {
    body: encoder.encode(`${parts.join('')}--${mark}--\r\n`),
    contentType: boundary === null ? `multipart/form-data; boundary=${mark}` : type,
  }
}
