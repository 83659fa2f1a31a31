/**
 * The table of hostile inputs. The tests beside this file send them through every door; the fuzzer draws from
 * them. Packed by hand: one thing that nobody should send beside the other.
 */

/** Parts of paths, as they stand in a URL. */
export const segments = [
  '', '.', '..', '...', '%2e', '%2e%2e', '%2E%2e%2f', '%2f', '%00', '%', '%f', '%ff', '%zz', '%c3%28', '%ed%a0%80', '%25',
  '%0d%0a', '%7f', '%20', 'a b', 'é', '漢', '🙂', '__proto__', 'constructor', 'prototype', 'toString', 'null', 'undefined',
  'NaN', '*', '{video_id}', ':', '@', '$&', "'", '"', '<script>', '\\', '|', ';a=b', '~', 'x'.repeat(300),
] // biome-ignore format: a table

/**
 * Texts for fields: marks of the simulator's own, places that only look like ones, code of other languages.
 */
export const words = [
  '', ' ', '\u0000', '\ud800', '\udfff\ud800', '\ufeff', '\u2028', '\u202e', '\ue0f1', 'é', '漢字', '👩‍👩‍👧', '__proto__',
  'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'NaN', '-1', '1e999', '../../etc/passwd', '%00',
  '%ff', '%2e%2e%2f', 'data:text/plain;base64,AAAA', 'data:image/png;base64,iVBORw0KGgo=', 'http://127.0.0.1:1/a.png',
  'file:///etc/passwd', 'javascript:alert(1)', "' OR 1=1 --", '<script>', '${7*7}', '{{7*7}}', '$&$1', '\r\nx: y',
  '^(a+)+$', '(', '[', '*', '1d', '-1s', '9999999999d', '2026-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '0x10',
  '«video_id»', '«jobId»', '«operation»', '«session»', '«id:3»', '<|endoftext|>', 'data: [DONE]\n\n', 'x'.repeat(300),
  `${'a'.repeat(40)}!`,
] // biome-ignore format: a table

export const authorizations = [
  '', ' ', 'Bearer', 'Bearer ', 'bearer x', 'BEARER  x ', 'Bearer\tx', 'Basic dTpw', 'Basic', 'Bearer a b', 'Bearer é',
  'sk-test', `Bearer ${'k'.repeat(10_000)}`, 'Bearer __proto__', 'Bearer "', ',', 'Bearer x, Bearer y', 'Bearer sk-revoked',
  'Bearer sim-no-key', 'Bearer sk-sim--', 'Bearer sk-sim-a', 'Bearer sk-sim-a-', 'Bearer sk-sim-A-b',
  `Bearer sk-sim-${'a'.repeat(33)}-b`, 'Bearer sk-sim-__proto__-x', 'Bearer sk-sim-é-x',
] // biome-ignore format: a table

/** Names of sessions, in the header. */
export const sessions = [
  '', ' ', '/', 'a b', '%', '\u00ff', 'a, b', '__proto__', '../x', 's1', 'a'.repeat(65), 'x'.repeat(300),
] // biome-ignore format: a table

export const contentTypes = [
  '', 'application/json', 'APPLICATION/JSON; charset=UTF-8', 'application/json;charset=utf-16',
  'application/json; charset="no-such-charset"', 'application/json;;;=;', 'application/vnd.api+json', 'application/jsonp',
  'text/plain', 'text/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'multipart/form-data; boundary=',
  'multipart/form-data; boundary=x', 'multipart/mixed; boundary=x', 'application/octet-stream', 'image/png', '*/*', '/', 'x',
  ';', ',', 'application/json, multipart/form-data; boundary=x', `application/${'x'.repeat(5000)}`,
] // biome-ignore format: a table

export const encodings = ['gzip', 'br', 'deflate', 'x-unknown', 'gzip, gzip', 'GZIP']

export const ranges = [
  'bytes', 'bytes=', 'bytes=-', 'bytes=--1', 'bytes=0-0', 'bytes=0-', 'bytes=-0', 'bytes=-1', 'bytes=5-2', 'bytes=999999999-',
  'bytes=0-999999999999999999999', `bytes=${'9'.repeat(400)}-`, 'bytes=0-1,3-4', 'bytes=0-1,,', 'bytes=a-b', 'items=0-5',
  'BYTES=0-5', 'bytes = 0 - 5', 'bytes=1.5-2', 'bytes=0x1-0x2', '=', '-', `bytes=${'0-1,'.repeat(1000)}0-1`,
] // biome-ignore format: a table

