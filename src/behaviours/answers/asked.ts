/** A request to a model while it is answered: each of its texts is read once. */
import type { Suggest } from '../json-schema/fill.ts'
import type { AnswerRequest } from './conversation.ts'
import { Results, type Source, suggestionsFrom } from './suggest.ts'
import { Reading } from './tokens-in.ts'

export class Asked {
  readonly request: AnswerRequest
  readonly results: Results
  readonly #year: number
  readonly #readings = new Map<string, Reading>()

  constructor(request: AnswerRequest) {
    this.request = request
    this.results = new Results(request.conversation.calls.flatMap(({ result }) => result ?? []))
    this.#year = new Date(request.now).getUTCFullYear()
  }

  read(text: string): Reading {
    const known = this.#readings.get(text)
    if (known !== undefined) return known
    const reading = new Reading(text)
    this.#readings.set(text, reading)
    return reading
  }

  /** The suggestions for a text; with `results`, those of the results too. */
  suggestionsFrom(text: string, source: Omit<Source, 'reading' | 'year'>): Suggest {
    return suggestionsFrom({ ...source, reading: this.read(text), year: this.#year })
  }
}
