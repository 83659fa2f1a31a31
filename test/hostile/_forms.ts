/**
 * Forms as no client should send them, made from valid ones: odd boundaries, parts cut off, files of every
 * kind.
 */
import type { Part } from './_examples.ts'
import { boundaries, partHeads } from './_inputs.ts'

export type Bytes = Uint8Array<ArrayBuffer>
type Content = string | Uint8Array

/** A part as it goes over the wire: the lines above its content, and that. */
export interface RawPart {
  readonly heads: readonly Content[]
  readonly content: Content
}

const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='),
  (letter) => letter.charCodeAt(0),
)

export const bytesOf = (...chunks: readonly Content[]): Bytes =>
  Uint8Array.from(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))))

export const formOf = (parts: readonly RawPart[], boundary = 'X'): Bytes =>
  bytesOf(
    ...parts.flatMap(({ heads, content }) => [
      `--${boundary}\r\n`,
      ...heads.flatMap((head) => [head, '\r\n']),
      '\r\n',
      content,
      '\r\n',
    ]),
    `--${boundary}--\r\n`,
  )

export const field = (name: string, content: Content): RawPart => ({
  heads: [`Content-Disposition: form-data; name="${name}"`],
  content,
})
export const file = (name: string, content: Content, filename = 'a.png', type = 'image/png'): RawPart => ({
  heads: [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, `Content-Type: ${type}`],
  content,
})
export const rawParts = (parts: readonly Part[]): RawPart[] =>
  parts.map((part) =>
    'filename' in part ? file(part.name, part.value, part.filename, part.type) : field(part.name, part.value),
  )

export const multipart = 'multipart/form-data; boundary=X'
const nothing = new Uint8Array(0)

type Form = readonly [what: string, body: () => Bytes, type?: string]

/** The forms, each made when it is asked for. */
export function* hostileForms(parts: readonly Part[]): Generator<Form> {
  const all = rawParts(parts)
  const good = formOf(all)
  const more =
    (...added: readonly RawPart[]) =>
    () =>
      formOf([...all, ...added])
  for (const boundary of boundaries)
    yield [`the parameter ${boundary.slice(0, 40)}`, () => good, `multipart/form-data; ${boundary}`]
  const long = 'b'.repeat(200)
  yield ['200 letters of boundary', () => formOf(all, long), `multipart/form-data; boundary=${long}`]
  for (let share = 0; share < 10; share++)
    yield [`${share} tenths of it`, () => good.slice(0, Math.floor((good.length * share) / 10))]
  yield ['only the last boundary', () => bytesOf('--X--\r\n')]
  yield ['only a first boundary', () => bytesOf('--X\r\n')]
  yield ['a preamble', () => bytesOf('This is a form.\r\n', good)]
  yield ['an epilogue', () => bytesOf(good, 'That was it.\r\n--X\r\n')]
  yield ['bare line feeds', () => bytesOf(new TextDecoder().decode(good).replaceAll('\r\n', '\n'))]
  yield ['no heads', more({ heads: [], content: 'a' })]
  for (const lines of partHeads)
    yield [
      `a part with ${String(lines[0]).slice(0, 60)}`,
      more({ heads: lines.map((line) => Buffer.from(line, 'latin1')), content: 'a' }),
    ]
  for (const { name } of parts) yield* changesOf(name, parts)
  for (const name of ['input_reference', 'image', 'mask', 'unknown']) {
    yield [`an empty file of ${name}`, more(file(name, nothing))]
    yield [`an image of ${name}`, more(file(name, png))]
    yield [`a cut image of ${name}`, more(file(name, png.slice(0, 20)))]
    yield [`a text of ${name}`, more(field(name, 'wrong'))]
    yield [`a file of ${name} without a name`, more(file(name, png, ''))]
    yield [`a file of ${name} with a path`, more(file(name, png, '../../etc/passwd\u0000.png'))]
    yield [`two files of ${name}`, more(file(name, png), file(name, png))]
  }
  const inner = {
    heads: [field('prompt', '').heads[0] ?? '', 'Content-Type: multipart/form-data; boundary=Y'],
  }
  yield ['a form in a form', () => more({ ...inner, content: formOf(all, 'Y') })()]
  const many = (part: (name: string) => RawPart) => Array.from({ length: 1001 }, (_, at) => part(`f${at}`))
  yield ['1,001 parts', () => more(...many((name) => field(name, 'a')))()]
  yield ['1,001 files', () => more(...many((name) => file(name, nothing)))()]
  const values = Object.fromEntries(parts.map(({ name, value }) => [name, value]))
  yield ['its content type on JSON', () => bytesOf(JSON.stringify(values))]
}

/** One part left out, doubled, and put in another form. */
function* changesOf(name: string, parts: readonly Part[]): Generator<Form> {
  const all = rawParts(parts)
  const others = rawParts(parts.filter((part) => part.name !== name))
  yield [`no ${name}`, () => formOf(others)]
  yield [`${name} twice`, () => formOf([...all, field(name, 'b')])]
  yield [`${name} as a file`, () => formOf([...others, file(name, png)])]
  yield [`${name} as a text and a file`, () => formOf([...all, file(name, png)])]
  yield [
    `${name} as bytes that are no text`,
    () => formOf([...others, field(name, Uint8Array.of(255, 254, 0))]),
  ]
  yield [`a million letters of ${name}`, () => formOf([...others, field(name, 'a'.repeat(1_000_000))])]
  yield [`an empty ${name}`, () => formOf([...others, field(name, nothing)])]
}
