/** What is taken out of a text, wherever and however it stands there, and that nothing else changes. */
import { describe, expect, it } from 'vitest'
import { changedPlaces, redactText, type TextForm } from '../../src/recording/proxy/redact-call.ts'
import { createSecrets } from '../../src/recording/proxy/secrets.ts'

const key = 'sk-test+key/42=='

function redact(text: string, form: TextForm = 'json', named: readonly string[] = []) {
  const secrets = createSecrets(named)
  secrets.learn(key)
  const redacted = redactText(text, form, secrets)
  return { text: redacted, places: changedPlaces(text, redacted) }
}
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('values that were seen as a key', () => {
  it.each<[string, string, string]>([
    ['plainly', `{"message":"bad key ${key}!"}`, '{"message":"bad key redacted!"}'],
    ['with escaped slashes', '{"a":"sk-test+key\\/42=="}', '{"a":"redacted"}'],
    ['with escapes of other letters', '{"a":"sk-test\\u002bkey\\u002f42\\u003d\\u003d"}', '{"a":"redacted"}'],
    ['in an address', `{"a":"x?q=${encodeURIComponent(key)}"}`, '{"a":"x?q=redacted"}'],
    ['twice', `["${key}","${key}"]`, '["redacted","redacted"]'],
  ])('%s', (_name, text, expected) => {
    expect(redact(text).text).toBe(expected)
  })

  it.each([0, 1, 2, 3])('in base64, %i bytes from the border of three', (before) => {
    const whole = base64(`${'x'.repeat(before)}${key} and more`)
    const { text, places } = redact(`{"data":["${whole}"]}`)
    expect(places).toEqual(['/data/0'])
    expect(text).toHaveLength(whole.length + '{"data":[""]}'.length)
    const decoded = Buffer.from(JSON.parse(text).data[0], 'base64').toString('latin1')
    expect(decoded).not.toContain(key.slice(2, -2))
    expect(decoded).toContain('and more')
  })

  it('in bytes that are no text', () => {
    expect(redact(`\u0000\u00ff${key}\u00fe`, 'bytes')).toMatchObject({ text: '\u0000\u00ffredacted\u00fe' })
  })

  it('shorter ones are words, and stay', () => {
    const secrets = createSecrets()
    secrets.learn('data')
    expect(redactText('{"data":1}', 'json', secrets)).toBe('{"data":1}')
  })
})

describe('signed addresses', () => {
  const signed = 'https://b.cos.test/k?q-sign-algorithm=sha1&q-sign-time=1;2&q-signature=ab%2Fcd&x=1#f'
  it('lose what signs them', () => {
    const { text, places } = redact(JSON.stringify({ upload_url: signed, other: [{ 'a/b': signed }] }))
    const plain =
      'https://b.cos.test/k?q-sign-algorithm=redacted&q-sign-time=redacted&q-signature=redacted&x=1#f'
    expect(JSON.parse(text)).toEqual({ upload_url: plain, other: [{ 'a/b': plain }] })
    expect(places).toEqual(['/upload_url', '/other/0/a~1b'])
  })

  it.each([
    ['with escapes of Go', '{"u":"https://b/k?X-Amz-Signature=abc\\u0026y=1"}', '\\u0026y=1"}'],
    ['with escaped slashes', '{"u":"https:\\/\\/b\\/k?Signature=ab\\/cd&y=1"}', '&y=1"}'],
    ['of two slashes', '{"u":"{\\"v\\":\\"https:\\\\/\\\\/b?sig=ab\\\\/cd\\"}"}', '\\"}"}'],
    ['in the query of another', '{"u":"https://b/?to=https%3A%2F%2Fc%3Fsig%3Dabcd%26y%3D1"}', '%26y%3D1"}'],
    ['in HTML', '{"u":"<a href=\'https://b?Expires=1767225600&amp;sig=abcd\'>"}', '\'>"}'],
    ['in a sentence', '{"u":"see https://b?token=abcd\\nand more"}', '\\nand more"}'],
  ])('%s', (_name, text, rest) => {
    const redacted = redact(text).text
    expect(redacted).not.toMatch(/ab\\*\/?cd|=abc|1767225600/)
    expect(redacted.endsWith(`redacted${rest}`)).toBe(true)
    JSON.parse(redacted)
  })

  it('are known again where a message repeats the signature', () => {
    const signature = 'q'.repeat(40)
    const { text } = redact(`{"u":"https://b?sig=${signature}","message":"${signature} has expired"}`)
    expect(text).toBe('{"u":"https://b?sig=redacted","message":"redacted has expired"}')
  })

  it('passwords in addresses too', () => {
    expect(redact('see https://me:pass@b/x', 'text').text).toBe('see https://redacted@b/x')
  })
})

describe('what the user names', () => {
  it('is a field with all that is in it, a query, a field of a form', () => {
    expect(redact('{"a":{"Email":["x",{"y":1}]},"n":{"email":7}}', 'json', ['email'])).toMatchObject({
      text: '{"a":{"Email":"redacted"},"n":{"email":"redacted"}}',
      places: ['/a/Email', '/n/email'],
    })
    expect(redact('data: {"email":"x"}\n\ndata: [DONE]\n', 'events', ['email']).text).toBe(
      'data: {"email":"redacted"}\n\ndata: [DONE]\n',
    )
    expect(redact('a?email=x', 'text', ['email']).text).toBe('a?email=redacted')
    expect(redact('email=x&b=2', 'form', ['email']).text).toBe('email=redacted&b=2')
    const part = '--b\r\nContent-Disposition: form-data; name="email"\r\n\r\nx@y\r\n--b--\r\n'
    expect(redact(part, 'form', ['email']).text).toBe(part.replace('x@y', 'redacted'))
  })

  it('is found in JSON that is cut, and in lines of it', () => {
    expect(redact('{"a":{"email":["x","y', 'json', ['email']).text).toBe('{"a":{"email":"redacted"')
    expect(redact('{"api_key":"abc', 'json').text).toBe('{"api_key":"redacted"')
    expect(redact('{"email":1}\n{"email" : "\\"x\\""}\n', 'json', ['email']).text).toBe(
      '{"email":"redacted"}\n{"email" : "redacted"}\n',
    )
    const schema = '{"properties":{"api_key":{"type":"string"}}}'
    expect(redact(schema).text).toBe(schema)
  })

  it('is a value, if no name looks like it or it says so', () => {
    expect(redact('["Ada Lovelace","user-4711-0815"]', 'json', ['Ada Lovelace', 'user-4711-0815']).text).toBe(
      '["redacted","redacted"]',
    )
    expect(redact('["Ada"]', 'json', ['value:Ada']).text).toBe('["redacted"]')
    expect(redact('["role"]', 'json', ['role']).text).toBe('["role"]')
  })
})

describe('everything else', () => {
  it.each([
    '{ "a" : 1e5 ,\n"key":"k", "tokens": ["token"], "url": "https://x?page=2&size=3" }',
    '[',
    '{"a',
    '',
    'no',
  ])('stays: %s', (text) => {
    expect(redact(text)).toMatchObject({ text, places: [] })
  })

  it('and what is nested deeply costs what it is long', () => {
    const deep = `${'[{"a":'.repeat(5000)}"${key}"`
    expect(redact(deep, 'json', ['email']).text).toHaveLength(deep.length - key.length + 'redacted'.length)
  })
})
