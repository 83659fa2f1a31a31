/** Forms as no client should send them: odd boundaries, parts cut off, names and files of every kind. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs, some } from '../_counts.ts'
import { integrations } from '../_setup.ts'
import { type Part, prepare, validForms, welcome } from './_examples.ts'
import { answerOf, judged, problemOf, stillAnswers, target } from './_judge.ts'

const nothing = new Uint8Array(0)
const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='),
  (letter) => letter.charCodeAt(0),
)

function bytesOf(...pieces: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const all = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece))
  const bytes = new Uint8Array(all.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of all) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** A form in bytes; `heads` are the lines above each content. */
function formOf(
  parts: readonly {
    readonly heads: readonly (string | Uint8Array)[]
    readonly content: string | Uint8Array
  }[],
  boundary = 'X',
): Uint8Array<ArrayBuffer> {
  return bytesOf(
    ...parts.flatMap(({ heads, content }) => [
      `--${boundary}\r\n`,
      ...heads.flatMap((head) => [head, '\r\n']),
      '\r\n',
      content,
      '\r\n',
    ]),
    `--${boundary}--\r\n`,
  )
}

const field = (
  name: string,
  value: string | Uint8Array,
): { heads: string[]; content: string | Uint8Array } => ({
  heads: [`Content-Disposition: form-data; name="${name}"`],
  content: value,
})
const file = (
  name: string,
  content: string | Uint8Array,
  filename = 'a.png',
  type = 'image/png',
): { heads: string[]; content: string | Uint8Array } => ({
  heads: [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, `Content-Type: ${type}`],
  content,
})
const whole = (parts: readonly Part[]): { heads: string[]; content: string | Uint8Array }[] =>
  parts.map((part) =>
    'filename' in part ? file(part.name, part.value, part.filename, part.type) : field(part.name, part.value),
  )

