/**
 * Loads what endpoints need, on first need and once per simulator: the tokenizer's ranks, the dictionary of
 * fakes.
 */

import { fixedSentences } from '../behaviours/answers/prose.ts'
import { createFakes } from '../behaviours/json-schema/fakes.ts'
import { createTokens } from '../behaviours/tokens/tokens.ts'
import type { LoadedFacilities } from '../core/platform.ts'
import type { Facilities, Need } from '../protocol/endpoint.ts'

/** Facilities of which nothing is loaded yet. */
export function createFacilities(): LoadedFacilities {
  const loaded: Facilities = {}
  const loading = new Map<Need, Promise<void>>()

  const loadOne = (need: Need): Promise<void> => {
    const known = loading.get(need)
    if (known !== undefined) return known
    const started = loaders[need]().then(
      (facility) => {
        loaded[need] = facility
      },
      (error: unknown) => {
        // Its files may be there, or file descriptors for them, when the next call asks.
        loading.delete(need)
        throw error
      },
    )
    loading.set(need, started)
    return started
  }

  const load = async (needs: readonly Need[]): Promise<void> => {
    await Promise.all(needs.map(loadOne))
  }
  return {
    loaded,
    load,
  }
}

const loaders: Readonly<Record<Need, () => Promise<unknown>>> = {
  async tokens() {
    const [{ encode }, { default: ranks }, { O200K_TOKEN_SPLIT_REGEX: words }] = await Promise.all([
      import('gpt-tokenizer/encoding/o200k_base'),
      import('gpt-tokenizer/bpeRanks/o200k_base'),
      import('gpt-tokenizer/encodingParams/constants'),
    ])
    const asPlainText = { disallowedSpecial: new Set<string>() }
    return createTokens({
      encode: (text) => encode(text, asPlainText),
      ranks,
      words,
      sentences: fixedSentences(),
    })
  },
  async fakes() {
    const { faker } = await import('@faker-js/faker/locale/en')
    return createFakes(faker)
  },
}