export const conditions: readonly (readonly [header: string, values: readonly string[]])[] = [
  ['if-range', ['"x"', 'W/"x"', 'Thu, 01 Jan 1970 00:00:00 GMT']],
  ['if-none-match', ['*', '"', '"a", W/"b"']],
  ['if-modified-since', ['never', 'Thu, 01 Jan 2100 00:00:00 GMT']],
  ['if-match', ['"', ',,*']],
  ['if-unmodified-since', ['Thu, 01 Jan 1970 00:00:00 GMT']],
]

/** What every `fetch` sends, and what none does but that of a simulator. */
export const methods = [
  'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'MKCOL', 'M-SEARCH', 'get', 'post', 'options', 'PURGE',
] // biome-ignore format: a table
export const unsendable = ['TRACE', 'CONNECT', 'x', 'GET GET', '', '🙂', 'G'.repeat(10_000)]

/** Texts that are no JSON, or hardly. */
export const brokenJson = [
  '', '\uFEFF{}', '{', '}', '[', '"', 'nul', '{"a":}', "{'a':1}", '{"a":1,}', '[1,]', 'NaN', '-', '1e', '{}{}', '// c',
  'undefined', '\u0000', '--x\r\n', '--x--\r\n', '--x',
] // biome-ignore format: a table

/** Bytes that are no UTF-8, or compressed. */
export const brokenBytes = [
  [0xff, 0xfe, 0x7b, 0, 0x7d, 0], [0xef, 0xbb, 0xbf, 0x7b, 0x7d], [0xc0, 0x80], [0xed, 0xa0, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0],
] // biome-ignore format: a table

/** Times and durations, as JSON. */
export const times = [
  'NaN', 'null', '-1', '-5', '-0', '1e300', '1e999', '-1e999', '1.5', '9007199254740993', '"-5s"', '"5"', '"s"', '"1e3s"', '"5s "',
  '"NaN"', '"Infinity"', `"${'9'.repeat(400)}d"`, '"99999999999999999999d"', '"1d1d1d"', '"0s"', '""', '{}', '[]', 'true',
  '"300000-01-01T00:00:00Z"', '"+275760-09-13T00:00:00Z"', '"+300000-01-01T00:00:00Z"', '"-000001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59Z"', '"2026-13-45T99:99:99Z"', '"0000-00-00"', '"tomorrow"', '"1"', '"1970-01-01T00:00:00Z"',
  '8.64e15', '8.640000000000001e15', '-8.64e15', '-1e300', '253402300800000', '"\\ud800"', `"${'x'.repeat(100_000)}"`,
] // biome-ignore format: a table

/** Parameters of `multipart/form-data`, for a form whose boundary is X. */
export const boundaries = [
  '', 'boundary', 'boundary=', 'boundary=""', 'boundary="', 'boundary=Y', 'boundary=" "', `boundary=${'b'.repeat(200)}`,
  `boundary="${'b'.repeat(201)}"`, `boundary=${'b'.repeat(5000)}`, 'boundary=\u00e9', 'boundary=X; boundary=Y', 'BOUNDARY=X',
  'boundary=X\t', 'boundary=--X', 'boundary=a"b', 'boundary=X, multipart/form-data; boundary=X', 'charset=utf-8',
  "boundary*=utf-8''X",
] // biome-ignore format: a table