/** Forms made from a valid one, each with its content type. */
function* hostileForms(
  parts: readonly Part[],
): Generator<readonly [what: string, type: string, body: Uint8Array<ArrayBuffer>]> {
  const good = formOf(whole(parts))
  const multipart = 'multipart/form-data; boundary=X'
  for (const boundary of [
    '',
    'boundary',
    'boundary=',
    'boundary=""',
    'boundary="',
    'boundary=Y',
    'boundary=" "',
    `boundary=${'b'.repeat(200)}`,
    `boundary="${'b'.repeat(201)}"`,
    `boundary=${'b'.repeat(5000)}`,
    'boundary=\u00e9',
    'boundary=X; boundary=Y',
    'BOUNDARY=X',
    'boundary=X\t',
    'boundary=--X',
    'boundary=a"b',
    'boundary=X, multipart/form-data; boundary=X',
    'charset=utf-8',
    "boundary*=utf-8''X",
  ]) {
    yield [`the parameter ${boundary.slice(0, 40)}`, `multipart/form-data; ${boundary}`, good]
  }
  yield [
    '200 letters of boundary',
    `multipart/form-data; boundary=${'b'.repeat(200)}`,
    formOf(whole(parts), 'b'.repeat(200)),
  ]
  for (let share = 0; share < 10; share++)
    yield [`${share} tenths of it`, multipart, good.slice(0, Math.floor((good.length * share) / 10))]
  yield ['only the last boundary', multipart, bytesOf('--X--\r\n')]
  yield ['only a first boundary', multipart, bytesOf('--X\r\n')]
  yield ['a preamble', multipart, bytesOf('This is a form.\r\n', good)]
  yield ['an epilogue', multipart, bytesOf(good, 'That was it.\r\n--X\r\n')]
  yield ['bare line feeds', multipart, bytesOf(new TextDecoder().decode(good).replaceAll('\r\n', '\n'))]
  yield ['no heads', multipart, formOf([...whole(parts), { heads: [], content: 'a' }])]
  const heads: readonly (readonly (string | Uint8Array)[])[] = [
    ['Content-Disposition: form-data'],
    ['Content-Disposition: form-data; name'],
    ['Content-Disposition: form-data; name='],
    ['Content-Disposition: form-data; name=""'],
    ['Content-Disposition: attachment; name="prompt"'],
    ['Content-Disposition: ; ; ;'],
    ['Content-Disposition: form-data; name="a"; name="b"'],
    ['Content-Disposition: form-data; name="prompt', 'X-Injected: 1"'],
    ['Content-Disposition: form-data; name="a\\"; filename=\\"b"'],
    ['Content-Disposition: form-data; name="%0d%0aX: 1"'],
    ["Content-Disposition: form-data; name*=utf-8''%ff"],
    ["Content-Disposition: form-data; name=a; filename*=utf-8''%e0%a4%a"],
    ["Content-Disposition: form-data; name=a; filename*=no-such-charset''x"],
    ['Content-Disposition: form-data; name="__proto__"'],
    ['Content-Disposition: form-data; name="constructor[prototype][polluted]"'],
    ['Content-Disposition: form-data; name="input_reference[__proto__]"'],
    [`Content-Disposition: form-data; name="${'n'.repeat(10_000)}"`],
    [`Content-Disposition: form-data; name="${'n'.repeat(100_000)}"`],
    [bytesOf('Content-Disposition: form-data; name="', Uint8Array.from([0xff, 0xfe, 0xc0]), '"')],
    [
      bytesOf(
        'Content-Disposition: form-data; name="a"; filename="',
        Uint8Array.from([0xff, 0x00, 0xc0]),
        '"',
      ),
    ],
    ['no colon here'],
    [': no name'],
    ['Content-Type: multipart/mixed; boundary=Y', 'Content-Disposition: form-data; name="prompt"'],
    ['Content-Disposition: form-data; name="prompt"', 'Content-Type: application/octet-stream'],
    ['Content-Disposition: form-data; name="prompt"', 'Content-Type: ;;;/;'],
    ['Content-Disposition: form-data; name="prompt"', 'Content-Transfer-Encoding: base64'],
    [
      'Content-Disposition: form-data; name="prompt"',
      ...Array.from({ length: 500 }, (_, index) => `X-${index}: y`),
    ],
  ]
  for (const lines of heads)
    yield [
      `a part with ${String(lines[0]).slice(0, 60)}`,
      multipart,
      formOf([...whole(parts), { heads: lines, content: 'a' }]),
    ]
  for (const { name } of parts) {
    yield [`no ${name}`, multipart, formOf(whole(parts.filter((part) => part.name !== name)))]
    yield [`${name} twice`, multipart, formOf([...whole(parts), field(name, 'b')])]
    yield [
      `${name} as a file`,
      multipart,
      formOf([...whole(parts.filter((part) => part.name !== name)), file(name, png)]),
    ]
    yield [`${name} as a text and a file`, multipart, formOf([...whole(parts), file(name, png)])]
    yield [
      `${name} as bytes that are no text`,
      multipart,
      formOf([
        ...whole(parts.filter((part) => part.name !== name)),
        field(name, Uint8Array.from([0xff, 0xfe, 0])),
      ]),
    ]
    yield [
      `a million letters of ${name}`,
      multipart,
      formOf([...whole(parts.filter((part) => part.name !== name)), field(name, 'a'.repeat(1_000_000))]),
    ]
    yield [
      `an empty ${name}`,
      multipart,
      formOf([...whole(parts.filter((part) => part.name !== name)), field(name, nothing)]),
    ]
  }
  for (const name of ['input_reference', 'image', 'mask', 'unknown']) {
    yield [`an empty file of ${name}`, multipart, formOf([...whole(parts), file(name, nothing)])]
    yield [`a picture of ${name}`, multipart, formOf([...whole(parts), file(name, png)])]
    yield [`a cut picture of ${name}`, multipart, formOf([...whole(parts), file(name, png.slice(0, 20))])]
    yield [`a text of ${name}`, multipart, formOf([...whole(parts), field(name, 'wrong')])]
    yield [`a file of ${name} without a name`, multipart, formOf([...whole(parts), file(name, png, '')])]
    yield [
      `a file of ${name} with a path`,
      multipart,
      formOf([...whole(parts), file(name, png, '../../etc/passwd\u0000.png')]),
    ]
    yield [`two files of ${name}`, multipart, formOf([...whole(parts), file(name, png), file(name, png)])]
  }
  yield [
    'a form in a form',
    multipart,
    formOf([
      ...whole(parts),
      {
        heads: [
          'Content-Disposition: form-data; name="prompt"',
          'Content-Type: multipart/form-data; boundary=Y',
        ],
        content: formOf(whole(parts), 'Y'),
      },
    ]),
  ]
  yield [
    '1,001 parts',
    multipart,
    formOf([...whole(parts), ...Array.from({ length: 1001 }, (_, index) => field(`f${index}`, 'a'))]),
  ]
  yield [
    '1,001 files',
    multipart,
    formOf([...whole(parts), ...Array.from({ length: 1001 }, (_, index) => file(`f${index}`, nothing))]),
  ]
  yield [
    'its content type on JSON',
    multipart,
    bytesOf(JSON.stringify(Object.fromEntries(parts.map(({ name, value }) => [name, value])))),
  ]
}

