/** Postal addresses, zip codes and coordinates in a prompt. */

const name = String.raw`\p{Lu}[\p{L}.'’-]{0,30}`
const street =
  String.raw`\d{1,4}[A-Za-z]?(?:[-/]\d{1,4})? (?:${name} ?|\d{1,3}(?:st|nd|rd|th) ?){1,5}|` +
  String.raw`${name}(?:stra(?:ss|ß)e|str\.|weg|platz|allee|gasse) \d{1,4}[a-z]?`
const code =
  String.raw`\d{5}(?:-\d{4})?|\d{4} ?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ` +
  String.raw`?\d[A-Z]\d`
const addressPattern = new RegExp(
  String.raw`(?<![\p{L}\d$€£.,])(${street})((?:, ?(?:(?:${code})\b ?)?(?:${name} ` +
    String.raw`?){0,4}(?:(?:${code})\b)?){0,4})`,
  'gu',
)
const codePattern = new RegExp(String.raw`(?<![\w$€£#.,-])(?:${code})(?![\w-])(?![.,]\d)`, 'gu')
const stateCode = new RegExp(
  String.raw`(?<=\p{L},? )[A-Z]{2}(?=,? (?:${code})(?![\w-]))|(?<=\p{Lu}\p{Ll}+, )[A-Z]{2}(?![\w-])`,
  'gu',
)
const coordinates = new RegExp(
  String.raw`(?<![\d.])(-?\d{1,2}(?:\.\d{1,10})?)\s?°?\s?([NS])?\s?(?:,|/| and ` +
    String.raw`)\s?(?:lon(?:gitude)? ?|lng )?(-?\d{1,3}(?:\.\d{1,10})?)\s?°?\s?([EW])?(?![\d.])`,
  'giu',
)

/** The places in a prompt, each kind read on first use. */
export class PlaceFacts {
  readonly #text: string
  readonly #hasDigits: boolean
  #lines: readonly RegExpExecArray[] | undefined

  constructor(prompt: string) {
    this.#text = prompt.slice(-4000)
    this.#hasDigits = /\d/.test(this.#text)
  }

  /** `12 Main Street, Springfield`. */
  get addresses(): readonly string[] {
    return this.#found().map(([whole]) => whole.replace(/[\s,.]+$/u, ''))
  }

  /** `12 Main Street`. */
  get streets(): readonly string[] {
    return this.#found().map(([, line = '']) => line.trim())
  }

  get zips(): readonly string[] {
    return this.#all(codePattern).map(([zip]) => zip)
  }

  /** The two letters behind a town: `OR` of "Springfield, OR 97403". */
  get states(): readonly string[] {
    return [...this.#text.matchAll(stateCode)].map(([state]) => state)
  }

  /** Latitude and longitude. */
  get coordinates(): readonly (readonly [number, number])[] {
    return this.#all(coordinates).flatMap(([whole, lat, south, long, west]) =>
      /\.|°|[NS]\b/.test(whole)
        ? [
            [
              Number(lat) * (south?.toUpperCase() === 'S' ? -1 : 1),
              Number(long) * (west?.toUpperCase() === 'W' ? -1 : 1),
            ] as const,
          ]
        : [],
    )
  }

  #found(): readonly RegExpExecArray[] {
    return (this.#lines ??= this.#all(addressPattern))
  }

  /** What a pattern finds that needs digits. */
  #all(pattern: RegExp): readonly RegExpExecArray[] {
    return this.#hasDigits ? [...this.#text.matchAll(pattern)] : []
  }
}