const disposition = 'Content-Disposition: form-data'
const prompt = `${disposition}; name="prompt"`
/** The lines above a part of a form; a text holds one byte in each letter. */
export const partHeads: readonly (readonly string[])[] = [
  [disposition], [`${disposition}; name`], [`${disposition}; name=`], [`${disposition}; name=""`],
  ['Content-Disposition: attachment; name="prompt"'], ['Content-Disposition: ; ; ;'], ['no colon here'], [': no name'],
  [`${disposition}; name="a"; name="b"`], [`${disposition}; name="prompt`, 'X-Injected: 1"'],
  [`${disposition}; name="a\\"; filename=\\"b"`], [`${disposition}; name="%0d%0aX: 1"`], [`${disposition}; name*=utf-8''%ff`],
  [`${disposition}; name=a; filename*=utf-8''%e0%a4%a`], [`${disposition}; name=a; filename*=no-such-charset''x`],
  [`${disposition}; name="__proto__"`], [`${disposition}; name="constructor[prototype][polluted]"`],
  [`${disposition}; name="input_reference[__proto__]"`], [`${disposition}; name="${'n'.repeat(10_000)}"`],
  [`${disposition}; name="${'n'.repeat(100_000)}"`], [`${disposition}; name="\xff\xfe\xc0"`],
  [`${disposition}; name="a"; filename="\xff\x00\xc0"`], ['Content-Type: multipart/mixed; boundary=Y', prompt],
  [prompt, 'Content-Type: application/octet-stream'], [prompt, 'Content-Type: ;;;/;'],
  [prompt, 'Content-Transfer-Encoding: base64'], [prompt, ...Array.from({ length: 500 }, (_, index) => `X-${index}: y`)],
] // biome-ignore format: a table

/** How images of many formats begin; one byte in each letter. */
export const imageHeads = [
  '\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR', '\x89PNG\r\n\x1a\n\x00\x00\x00\x04CgBI', '\xff\xd8\xff\xe0',
  '\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*', 'GIF89a', 'RIFF\x00\x00\x00\x00WEBPVP8X', 'RIFF\x00\x00\x00\x00WEBPVP8 ',
  '\x00\x00\x00\x0cjP  \r\n\x87\n', '\x00\x00\x00\x0cJXL \r\n\x87\n', '\x00\x00\x00\x18ftypavif', '\x00\x00\x00\x18ftypheic',
  'icns', 'II*\x00', 'MM\x00*', 'BM', '\x00\x00\x01\x00', '<svg ', '8BPS', 'DDS ', 'qoif', 'P6 ',
] // biome-ignore format: a table

/** `Host`, on a socket. */
export const hosts = [
  '', 'a"b', 'a\\b', '$&', "$'", '</script>', 'é', 'a b', ':::', '[::1', 'h'.repeat(5000), '{}', 'x","status":9,"y":"',
] // biome-ignore format: a table

/** Targets of requests that are no path, or hardly. */
export const targets = [
  '*', 'http://x/v1/models', 'x:80', '//v1/models', '/v1/models#a', '/v1/models?#', '/%00', '/v1/../v1/models', '/s', '/s/',
  '/\u00ff', '?', '/?', 'ftp://x', 'http://', 'http:',
] // biome-ignore format: a table

/** Bytes that are no HTTP. */
export const noHttp = [
  '\r\n\r\n', 'GET\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'get /v1/models HTTP/1.1\r\nHost: x\r\n\r\n',
  'PROPFIND0 / HTTP/1.1\r\n\r\n', 'GET /v1/models HTTP/1.1\r\nHost\r\n\r\n', 'GET /v1/models HTTP/1.1\r\nA: \u0000\r\n\r\n',
  'GET /v1/models HTTP/1.1\r\nContent-Length: -1\r\n\r\n',
  'GET /v1/models HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na',
  'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000',
] // biome-ignore format: a table

/** Parts of HTTP where they do not belong. */
export const fragments = [
  '\r\n', '\n', '\r', '\0', '\t', ' ', ':', ',', 'HTTP/1.0', 'HTTP/1.1', 'HTTP/9.9', 'GET ', 'HEAD ', 'OPTIONS * ', 'CONNECT a:1 ',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'Host: a\r\n', 'Host: \r\n', 'Host: a b\r\n', 'Content-Length: 0\r\n', 'Content-Length: 5\r\n',
  'Content-Length: -1\r\n', 'Content-Length: 99999999999999999999\r\n', 'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n', 'Transfer-Encoding: identity\r\n', 'Connection: close\r\n', 'Connection: keep-alive, upgrade\r\n',
  'Upgrade: websocket\r\n', 'Expect: 100-continue\r\n', 'Expect: x\r\n', 'Trailer: x\r\n', '0\r\n\r\n', 'ffffffff\r\n', '5;a=b\r\nhello\r\n',
  '\r\n\r\n', '\xff\xfe', '\x16\x03\x01', 'http://evil.example/', '//', '*', '?', '#', '%', '\r\n folded: x', 'x: \x7f\r\n',
  `x: ${'a'.repeat(20_000)}\r\n`,
] // biome-ignore format: a table
