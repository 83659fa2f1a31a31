/** Descriptions of images, one of every kind, and files as clients send them. */
import { createHash } from 'node:crypto'
import { flatPng } from '../../src/media/codecs/png-writer.ts'
import type { ImageMedia, ImageSource, Transform } from '../../src/protocol/media.ts'

/** A small image. */
export function imageMedia(change: Partial<ImageMedia> = {}): ImageMedia {
  return { kind: 'image', width: 96, height: 64, format: 'png', transparent: false, seed: 'fox', ...change }
}

export const drawn = (image: ImageMedia): ImageSource => ({ kind: 'drawn', image })
export const sent = (content: Uint8Array): ImageSource => ({
  kind: 'sent',
  content,
  sha256: createHash('sha256').update(content).digest('hex'),
})

/** Every kind of transform of one source. */
export function transformsOn(
  source: ImageSource,
  mask: ImageSource = sent(flatPng({ width: 96, height: 64, transparent: true, colour: [0, 0, 0] })),
): Readonly<Record<string, Transform>> {
  return {
    edit: { kind: 'edit', source, mask },
    paint: {
      kind: 'paint',
      source,
      at: { x: 10, y: 8, width: 48, height: 32 },
      canvas: { width: 96, height: 64 },
      areas: [[20, 10, 40, 10, 30, 30]],
    },
    extend: { kind: 'extend', source, direction: 1 },
    'cut-out': { kind: 'cut-out', source },
    'vary, subtle': { kind: 'vary', source, strength: 'subtle' },
    'vary, strong': { kind: 'vary', source, strength: 'strong' },
    recolour: { kind: 'recolour', source },
  }
}

/** A description of every kind that there is, by name. */
export function imagesOfEveryKind(): Readonly<Record<string, ImageMedia>> {
  const caption = {
    prompt: 'A red fox, Привет, Ελλάδα, 狐 🦊 \ud800\u0000 and an end\nof it',
    facts: ['gpt-image-1', '256 x 192', '2 of 4'],
  }
  const large = imageMedia({ width: 256, height: 192, caption })
  return {
    plain: imageMedia(),
    'one pixel': imageMedia({ width: 1, height: 1, caption }),
    'with words': large,
    'with words, transparent': { ...large, transparent: true },
    webp: { ...large, format: 'webp', quality: 80 },
    'webp, transparent': { ...large, format: 'webp', transparent: true, quality: 80 },
    jpeg: { ...large, format: 'jpeg', quality: 80 },
    'on its way': { ...large, partial: { step: 1, steps: 3 } },
    'from nothing at hand': imageMedia({
      width: 256,
      height: 192,
      from: { kind: 'recolour', source: { kind: 'absent', name: 'images.example/fox.png' } },
    }),
    'from a file that is none': imageMedia({
      width: 256,
      height: 192,
      from: { kind: 'recolour', source: sent(new TextEncoder().encode('hello')) },
    }),
    ...Object.fromEntries(
      Object.entries(transformsOn(drawn(imageMedia({ seed: 'wolf' })))).map(([name, from]) => [
        name,
        imageMedia({ width: name === 'extend' ? 144 : 96, transparent: name === 'cut-out', from }),
      ]),
    ),
  }
}
