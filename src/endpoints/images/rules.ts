/** The values that each kind of model accepts (contract 4.4, 4.5 and 8). */

import { isListed } from '../../protocol/auth.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { clip, show } from '../../protocol/wording.ts'
import { type Model, type ModelKind, onlyOfA } from './models.ts'
import type { ImageRequest, imageSizes } from './schema.ts'

interface Rules {
  /** Characters. */
  readonly maxPromptLength: number
  readonly sizes: readonly ((typeof imageSizes)[number] | 'auto')[]
  readonly qualities: readonly string[]
  readonly maxImages: number
}

const rules: Readonly<Record<ModelKind, Rules>> = {
  a: {
    maxPromptLength: 32_000,
    sizes: ['1024x1024', '1536x1024', '1024x1536', 'auto'],
    qualities: ['auto', 'low', 'medium', 'high'],
    maxImages: 10,
  },
  b: {
    maxPromptLength: 1000,
    sizes: ['256x256', '512x512', '1024x1024'],
    qualities: ['auto', 'standard'],
    maxImages: 10,
  },
  c: {
    maxPromptLength: 4000,
    sizes: ['1024x1024', '1792x1024', '1024x1792'],
    qualities: ['auto', 'standard', 'hd'],
    maxImages: 1,
  },
}

/** The findings about fields that the model does not accept. `known` are the fields of the operation. */
export function* ruleFindings(
  request: ImageRequest,
  model: Model,
  known: Readonly<Record<string, unknown>>,
  settings: Settings,
): Generator<Finding> {
  const own = rules[model.kind]
  const named =
    request.model == null
      ? `${describeModel(model)}, which a request without \`model\` means`
      : describeModel(model)
  const length = charactersOf(request.prompt)
  if (length > own.maxPromptLength)
    yield {
      field: 'prompt',
      message: `expected at most ${own.maxPromptLength} characters for ${named}, got ${length}`,
    }
  if (request.n != null && request.n > own.maxImages)
    yield { field: 'n', message: `expected ${own.maxImages} for ${named}, got ${request.n}` }
  if (request.size != null && !own.sizes.includes(request.size))
    yield { field: 'size', message: `expected ${oneOf(own.sizes)} for ${named}, got ${show(request.size)}` }
  if (request.quality != null && !own.qualities.includes(request.quality))
    yield {
      field: 'quality',
      message: `expected ${oneOf(own.qualities)} for ${named}, got ${show(request.quality)}`,
    }
  if (request.style != null && model.kind !== 'c')
    yield { field: 'style', message: `is not supported by ${named}: leave it out, or name a model of kind C` }
  if (model.kind === 'a') yield* newestFindings(request, model, named, settings)
  else {
    if (request.stream === true)
      yield {
        field: 'stream',
        message: `is not supported by ${named}: leave it out, or name a model of kind A`,
      }
    for (const field of onlyOfA)
      if (request[field] != null)
        yield { field, message: `is not supported by ${named}: leave it out, or name a model of kind A` }
  }
  if (settings.images.unknownParameters === 'refuse') {
    for (const field of Object.keys(request))
      if (!Object.hasOwn(known, field))
        yield { field, message: 'is not a parameter of this operation (setting images.unknownParameters)' }
  }
}

/** What the fields that only A has demand of each other. */
function* newestFindings(
  request: ImageRequest,
  model: Model,
  named: string,
  { images }: Settings,
): Generator<Finding> {
  // A always returns base64, and clients cannot know that for an unknown model id.
  if (request.response_format != null && (model.named || request.response_format === 'url')) {
    yield {
      field: 'response_format',
      message: `is not supported by ${named}, which always returns base64: leave it out`,
    }
  }
  if (request.background === 'transparent' && request.output_format === 'jpeg')
    yield {
      field: 'background',
      message:
        'transparent is not supported with the output format jpeg: expected png or webp in `output_format`',
    }
  if (
    request.output_compression != null &&
    request.output_compression < 100 &&
    (request.output_format ?? 'png') === 'png'
  ) {
    yield {
      field: 'output_compression',
      message:
        'below 100 is not supported with the output format png: expected webp or jpeg in ' +
        `\`output_format\`, got ${request.output_compression}`,
    }
  }
  if (request.partial_images != null && request.partial_images > 0 && request.stream !== true)
    yield { field: 'partial_images', message: 'is allowed only with `stream: true`' }
  if (request.input_fidelity != null && isListed(model.id, images.withoutInputFidelity))
    yield {
      field: 'input_fidelity',
      message: `is not supported by ${named} (setting images.withoutInputFidelity): leave it out`,
    }
}

/** A model as refusals name it. */
export function describeModel({ id, kind, named }: Model): string {
  return (
    `the model ${clip(id, 100)} (kind ` +
    `${kind.toUpperCase()}${named ? '' : ', as every id that settings.images.models does not name'})`
  )
}

// A character outside the basic plane counts as one, unlike in JavaScript.
function charactersOf(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue
    count--
    at++
  }
  return count
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
}
