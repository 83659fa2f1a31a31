/**
 * The images of a script: which ones, in what order, and what happens between them. Text in it is ignored.
 */
import type { Script, ScriptItem } from '../../protocol/script.ts'
import type { ImageOrder } from './order.ts'
import type { ImageUsage } from './usage.ts'

/** One thing of a stream of pictures. */
export type ImageItem = Extract<ScriptItem, { kind: 'partial' | 'picture' | 'wait' | 'raw' | 'fault' }>

export interface ImageScript {
  readonly items: readonly ImageItem[]
  /** The finished pictures in their order, 0-based; those that were asked for when the script names none. */
  readonly finished: readonly number[]
  /** The usage, with the script's own numbers instead of what was counted. */
  usage(counted: ImageUsage): ImageUsage
  /** All waits together, in virtual milliseconds. */
  readonly waits: number
}

/** The script of an order. The requested images follow it when it names none, and no partial image either. */
export function readImageScript(script: Script, order: ImageOrder): ImageScript {
  const items: ImageItem[] = []
  let [input, output]: (number | undefined)[] = []
  let waits = 0
  for (const item of script) {
    switch (item.kind) {
      case 'usage':
        input = item.input ?? input
        output = item.output ?? output
        break
      case 'wait':
        waits += item.ms
        items.push(item)
        break
      case 'partial':
      case 'picture':
      case 'raw':
      case 'fault':
        items.push(item)
    }
  }
  const named = items.flatMap((item) => (item.kind === 'picture' ? [item.picture] : []))
  const all = items.some(({ kind }) => kind === 'partial' || kind === 'picture')
    ? items
    : [...items, ...defaultItems(order)]
  return {
    items: all,
    finished: named.length > 0 ? named : indexes(order),
    usage: (counted) => withNumbers(counted, input, output),
    waits,
  }
}

/** The steps of each picture, then the picture, one after the other. */
export function defaultItems(order: ImageOrder): readonly ImageItem[] {
  return indexes(order).flatMap((picture): ImageItem[] => [
    ...Array.from({ length: order.partials }, () => ({ kind: 'partial', picture }) as const),
    { kind: 'picture', picture },
  ])
}

/** The places of the pictures of an order. */
export function indexes({ images: { count } }: ImageOrder): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

function withNumbers(
  counted: ImageUsage,
  input = counted.input_tokens,
  output = counted.output_tokens,
): ImageUsage {
  const images = Math.min(counted.input_tokens_details.image_tokens, input)
  return {
    input_tokens: input,
    input_tokens_details: { image_tokens: images, text_tokens: input - images },
    output_tokens: output,
    total_tokens: input + output,
  }
}
