/** Descriptions of images, one of every kind. */
import type { ImageMedia } from '../../src/protocol/media.ts'

/** A small image. */
export function imageMedia(change: Partial<ImageMedia> = {}): ImageMedia {
  return { kind: 'image', width: 96, height: 64, format: 'png', transparent: false, seed: 'fox', ...change }
}

/** A description of every kind that there is, by name. */
export function imagesOfEveryKind(): Readonly<Record<string, ImageMedia>> {
  const caption = {
    prompt: 'A red fox, Ελλάδα, 狐 🦊 \ud800\u0000 and an end\nof it',
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
  }
}