describe('the table of valid requests', () => {
  it('holds forms that are answered with 200', async () => {
    const sim = target()
    for (const { route, path, parts } of validForms(sim, await prepare(sim))) {
      const response = await sim.fetch(`http://gateway.test${path}`, {
        method: route.endpoint.method,
        headers: { ...welcome, 'content-type': 'multipart/form-data; boundary=X' },
        body: formOf(whole(parts)),
      })
      expect(
        response.status,
        `${route.endpoint.operation} → ${response.status} ${(await response.clone().text()).slice(0, 500)}`,
      ).toBe(200)
    }
  })
})

describe.each(integrations)('through $name', (integration) => {
  it('survives forms that are wrong in every way', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const forms = validForms(sim, await prepare(sim))
    expect(forms).not.toEqual([])
    const problems: string[] = []
    for (const { route, path, parts } of forms) {
      for (const [what, type, body] of some(hostileForms(parts))) {
        const response = await call(`${url}${path}`, {
          method: route.endpoint.method,
          headers: { ...welcome, 'content-type': type },
          body,
        })
        problems.push(
          ...[problemOf(await answerOf(response), `${route.endpoint.operation}: ${what}`)].filter(
            (problem) => problem !== undefined,
          ),
        )
      }
    }
    expect(problems).toEqual([])
    await stillAnswers(call, url)
  })

  it('survives files that only begin like pictures', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const latin = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
    const beginnings = [
      png.slice(0, 16),
      latin('\xff\xd8\xff\xe0'),
      latin('\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00*'),
      latin('GIF89a'),
      latin('RIFF\x00\x00\x00\x00WEBPVP8X'),
      latin('RIFF\x00\x00\x00\x00WEBPVP8 '),
      latin('\x00\x00\x00\x0cjP  \r\n\x87\n'),
      latin('\x00\x00\x00\x0cJXL \r\n\x87\n'),
      latin('\x00\x00\x00\x18ftypavif'),
      latin('\x00\x00\x00\x18ftypheic'),
      latin('icns'),
      latin('II*\x00'),
      latin('MM\x00*'),
      latin('BM'),
      latin('\x00\x00\x01\x00'),
      latin('<svg '),
      latin('8BPS'),
      latin('DDS '),
      latin('qoif'),
      latin('\x89PNG\r\n\x1a\n\x00\x00\x00\x04CgBI'),
      latin('P6 '),
    ]
    const picture = fc.tuple(
      fc.constantFrom(...beginnings),
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(new Uint8Array(300), new Uint8Array(300).fill(255)),
      ),
    )
    const property = fc.asyncProperty(picture, async ([beginning, rest]) => {
      const what = bytesOf(beginning, rest)
      for (const [path, ...names] of [
        ['/v1/videos', 'input_reference'],
        ['/v1/images/edits', 'image'],
        ['/v1/images/edits', 'image', 'mask'],
      ] as const) {
        const body = formOf([field('prompt', 'a sunset'), ...names.map((name) => file(name, what))])
        await judged(
          await call(`${url}${path}`, {
            method: 'POST',
            headers: { ...welcome, 'content-type': 'multipart/form-data; boundary=X' },
            body,
          }),
          `${path} ${names.join()}`,
        )
      }
    })
    await fc.assert(property, runs(60))
    await stillAnswers(call, url)
  })
})
